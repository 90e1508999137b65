// `recover` judges a record while it holds its lock, and takes a lock that cannot be asked for one that is held.
import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isLocked, makeStateFolder } from "../support/state-folder.ts";
import { runMain, typing } from "../support/test-host.ts";
import { runTraced, whyNoTracing } from "../support/tracing.ts";

function lineOf(record: object): string {
  const json = JSON.stringify(record);
  return `${createHash("sha256").update(json).digest("hex").slice(0, 16)} ${json}\n`;
}

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
  const forgot = await runMain(["recover", "forget", ...state.ids(), ...state.ids()], {
    environment,
    openTerminal,
  });
  expect([forgot.code, wasLocked, state.ids()]).toEqual([0, true, []]);
});

test.skipIf(whyNoTracing() !== null)("a record whose lock cannot be asked is running", async () => {
  const { state, environment } = leaveRecord(value);
  const without = (...words: string[]) =>
    runTraced(
      ["-o", "/dev/null", "-e", "trace=clone,fork,vfork"].concat(
        "-e",
        "inject=clone,fork,vfork:error=EAGAIN",
      ),
      words,
      { environment },
    );
  expect(JSON.parse((await without("recover", "list", "--json", "left")).stdout)).toEqual([
    { left: "running" },
  ]);
  expect((await without("recover", "forget", "--yes", ...state.ids())).code).toBe(2);
  expect(state.ids()).toHaveLength(1);
});
