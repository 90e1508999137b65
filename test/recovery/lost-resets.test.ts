// Resets of a job without responses: their results are determined and reported, and not checked again later.
import { expect, test } from "vitest";
import { makeStateFolder } from "../support/state-folder.ts";
import { runMain } from "../support/test-host.ts";
import { startTruthService, type FaultPlan, type TruthRequest } from "../support/truth-service.ts";

const words = ["token", "reset", "--yes"];

async function setStage(count: number, isUnlucky: (request: TruthRequest) => boolean, fault: object) {
  const plan: FaultPlan = (request) =>
    request.operation === "reset" && isUnlucky(request) ? fault : undefined;
  const service = await startTruthService(plan);
  const state = makeStateFolder();
  const tokens = Array.from({ length: count }, () => service.addToken());
  const world = { environment: { ...service.environment, ...state.environment }, input: tokens.join("\n") };
  return { service, state, tokens, world, id: () => state.ids()[0] ?? "none" };
}

const isEven = ({ subject }: TruthRequest): boolean => Number.parseInt(subject.at(-1) ?? "", 16) % 2 === 0;
const eight = (token: string): string => token.slice(-8);
/** The tokens whose resets the server carries out. */
const evenOf = (tokens: readonly string[]): readonly string[] =>
  tokens.filter((token) => isEven({ subject: token } as TruthRequest));

test("resets that took effect are reported as lost at the end of the run, and by --resume without a request", async () => {
  const { service, tokens, world, id } = await setStage(12, isEven, { cutAt: 0 });
  const even = evenOf(tokens);
  expect(even.length).toBeGreaterThan(1);
  expect(even.length).toBeLessThan(12);
  const run = await runMain(words, world);
  expect(run.code).toBe(13);
  expect(run.stderr).toContain("it took effect, and its new value is lost");
  expect(run.stderr).not.toContain("the credentials are wrong");
  expect(run.stderr).toContain(`grantctl recover forget ${id()}`);
  expect(run.stderr).not.toContain("--resume");
  const asked = service.requests.length;
  // Even if the credentials fail by now: the results were determined while they were proven.
  service.plan(() => ({ instead: { status: 404 } }));
  const again = await runMain([...words, "--resume", id()], world);
  expect(again.code).toBe(13);
  expect(again.stderr).toContain("it took effect, and its new value is lost");
  expect(again.stderr).toContain(`grantctl recover forget ${id()}`);
  expect(service.requests).toHaveLength(asked);
  // Also without the input.
  const shown = await runMain(["recover", "show", id()], { environment: world.environment });
  expect(shown.code).toBe(13);
  expect(shown.stdout.split("\n").slice(0, -1).toSorted()).toEqual(
    even.map((token) => `${eight(token)}\tlost`).toSorted(),
  );
  expect(shown.stderr).toContain(`grantctl recover forget ${id()}`);
  await runMain(["recover", "forget", id()], world);
  expect((await runMain(["recover", "list"], world)).stdout).toBe("");
});

test("resets whose value arrived in a cut response are delivered by --resume", async () => {
  const { service, tokens, world, id } = await setStage(12, isEven, {
    rewrite: (answer: Buffer) => answer.subarray(0, answer.indexOf('"note"')),
  });
  const run = await runMain(words, world);
  expect(run.code).toBe(13);
  expect(run.stderr).not.toContain("lost");
  expect(run.stderr).not.toContain("recover forget");
  expect(run.stderr).toContain("--resume");
  const resumed = await runMain([...words, "--resume", id()], world);
  expect(resumed.code).toBe(0);
  const values = service.writes.map(({ value }) => value ?? "none");
  expect(values).toHaveLength(tokens.length);
  for (const value of values) expect(run.stdout + resumed.stdout).toContain(value);
});

test("resets are unknown without proof, until a resumed run proves the credentials", async () => {
  const { service, state, tokens, world, id } = await setStage(6, () => true, { cutAt: 0 });
  const run = await runMain([...words, "--concurrency", "1"], world);
  expect(run.code).toBe(13);
  expect(service.writes).toHaveLength(5);
  const blind = await runMain(["recover", "show", id()], { environment: world.environment });
  expect(blind.stdout.match(/\tunknown\n/g)).toHaveLength(5);
  service.plan(() => ({ instead: { status: 404 } }));
  const wrong = await runMain(["recover", "show", id()], world);
  expect(wrong.code).toBe(13);
  expect(wrong.stdout.match(/\tunproven\n/g)).toHaveLength(5);
  expect(wrong.stderr).toContain("the credentials are wrong");

  service.plan(() => undefined);
  const resumed = await runMain([...words, "--resume", state.journals()[0] ?? "none"], world);
  expect(resumed.code).toBe(13);
  expect(resumed.stdout).toContain('"status":"reset"');
  expect(resumed.stderr).not.toContain("the credentials are wrong");
  expect(resumed.stderr).toContain(`grantctl recover forget ${id()}`);
  expect(tokens.filter((token) => service.isLive(token))).toEqual([]);
});

test("resets that were never carried out are done by --resume", async () => {
  const { service, tokens, world, id } = await setStage(12, isEven, { drop: true });
  const run = await runMain(words, world);
  expect(run.code).toBe(13);
  expect(run.stderr).toContain("the old token is still active");
  expect(run.stderr).toContain("--resume");
  const shown = await runMain(["recover", "show", id(), "--json", "token_last_eight_before,state"], world);
  expect(shown.code).toBe(9);
  const rows = JSON.parse(shown.stdout) as readonly { readonly state: string }[];
  expect(rows.map(({ state }) => state)).toEqual(evenOf(tokens).map(() => "live"));
  service.plan(() => undefined);
  expect((await runMain([...words, "--resume", id()], world)).code).toBe(0);
  expect(service.writes).toHaveLength(12);
});

test("recover show checks each token, with an active token of the input as proof, and rejects other tokens", async () => {
  const { service, tokens, world, id } = await setStage(6, () => true, { cutAt: 0 });
  await runMain([...words, "--concurrency", "1"], world);
  const shown = await runMain(["recover", "show", id()], world);
  expect(shown.code).toBe(13);
  // The sixth token was not tried, and proves the credentials.
  expect(shown.stdout).toBe(
    tokens
      .slice(0, 5)
      .map((token) => `${eight(token)}\tlost\n`)
      .join(""),
  );
  expect(shown.stderr).toContain("5 took effect, and the new token is lost");
  expect(service.writes).toHaveLength(5);
  const before = service.requests.length;
  const others = await runMain(["recover", "show", id()], { ...world, input: "f".repeat(40) });
  expect(others).toMatchObject({ code: 2, stdout: "" });
  expect(others.stderr).not.toContain("f".repeat(40));
  expect(service.requests).toHaveLength(before);
  expect((await runMain(["recover", "show", id(), "--json", "tokens"], world)).code).toBe(2);
});

test("recover show distinguishes revocations that took effect from those that did not", async () => {
  const service = await startTruthService(({ operation, subject }) =>
    operation === "revoke"
      ? isEven({ subject } as TruthRequest)
        ? { cutAt: 0 }
        : { drop: true }
      : undefined,
  );
  const state = makeStateFolder();
  const tokens = Array.from({ length: 5 }, () => service.addToken());
  const world = { environment: { ...service.environment, ...state.environment }, input: tokens.join("\n") };
  expect((await runMain(["token", "revoke", "--yes"], world)).code).toBe(13);
  const shown = await runMain(["recover", "show", state.ids()[0] ?? "none"], world);
  expect(shown.code).toBe(9);
  const expected = tokens.map((token) => `${eight(token)}\t${service.isLive(token) ? "live" : "gone"}\n`);
  expect(shown.stdout).toBe(expected.join(""));
  expect(new Set(expected.map((line) => line.split("\t")[1])).size).toBe(2);
});
