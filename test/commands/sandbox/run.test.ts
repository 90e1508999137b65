// `grantctl sandbox run`: its flags are checked before a sandbox starts. Its behaviour is tested in test/scenarios.
import { expect, test } from "vitest";
import { runMain } from "../../support/test-host.ts";

test.each([
  [["--port", "70000", "--", "true"]],
  [["--otp", "fax", "--", "true"]],
  [["--grants", "2", "--authorizations", "1", "--", "true"]],
  [["--no-such-flag", "--", "true"]],
  [[]],
])("%j exits with 2", async (words) => {
  const run = await runMain(["sandbox", "run", ...words]);
  expect([run.code, run.stdout]).toEqual([2, ""]);
  expect(run.stderr).toMatch(/^grantctl: [^\n]+\n(hint: [^\n]+\n)?$/);
});
