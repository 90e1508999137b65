// What the record gets of one item: the entries before and after its request (`>`), and when its value is delivered.
import { expect, test } from "vitest";
import { Failure, type FailureKind } from "../../src/errors/errors.ts";
import { createItemRunner, type ItemChange } from "../../src/jobs/item-runner.ts";
import type { Entry } from "../../src/jobs/journal.ts";
import type { Status } from "../../src/jobs/outcome.ts";
import { createRedactor } from "../../src/redaction.ts";
import { hashOf } from "../../src/token.ts";
import { connectTo, makeAnswer } from "../http/doubles.ts";
import { authorizationJson, tokenValue } from "../support/resources.ts";

interface Scene extends Partial<ItemChange<string>> {
  readonly earlier?: Entry;
  readonly operation?: "revoke" | "reset" | "run";
  /** The entries that the disk does not take. */
  readonly fails?: Entry["state"];
  readonly isStopped?: boolean;
  /** What is thrown after the request. */
  readonly after?: Failure;
}

const [token, old] = [tokenValue(1), tokenValue(9)];
const item = hashOf(old);
const made = authorizationJson({ token });
const bodies = { made, another: { ...made, token_last_eight: "x" }, old: { token: old } } as const;
const failed = (kind: FailureKind, details = {}): Failure => new Failure(kind, kind, details);

/** A runner at a server that answers with these: statuses, with bodies, or kinds of failures. */
function begin({ earlier, operation, fails, isStopped = false, after, ...change }: Scene, answers = "") {
  const said: string[] = [];
  const left = answers.split(" ");
  let latest = earlier;
  const note = (entry: Entry): void => {
    latest = { ...latest, ...entry };
    const shown = (["body", "id", "gone", "effect_unseen", "is_unfit"] as const).filter(
      (name) => entry[name],
    );
    said.push([entry.state, ...shown].join("+"));
  };
  const journal = {
    keepsValues: operation === "reset",
    aheadCount: Infinity,
    latestEntry: () => latest,
    mark: async (entry: Entry) => (entry.state === fails ? Promise.reject(failed("usage")) : note(entry)),
    markUnsynced: note,
    markTaken: () => note({ key: item, state: "done" }),
    written: async () => undefined,
    keepOrExplain: async (_: string, failure: Failure) => (said.push("explained"), failure),
  };
  const service = connectTo(async () => {
    said.push(">");
    const [status, body] = (left.shift() ?? "").split(":") as [string, (keyof typeof bodies)?];
    if (!/\d/.test(status)) throw failed(status as FailureKind);
    return makeAnswer(Number(status), body === undefined ? "" : bodies[body]);
  });
  const act: ItemChange<string>["act"] = async (_, { intent }) => {
    await service.exchange({ method: "POST", template: "/x", subject: "x", intent });
    if (after !== undefined) throw after;
    return "ok";
  };
  const start = operation === "run" ? { key: item, creation: {} } : { key: item };
  const redactor = createRedactor();
  const context = { host: { now: () => 0 }, options: { timeout: 30, concurrency: 2 }, redactor };
  const runner = createItemRunner(
    {
      change: { act, ...change },
      proof: null,
      job: { earlierEntryOf: () => earlier },
      begun: { journal, startOf: () => start } as never,
      tasks: { get: () => (change.readRecorded ? "deliver" : "change") } as never,
      queue: { decided: new Map(), rest: new Set() },
      isStopped: () => isStopped,
    },
    context as never,
  );
  return { runner, said, redactor };
}

/** Takes so many values. */
const taking = (most: number) => async (outcomes: readonly unknown[], onTaken: (at: number) => unknown) => {
  for (const at of outcomes.keys()) if (at < most) await onTaken(at);
  return outcomes.map((_, at) => (at < most ? null : failed("undelivered")));
};
const sent: Entry = { key: item, state: "sent" };
const reset: Scene = { operation: "reset", deliver: taking(9) };
const fullDisk: Scene = { ...reset, fails: "answered" };
const undelivered: Scene = { ...reset, after: failed("undelivered") };
const after = failed("refused");
const unfit: Scene = { ...reset, fits: async () => false };
const again: Scene = { earlier: sent };
const answered: Scene = {
  earlier: { ...sent, state: "answered" },
  readRecorded: () => Promise.reject(after),
};
const read = (): Promise<never> => Promise.reject(after);

test.each<[words: string, answers: string, scene: Scene, said: string]>([
  ["a success is done", "204", {}, "sent > done, ok"],
  ["unverified, too", "204", { showsCredentials: () => false }, "sent > done+effect_unseen, ok"],
  ["a refusal changed nothing", "403", {}, "sent > unchanged unchanged, refused"],
  ["after a limit it is sent again", "429 204", {}, "sent > unchanged sent > done, ok"],
  ["a failure of the server may have changed it", "500", {}, "sent >, unknown"],
  ["so may a gateway that gave up", "408", {}, "sent >, unknown"],
  ["so may a lost response", "unknown", {}, "sent >, unknown"],
  ["a connection that is refused did not", "network", {}, "sent > unchanged, network"],
  ["nothing is sent after a signal", "", { isStopped: true }, ", Stopped"],
  ["nor without a record", "", { fails: "sent" }, ", usage"],
  ["the response with a value is kept", "201:made", reset, "sent > answered+body, ok"],
  ["that of a failure, too", "500:made", reset, "sent > answered+body, unknown"],
  ["not with another's value", "500:another", reset, "sent >, unknown"],
  ["nor with the old one", "200:old", reset, "sent >, ok"],
  ["nor without one", "201", reset, "sent >, ok"],
  ["a disk that is full then keeps nothing", "201:made", fullDisk, "sent >, ok"],
  ["also before a failure", "201:made", { ...fullDisk, after }, "sent >, refused"],
  ["which leaves a kept one", "201:made", { operation: "reset", after }, "sent > answered+body, refused"],
  ["one that is not taken", "201:made", undelivered, "sent > answered+body explained, undelivered"],
  ["of a run, only the ID is kept", "201:made", { operation: "run" }, "sent > answered+id done, ok"],
  ["another's response is kept, too", "201:made", unfit, "sent > answered+body+is_unfit, ok"],
  ["a kept value needs no request", "", { ...again, readRecorded: async () => "kept" }, "done, kept"],
  ["what was sent is sent again", "204", again, "sent > done, ok"],
  ["not if a read fails", "", { ...again, read }, ", refused"],
  ["which an action may do itself", "204", { ...again, read, readBy: "act" }, "sent > done, ok"],
  ["after a read, a refusal changed nothing", "403", again, "sent > unchanged unchanged, refused"],
  ["of a new item, too", "403", { earlierHadNoEffect: () => false }, "sent > unchanged unchanged, refused"],
  ["a later step is repeated", "", { ...answered, earlierHadNoEffect: () => true }, ", refused"],
  ["unless the action knows better", "403", { ...again, earlierHadNoEffect: () => false }, "sent >, refused"],
])("%s (%j)", async (_, answers, scene, wanted) => {
  const { runner, said, redactor } = begin(scene, answers);
  const end = await runner.run("i").catch((error: Failure) => error.kind ?? error.name);
  expect(`${said.join(" ")}, ${end}`).toBe(wanted);
  expect(redactor.redact(token)).toBe(/made|another/.test(answers) ? "[secret]" : token);
});

const outcome = { item: "i", result: null, failure: after };
const ofOne = "done explained stop explained stop, done undelivered undelivered, false";

test.each<[words: string, statuses: string, scene: Scene, said: string]>([
  ["a value that is taken is done", "done", reset, "done, done, true"],
  ["nothing is noted of others", "failed", reset, ", failed, true"],
  ["a receiver that broke gets no more", "done done|done", { deliver: taking(1) }, ofOne],
  ["what is gone keeps its state", "gone", again, "sent+gone, gone, true"],
  ["what was not sent is unchanged", "gone", {}, "unchanged+gone, gone, true"],
  ["another run may settle what is unknown", "unknown", {}, ", unknown, false"],
  ["or what an earlier one sent", "failed", again, ", failed, false"],
])("finished: %s", async (_, statuses, scene, wanted) => {
  const { runner, said } = begin(scene);
  const ends: string[] = [];
  for (const group of statuses.split("|")) {
    const given = group.split(" ").map((status) => ({ ...outcome, status: status as Status }));
    ends.push(...(await runner.finish(given, () => said.push("stop"))).map(({ status }) => status));
  }
  expect(`${said.join(" ")}, ${ends.join(" ")}, ${runner.areFinal()}`).toBe(wanted);
});
