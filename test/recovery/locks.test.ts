// `recover` judges a record while it holds its lock, and takes a lock that cannot be asked for one that is held.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isLocked, lineOf, makeStateFolder } from "../support/state-folder.ts";
import { runMain, typing } from "../support/test-host.ts";
import { runTraced, whyNoTracing } from "../support/tracing.ts";

const body = Buffer.from(JSON.stringify({ token: "a".repeat(40) })).toString("base64");
const value = lineOf({ key: "a", state: "answered", body });

/** The record of a reset that has sent nothing, with these lines more. */
function leaveRecord(more: string) {
  const state = makeStateFolder();
  mkdirSync(state.path, { mode: 0o700 });
  const head = lineOf({
    version: 2,
    operation: "reset",
    argv: ["token", "reset"],
    server: "http://127.0.0.1:1/",
    requester: "x",
    created_at: "2026-01-01T00:00:00Z",
    keys: ["a"],
  });
  const path = join(state.path, "20260101-000000-000000.journal");
  writeFileSync(path, head + more, { mode: 0o600 });
  return { state, environment: state.environment, path };
}

test("recover forget holds the record while it asks", async () => {
  const { state, environment, path } = leaveRecord(value);
  const { world } = typing("y\n");
  let wasLocked = false;
  const openTerminal = () => {
    wasLocked = isLocked(path);
    return world.openTerminal?.() ?? null;
  };
  const twice = ["recover", "forget", ...state.ids(), ...state.ids()];
  const forgot = await runMain(twice, { environment, openTerminal });
  expect([forgot.code, wasLocked, state.ids()]).toEqual([0, true, []]);
});

test.skipIf(whyNoTracing() !== null)("a record whose lock cannot be asked is running", async () => {
  const { state, environment } = leaveRecord(value);
  const fault = "-o /dev/null -e trace=clone,fork,vfork -e inject=clone,fork,vfork:error=EAGAIN".split(" ");
  const without = (...words: string[]) => runTraced(fault, words, { environment });
  const listed = await without("recover", "list", "--json", "left");
  expect(JSON.parse(listed.stdout)).toEqual([{ left: "running" }]);
  expect((await without("recover", "forget", "--yes", ...state.ids())).code).toBe(2);
  expect(state.ids()).toHaveLength(1);
});
