// Limits of a job with many items: all items wait when the server throttles, a server that rejects everything gets few
// requests, and items are reported as gone only with proof.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { makeFolder, makeStateFolder } from "../support/state-folder.ts";
import { runMain } from "../support/test-host.ts";
import { startTruthService, type FaultPlan } from "../support/truth-service.ts";

async function setStage(count: number, plan?: FaultPlan) {
  const service = await startTruthService(plan);
  const state = makeStateFolder();
  const tokens = Array.from({ length: count }, () => service.addToken());
  const world = { environment: { ...service.environment, ...state.environment }, input: tokens.join("\n") };
  return { service, state, tokens, world };
}

const statusesOf = (stdout: string): readonly string[] => stdout.match(/^[^\t\n]+/gm) ?? [];

/** Calls back when the run begins to wait for a limit, and ends the wait if `whileWaiting` says so. */
const onWait = (whileWaiting: () => Promise<boolean>) => ({
  setTimer(_: number, call: () => void) {
    void whileWaiting().then((isOver) => isOver && call());
    return () => undefined;
  },
});

describe("Retry-After", () => {
  test("delays all items, and the job completes after the wait", async () => {
    const isWaiting = join(makeFolder(), "waiting");
    // What is in flight beside the 429 is answered during the wait.
    const { service, tokens, world } = await setStage(40, (_, position) =>
      position === 13
        ? { instead: { status: 429, headers: { "Retry-After": "2" } } }
        : { afterFile: position < 13 ? "/" : isWaiting },
    );
    let beforeEnd = 0;
    const waiting = onWait(async () => {
      writeFileSync(isWaiting, "");
      await service.quiet();
      beforeEnd = service.requests.length;
      return true;
    });
    const run = await runMain(["token", "revoke", "--yes"], { ...world, ...waiting });
    expect(run.code).toBe(0);
    expect(statusesOf(run.stdout)).toEqual(tokens.map(() => "revoked"));
    expect(service.requests).toHaveLength(42);
    // Only requests already in flight may arrive after the 429.
    expect(beforeEnd).toBeLessThanOrEqual(14 + 7);
  });

  test("is waited for by no item if the job stops meanwhile: what was not sent is not tried", async () => {
    const isWaiting = join(makeFolder(), "waiting");
    const { service, world } = await setStage(24, (_, position) => {
      if (position === 1) return { instead: { status: 429, headers: { "Retry-After": "20" } } };
      const refusal = position === 2 ? { instead: { status: 401, body: {} } } : {};
      return position === 0 ? undefined : { afterFile: isWaiting, ...refusal };
    });
    const waiting = onWait(async () => (writeFileSync(isWaiting, ""), false));
    const run = await runMain(["token", "revoke", "--yes"], { ...world, ...waiting });
    // A check, and eight that were in flight before the limit arrived.
    expect(service.requests).toHaveLength(9);
    const statuses = statusesOf(run.stdout).filter((status) => status !== "not-tried");
    expect(statuses.toSorted()).toEqual(["failed", ...Array.from({ length: 6 }, () => "revoked")]);
  });
});

describe("a server that rejects every request", () => {
  test.each([
    [401, 8, "authentication"],
    // It may be about the first token alone; the next ones are read at once.
    [403, 9, "refused"],
    [429, 8, "rate-limited", "100000"],
    [503, 4, "unavailable"],
  ])("with %i gets at most %i requests of 300", async (status, most, _, retryAfter = "") => {
    for (const verb of ["revoke", "reset"]) {
      const { service, state, world } = await setStage(300, () => ({
        instead: { status, headers: { "Retry-After": retryAfter }, body: { message: "no" } },
      }));
      const run = await runMain(["token", verb, "--yes", "--format", "ndjson"], world);
      expect(run.code).toBe({ 401: 4, 403: 1, 429: 8, 503: 8 }[status]);
      expect(service.requests.length).toBeLessThanOrEqual(most);
      expect([run.stdout, state.journals()]).toEqual(["", []]);
    }
  });
});

const findsNothing: FaultPlan = () => ({ instead: { status: 404, body: { message: "Not Found" } } });

describe("wrong credentials", () => {
  test("stop writes after a few tokens; further tokens are only checked", async () => {
    for (const verb of ["revoke", "revoke-grant", "reset"]) {
      const { service, state, tokens, world } = await setStage(60, findsNothing);
      const run = await runMain(["token", verb, "--yes", "--format", "ndjson"], world);
      expect(run.code).toBe(9);
      expect(run.stdout.match(/"status":"unproven"/g)).toHaveLength(60);
      expect(service.requests.every(({ operation }) => operation === "check")).toBe(true);
      expect(service.requests).toHaveLength(tokens.length);
      expect(run.stderr).toContain("Nothing was changed, so you can run the same command again.");
      expect(state.journals()).toEqual([]);
    }
  });

  test("stop deletions by ID after a few; further IDs are only read", async () => {
    const { service, state, world } = await setStage(0, findsNothing);
    const input = Array.from({ length: 60 }, (_, index) => String(index + 1)).join("\n");
    const run = await runMain(["authorization", "delete", "-", "--yes"], { ...world, input });
    expect(run.code).toBe(9);
    expect(service.requests.filter(({ operation }) => operation === "delete").length).toBeLessThanOrEqual(12);
    expect(new Set(statusesOf(run.stdout))).toEqual(new Set(["unproven"]));
    expect(run.stderr).toContain("Nothing was changed, so you can run the same command again.");
    expect(state.journals()).toEqual([]);
  });

  test.each(Object.entries({ tsv: 60, table: 0 }))("that are done are %s rows: %i", async (format, count) => {
    const { tokens, world } = await setStage(60);
    const words = ["token", "revoke", "--yes", "--format", format];
    const run = await runMain(words, { ...world, columns: 80, input: tokens.join("\n") });
    expect([run.code, run.stdout.match(/^revoked/gm)?.length ?? 0]).toEqual([0, count]);
  });

  test("that the list rejects with 401 are reported as such", async () => {
    const { world } = await setStage(0, ({ operation }) => ({
      instead: { status: operation === "list" ? 401 : 404, body: { message: "no" } },
    }));
    const input = Array.from({ length: 30 }, (_, index) => String(index + 1)).join("\n");
    const run = await runMain(["authorization", "delete", "-", "--yes"], { ...world, input });
    expect(run.code).toBe(4);
    expect(statusesOf(run.stdout)).toContain("unproven");
    expect(statusesOf(run.stdout).at(-1)).toBe("not-tried");
  });
});

describe("a list that begins with twenty revoked items", () => {
  const dead = Array.from({ length: 20 }, (_, index) => `${String(index).padStart(2, "0")}${"d".repeat(38)}`);

  test.each(["revoke", "revoke-grant", "reset"])("does not keep %s from the active ones", async (verb) => {
    const { service, tokens, world } = await setStage(36);
    const input = [...dead, ...tokens].join("\n");
    const run = await runMain(["token", verb, "--yes", "--format", "ndjson"], { ...world, input });
    // A missing token cannot be reset and counts as revoked.
    expect(run.code).toBe(verb === "reset" ? 9 : 0);
    expect(tokens.filter((token) => service.isLive(token))).toEqual([]);
    expect(run.stdout.match(verb === "reset" ? /"not-found"/g : /"not-found"/g)).toHaveLength(20);
    expect(service.writes).toHaveLength(verb === "revoke-grant" ? 1 : 36);
    const writesToDead = service.requests.filter(
      ({ operation, subject }) => operation === verb && dead.includes(subject),
    );
    expect(writesToDead.length).toBeLessThanOrEqual(12);
  });
});
