// A hint repeats no command that a message would change: pasted, it would give a token to another one.
import { expect, test } from "vitest";
import { showHint } from "../../src/jobs/resume-hint.ts";
import { createRedactor } from "../../src/redaction.ts";

test.each(["keep ci\n", "keep \u200b", "keep hunter22", "sh -c 'grantctl api /user'"])("%j", (command) => {
  const redactor = createRedactor();
  redactor.addSecret("hunter22");
  expect(showHint("ID", command, { redactor })).toBe("Run `grantctl recover show ID` to get the token.");
  expect(showHint("ID", "keep 'ci token'", { redactor })).toContain("--to-command 'keep '\"'\"'ci token");
});
