// The command that continues a job. A hint repeats no word that a message would change: pasted, it would give a token to
// another command or file.
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { ReceiverChoice } from "../../src/jobs/journal.ts";
import { resumeHint, showHint } from "../../src/jobs/resume-hint.ts";
import { createRedactor } from "../../src/redaction.ts";
import { tokenValue } from "../support/resources.ts";

const redactor = createRedactor();
redactor.addSecret("hunter22");

test.each(["keep ci\n", "keep \u200b", "keep hunter22", "sh -c 'grantctl api /user'"])("%j", (command) => {
  expect(showHint("ID", command, { redactor })).toBe("Run `grantctl recover show ID` to get the token.");
  expect(showHint("ID", "keep 'ci token'", { redactor })).toContain("--to-command 'keep '\"'\"'ci token");
});

const own = join(mkdtempSync(join(tmpdir(), "own-")), "own");
writeFileSync(own, `{"token":"${tokenValue(1)}"}\n`);
const body = Buffer.from(JSON.stringify({ token: tokenValue(1) })).toString("base64");
const entries = new Map([["a", { key: "a", state: "done", body } as const]]);
const take = { toCommand: "take" };
/** The hint of a job with this command line; `at`: the server of the run that gives it. */
async function hintOf(argv: string, receiver: ReceiverChoice, now: ReceiverChoice, at = "https://a") {
  const operation = argv.startsWith("token") ? "reset" : "delete-grant";
  const about = { version: 2, requester: "", created_at: "", keys: ["a"], reads_input: true } as const;
  const head = { ...about, operation, server: "https://a", argv: argv.split(" "), receiver };
  const server = { isAt: (url: string) => url === at };
  const record = { id: "ID", contents: { head, entries, fault: null } };
  return resumeHint(head as never, record as never, { server, redactor } as never, now);
}

test.each<[words: string, added: string, first: ReceiverChoice, now: ReceiverChoice, at?: string]>([
  ["has the first command line", "", {}, {}],
  ["names its file", " --output-file /new", { outputFile: "/new" }, { outputFile: "/new" }],
  ["replaces a file of its own", ` --output-file ${own} --force`, { outputFile: own }, { outputFile: own }],
  ["leaves the place of one that is not shown", " --output-file FILE", {}, { outputFile: "hunter22" }],
  ["does not repeat its command", "", take, take],
  ["names another command", " --to-command take", {}, take],
  ["or of a command that is not shown", " --to-command COMMAND", {}, { toCommand: "take hunter22" }],
  ["names its server", " --base-url https://a", {}, {}, "https://b"],
])("the command that continues a job %s", async (_, added, first, now, at) => {
  const said = `Run \`grantctl token reset --yes${added} --resume ID\` with the same input to continue.`;
  expect(await hintOf("token reset --yes", first, now, at)).toBe(said);
});

test("a job of IDs needs no input, and operands stay at the end", async () => {
  const said = "Run `grantctl grant delete --yes --resume ID` to continue.";
  expect(await hintOf("grant delete - --yes", {}, {})).toBe(said);
  expect(await hintOf("grant delete --yes -- 1", {}, {})).toContain("--yes --resume ID -- 1`");
  expect(await hintOf("token reset --force", {}, take)).not.toContain("--force");
});
