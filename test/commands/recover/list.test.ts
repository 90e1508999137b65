// `grantctl recover list`: its layout at any terminal width, and its hints for resuming a job.
import { expect, test } from "vitest";
import type { ProcessTable } from "../../../src/files/lock.ts";
import type { JournalOperation } from "../../../src/journal/operations.ts";
import { hashOf, hashOfList } from "../../../src/journal/hashes.ts";
import { createJournals } from "../../../src/journal/journals.ts";
import { startRecordingServer } from "../../support/recording-server.ts";
import { authorizationJson, tokenValue } from "../../support/resources.ts";
import { makeStateFolder } from "../../support/state-folder.ts";
import { runMain } from "../../support/test-host.ts";

const gone: ProcessTable = { pid: process.pid, bootId: null, scope: null, isRunning: () => true };

/** Leaves the journal of a run that sent the first of these items and got no response. */
async function leave(
  operation: JournalOperation,
  total: number,
): Promise<Readonly<Record<string, string>> & { readonly id: string }> {
  const state = makeStateFolder();
  const journal = await createJournals(state.path, gone).create({
    version: 1,
    operation,
    address: "https://service.test/api/v3",
    requester: hashOf("octavia"),
    created_at: "2026-01-31T12:00:00.000Z",
    total,
    list: hashOfList(["1"].map(hashOf)),
  });
  await journal.mark({ item: hashOf("1"), state: "sent" });
  await journal.close();
  return { ...state.environment, id: journal.id };
}

const resumeNote = (id: string): string =>
  `To resume a job, run its command with the original input (to delete grants and authorizations, none is needed):\n  grantctl authorization delete - --resume ${id} --base-url https://service.test/api/v3\n`;

test.each([30, 40, 60, 80, 100, 200])(
  "prints whole operations and states and the command that resumes a job within %i columns",
  async (columns) => {
    const { id, ...environment } = await leave("delete-authorization", 3);
    const run = await runMain(["recover", "list", "--no-color"], { environment, columns });
    expect([run.code, run.stderr]).toEqual([0, resumeNote(id)]);
    expect(run.stdout).toContain(id);
    expect(run.stdout).not.toMatch(/(?:delete|outcome)[^ ]*…/);
    expect(run.stdout.split("\n").filter((line) => line.length > columns)).toEqual([]);
    expect([run.stdout.includes("STATE"), run.stdout.includes("delete-authorization")]).toEqual([
      columns >= 40,
      columns >= 80,
    ]);
  },
);

test("prints no resume hint without a job, in a pipe, or with --quiet", async () => {
  const single = await leave("create", 1);
  expect((await runMain(["recover", "list"], { environment: single, columns: 80 })).stderr).toBe("");
  const job = await leave("delete-authorization", 3);
  expect((await runMain(["recover", "list"], { environment: job })).stderr).toBe("");
  expect((await runMain(["recover", "list", "-q"], { environment: job, columns: 80 })).stderr).toBe("");
  expect((await runMain(["recover", "list", "--json"], { environment: job, columns: 80 })).stderr).toBe("");
});

test("reports on a terminal that there is no unfinished work", async () => {
  const run = await runMain(["recover", "list"], { columns: 80 });
  expect(run).toEqual({ code: 0, stdout: "", stderr: "no unfinished work from earlier runs\n" });
  expect(await runMain(["recover", "list"])).toEqual({ code: 0, stdout: "", stderr: "" });
});

test.each([
  ["create", ["authorization", "create", "--note", "n"], { note: "n", scopes: [] }],
  [
    "get-or-create",
    ["authorization", "get-or-create", "--fingerprint", "f"],
    { note: null, fingerprint: "f", scopes: [] },
  ],
])("lists a kept value of %s with its last eight characters", async (operation, words, made) => {
  const token = tokenValue(7);
  const server = await startRecordingServer(() => ({
    status: 201,
    body: authorizationJson({ ...made, token }),
  }));
  expect((await server.run([...words, "--jq", "empty"])).code).toBe(12);
  const { stdout } = await server.run(["recover", "list", "--json"]);
  expect(JSON.parse(stdout)).toMatchObject([{ operation, token_last_eights: [token.slice(-8)] }]);
  expect(stdout).not.toContain(token);
  expect((await server.run(["recover", "list"])).stdout).toContain(`\t${token.slice(-8)}\t`);
});

test.each(["rotate", "revoke", "delete-grant"] as const)(
  "%s: list and show report the same counts of done, failed and pending items",
  async (operation) => {
    const state = makeStateFolder();
    const journal = await createJournals(state.path, gone).create({
      version: 1,
      operation,
      address: "https://service.test/api/v3",
      requester: hashOf("octavia"),
      created_at: "2026-01-31T12:00:00.000Z",
      total: 4,
      list: hashOfList(["1", "2", "3", "4"].map(hashOf)),
    });
    await journal.mark({ item: hashOf("1"), state: "done" }, { item: hashOf("2"), state: "failed" });
    await journal.close();
    const { environment } = state;
    const listed = await runMain(["recover", "list", "--json", "done,failed,to_go"], { environment });
    expect(JSON.parse(listed.stdout)).toEqual([{ done: 1, failed: 1, to_go: 2 }]);
    const shown = await runMain(["recover", "show", journal.id], { environment });
    expect(shown.stderr).toContain("1 of 4 done, 1 failed, 2 pending");
  },
);
