// Invalid UTF-8 is rejected, because Node has replaced the original bytes before grantctl starts.
import { expect, test } from "vitest";
import { startRecordingServer } from "../support/recording-server.ts";
import { runMain } from "../support/test-host.ts";

const latin1 = "caf\uFFFD";

test.each([
  [["authorization", "create", "--note", latin1], {}, `${latin1} on the command line is not UTF-8 text`],
  [["authorization", "list", "--note", latin1], {}, "on the command line is not UTF-8 text"],
  [["sandbox", "run", "--", "echo", latin1], {}, "on the command line is not UTF-8 text"],
  [["grant", "list"], { GRANTCTL_PASSWORD: latin1 }, "GRANTCTL_PASSWORD is not UTF-8 text"],
  [["grant", "list"], { GRANTCTL_STATE_DIR: `/tmp/${latin1}` }, "GRANTCTL_STATE_DIR is not UTF-8 text"],
])("%j %j: exits with code 2 and sends nothing", async (words, changes, message) => {
  const server = await startRecordingServer();
  const run = await server.run(words, { environment: changes });
  expect([run.code, run.stdout, server.lines()]).toEqual([2, "", []]);
  expect(run.stderr).toContain(message);
});

test("ignores such bytes for --help and in variables of other programs", async () => {
  expect((await runMain(["grant", "view", latin1, "--help"], { environment: {} })).code).toBe(0);
  const server = await startRecordingServer();
  const environment = { ...server.environment, EDITOR: latin1 };
  expect((await runMain(["config", "list"], { environment })).code).toBe(0);
});
