// What "not found" means: the questions that settle it, the verdicts, and when a change waits for a proof. An item is a
// letter, which stands for a whole token; a longer word has no known form.
import { describe, expect, test } from "vitest";
import { Failure, failureOf, type FailureDetails, type FailureKind } from "../../src/errors/errors.ts";
import { hints } from "../../src/errors/hints.ts";
import { maybePart, Proof } from "../../src/jobs/proof.ts";

type Parameters = ConstructorParameters<typeof Proof>;

/** What the server may say of an item that it does not show. */
const responses: Readonly<Record<string, readonly [kind: FailureKind, details?: FailureDetails]>> = {
  "404": ["not-found"],
  gateway: ["not-found", { received: { status: 404, body: Buffer.from("<html>") } }],
  other: ["refused", { status: 422, isAboutItem: true }],
  invalid: ["refused", { status: 422 }],
  forbidden: ["refused", { status: 403, isAboutItem: true }],
  "500": ["protocol", { status: 500 }],
  cut: ["network"],
  limit: ["rate-limited", { retryAfterMs: 5000 }],
  longer: ["rate-limited", { retryAfterMs: 5001 }],
  rejected: ["authentication"],
  otp: ["otp"],
};

/** Succeeds with "found" and "anyone"; the message of a failure is its word. */
async function respond(word: string): Promise<string> {
  const [kind, details] = responses[word] ?? [];
  if (kind !== undefined) throw new Failure(kind, word, details);
  return word;
}

interface Scene {
  /** Items that the server did not find. */
  readonly absent?: string;
  /** Items that the run has read: found before and after the absent ones, and not found. */
  readonly found?: string;
  readonly since?: string;
  readonly unfound?: string;
  readonly changed?: string;
  /** Of the response that made them absent. */
  readonly status?: number;
  readonly proofs?: string;
  /** What the server says to the reads of an item, in order, the last word again; 404 of all others. */
  readonly says?: Readonly<Record<string, string>>;
  /** What is found each time that there is no witness any more; "-" for nothing. */
  readonly spares?: string;
  /** The first page of the account's list; after "|" later ones. */
  readonly list?: string | null;
  readonly traits?: Partial<Parameters[0]>;
}

const wordsOf = (text = ""): readonly string[] => text.split(" ").filter((word) => word !== "");
const whole = (word: string): string => (word.length === 1 ? word.repeat(40) : word);
const nameOf = (item: string): string => (item.length === 40 ? item.slice(0, 1) : item);

/** A proof, and what it asks. */
function proofOf({ proofs, says = {}, list, traits }: Scene) {
  const asked: string[] = [];
  const left = new Map(Object.entries(says).map(([name, text]) => [name, [...wordsOf(text)]]));
  const read = async (item: string): Promise<string> => {
    asked.push(nameOf(item));
    const words = left.get(nameOf(item)) ?? ["404"];
    return respond((words.length > 1 ? words.shift() : words[0]) ?? "");
  };
  const lists = list?.split("|") ?? [];
  const listed = async () => {
    asked.push("list");
    return list === null ? null : wordsOf(lists.length > 1 ? lists.shift() : lists[0]).map(whole);
  };
  const reads = { nameOf, read, changesEndWithRead: false, ...traits };
  const wait = async (milliseconds: number) => void asked.push(`${milliseconds}ms`);
  const services = { options: { concurrency: 2 }, waits: { wait } } as unknown as Parameters[3];
  const all = list === undefined ? reads : { ...reads, list: listed };
  const proof = new Proof(all, wordsOf(proofs).map(whole), null, services);
  const readAll = async (names: string | undefined, word: string): Promise<void> => {
    for (const name of wordsOf(names)) await failureOf(proof.ask(whole(name), () => respond(word)));
  };
  /** Changes an item; resolves with the failure. */
  const change = (name: string, send: () => Promise<string>) =>
    failureOf(proof.sendChange(whole(name), send, (word) => word !== "anyone"));
  return { proof, asked, read, readAll, change };
}

/** Settles the absent items of a run. */
async function settle({ absent = "a", found, since, unfound, changed, spares, ...scene }: Scene) {
  const { proof, asked, read, readAll, change } = proofOf(scene);
  await readAll(found, "found");
  await readAll(unfound, "404");
  for (const name of wordsOf(changed)) await change(name, () => respond("found"));
  const sent = wordsOf(absent).filter((name) => !wordsOf(unfound).includes(name));
  for (const name of sent) await change(name, () => respond("404"));
  await readAll(since, "found");
  const left = [...wordsOf(spares)];
  const failure = new Failure("not-found", "404", { status: scene.status ?? 404 });
  const items = wordsOf(absent).map((name) => ({ item: whole(name), failure }));
  const replaceWitness = async (): Promise<boolean> => {
    asked.push("any?");
    const spare = left.shift() ?? "-";
    return spare !== "-" && (await failureOf(proof.ask(whole(spare), read))) === null;
  };
  const { verdicts, isRejected } = await proof.settle(items, { replaceWitness });
  return { asked: asked.join(" "), isRejected, verdicts: items.map(({ item }) => verdicts.get(item)) };
}

test("a 422 makes an item absent in response to its change, unless a change ends with a read", async () => {
  const foreign = new Failure("refused", "422", { status: 422, isAboutItem: true });
  for (const changesEndWithRead of [false, true]) {
    const { proof, change } = proofOf({ traits: { changesEndWithRead } });
    expect(proof.makesAbsent(whole("a"), foreign)).toBe(false);
    await change("a", () => respond("found"));
    expect(proof.makesAbsent(whole("a"), foreign)).toBe(!changesEndWithRead);
  }
});

const [e, f] = [{ e: "found" }, { f: "found" }];
const both = { ...e, a: "found" };
const flip: Scene = { found: "e", absent: "b a", says: both };
const reads = { traits: { changesEndWithRead: true } };
const [gone, unproven] = ["gone", "unproven: 404"];
const because = `${unproven}; not proven:`;
const gateway = `${because} a proxy or gateway responds with 404 in place of the server`;
const later = `${because} the server finds it now`;
const failing = `${because} 500`;
const others = `${because} the server finds others that it did not find before`;
const part = `unproven: abc: not found; not proven: ${maybePart}`;
const active =
  "failed: a is still there: the server responds with 404 to this operation only, and may not support it";

test.each<[words: string, scene: Scene, asked: string, ...verdicts: string[]]>([
  ["a read of the item and then a witness prove it", { found: "e", says: e }, "e a e", gone],
  ["one witness proves many items", { absent: "a b", found: "e", says: e }, "e a b e", gone, gone],
  ["a proof token is a witness", { proofs: "e", says: e }, "e a e", gone],
  ["nothing is proven without a witness", {}, "any? a any?", unproven],
  ["what was not found is not read in vain", { unfound: "a" }, "any? any?", unproven],
  ["it is read if there is a witness", { unfound: "a", found: "e", says: e }, "e a e", gone],
  ["an item that a read finds is there", { found: "e", says: { a: "found" } }, "e any? a", active],
  ["unless a read had not found it", { unfound: "a", changed: "d", says: { a: "found" } }, "a", later],
  ["whatever the response", { status: 422, says: { a: "found" } }, "any? a", active.replace("404", "422")],
  ["so is another application's", { found: "e", says: { a: "other" } }, "e any? a", "failed: other"],
  ["not if it refuses every request", { says: { a: "invalid" } }, "any? a", `${because} invalid`],
  ["a read that fails proves nothing", { found: "e", says: { a: "500", ...e } }, "e a", failing],
  ["nor does a gateway", { found: "e", says: { a: "gateway", ...e } }, "e a", gateway],
  ["a text without a form may be a part of a token", { absent: "abc", found: "e", says: e }, "", part],
  ["unless one was found", { absent: "abc", found: "def", says: { def: "found" } }, "def abc def", gone],
  ["or is the proof token", { absent: "abc", proofs: "def", says: { def: "found" } }, "def abc def", gone],
  ["after a witness that is absent, the next is asked", { found: "f e", says: f }, "e f a f", gone],
  ["five at most are asked at once", { found: "0 1 2 3 4 5" }, "5 4 3 2 1 a 0 any?", unproven],
  ["another application's is no witness", { found: "e", says: { e: "other" } }, "e any? a any?", unproven],
  ["the last one is replaced", { found: "e", spares: "f", says: f }, "e any? f f a f", gone],
  ["its replacement may be absent, too", { found: "e", spares: "f" }, "e any? f a any?", unproven],
  ["500 may pass, after a pause", { found: "e", says: { e: "500 found" } }, "e 5000ms e a e", gone],
  ["so may a broken connection", { found: "e", says: { e: "cut found" } }, "e 5000ms e a e", gone],
  ["and a short limit", { found: "e", says: { e: "limit found" } }, "e 5000ms e a e", gone],
  ["not a longer one", { found: "e", says: { e: "longer found" } }, "e", `${because} longer`],
  ["nor a refusal", { found: "e", says: { e: "forbidden found" } }, "e", `${because} forbidden`],
  ["a 404 to a change contradicts no others", flip, "e b a e", gone, active],
  ["unless one was accepted", { ...flip, changed: "d" }, "e b a e", others, active],
  ["a read does", { ...reads, ...flip, unfound: "a" }, "e b a e", others, later],
  ["there is no third question", { found: "e", says: { e: "500" } }, "e 5000ms e", failing],

  ["an outage: a read between two questions", { ...reads, found: "e", says: e }, "e a e", gone],
  ["one found since replaces the first", { ...reads, since: "e", says: e }, "a e", gone],
  ["what is found later has not failed", { ...reads, proofs: "e", says: both }, "e a", later],
  ["one before it is too few", { ...reads, proofs: "e", says: { e: "found 404" } }, "e a e any?", unproven],
  ["nor is one after it", { ...reads, proofs: "e", spares: "- f", says: f }, "e any? any? f f", unproven],
  ["without the first, no read", { ...reads, found: "e", says: { e: "500" } }, "e 5000ms e", failing],

  ["the account's list has a witness, which is read", { list: "e", says: e }, "list e a e", gone],
  ["it has two, of which one is there", { list: "f e", says: f }, "list e f a f", gone],
  ["it has one that is absent, too", { list: "e" }, "list e any? a list e any?", unproven],
  ["it has the item, which is there", { list: "a e", says: e }, "list e a e", active],
  ["it is empty, so nothing can be in it", { list: "" }, "list a list", gone],
  ["it shows nothing", { list: null }, "list any? a list any?", unproven],
  ["it is not read if a witness was found", { list: "e", found: "f", says: f }, "f a f", gone],
  ["suddenly it is empty", { list: "e|", says: { e: "found 404" } }, "list e a e list", unproven],
  ["what it lists needs no form", { absent: "12", list: "" }, "list 12 list", gone],
])("%s (%j)", async (...[, scene, asked, ...wanted]) => {
  const { verdicts, ...settled } = await settle(scene);
  const said = verdicts.map((verdict) =>
    verdict?.failure ? `${verdict.status}: ${verdict.failure.message}` : verdict?.status,
  );
  expect({ ...settled, said }).toEqual({ asked, isRejected: false, said: wanted });
});

describe.each(["authentication", "otp"])("after %s nothing is asked any more:", (kind) => {
  const word = kind === "otp" ? kind : "rejected";
  test.each<[words: string, scene: Scene, asked: string]>([
    ["by the first witness", { found: "e", says: { e: word } }, "e"],
    ["by the second read", { found: "e", says: { a: word, ...e } }, "e a b"],
    ["by the second witness", { found: "e", says: { e: `found ${word}` } }, "e a b c e"],
  ])("%s", async (_, scene, asked) => {
    const verdict = { status: "unproven", failure: { kind } };
    const settled = { asked, isRejected: true, verdicts: [verdict, verdict, verdict] };
    expect(await settle({ ...scene, absent: "a b c" })).toMatchObject(settled);
  });
});

const toComplete = /^If it is no token, .*--proof-token-file/;
test.each([
  ["a proof token, rather than credentials", hints.credentials, "a", "Prove it."],
  ["another hint, and a proof token", "Own.", "a", "Own. Prove it."],
  ["the whole of the token", undefined, "abc", expect.stringMatching(toComplete)],
])("the hint of what is unproven names %s", async (_, hint, name, wanted) => {
  const { proof } = proofOf({ traits: { howToProve: "Prove it." } });
  const item = whole(name);
  const { verdicts } = await proof.settle([{ item, failure: new Failure("not-found", "", { hint }) }]);
  expect(verdicts.get(item)?.failure).toMatchObject({ kind: "incomplete", details: { hint: wanted } });
});

const five = "404 404 404 404 404";
const witness = { proofs: "e", says: e };

test.each<[words: string, before: string, scene: Scene, asked: string]>([
  ["waits for the witness", five, witness, "e sent"],
  ["does so if one is another application's", "404 404 404 404 other", witness, "e sent"],
  ["without a witness reads its item", five, { says: { c: "found" } }, "c sent"],
  ["does so if the witness is absent, too", five, { proofs: "e", says: { c: "found" } }, "e c sent"],
  ["does so if the witness fails", five, { proofs: "e", says: { e: "500", c: "found" } }, "e c sent"],
  ["is not sent if that finds nothing", five, { proofs: "e" }, "e c 404"],
  ["is not sent if credentials are rejected", five, { proofs: "e", says: { e: "rejected" } }, "e rejected"],
  ["does not wait after four", "404 404 404 404", witness, "sent"],
  ["does not wait after another failure", "404 404 404 404 500", witness, "sent"],
  ["does not wait after a success", `${five} found`, witness, "sent"],
  ["waits after what any credentials could get", `${five} anyone`, witness, "e sent"],
  ["does not wait after a read that found it", five, { ...witness, since: "c" }, "sent"],
  ["does not wait in a job that ends with reads", five, { ...witness, ...reads }, "sent"],
])("after five absent items without a success, a change %s", async (_, before, scene, wanted) => {
  const { asked, readAll, change } = proofOf(scene);
  await Promise.all(wordsOf(before).map((word, index) => change(`${index}`, () => respond(word))));
  await readAll(scene.since, "found");
  const failure = await change("c", async () => `${asked.push("sent")}`);
  expect([...asked, ...(failure === null ? [] : [failure.message])].join(" ")).toBe(wanted);
});

test("changes in flight share one question; a settlement that proves nothing leads to the next", async () => {
  const { proof, asked, change } = proofOf({
    proofs: "e",
    says: { e: "500 500 500 found", c: "found", d: "found" },
  });
  const missAll = (names: string) =>
    Promise.all(wordsOf(names).map((name) => change(name, () => respond("404"))));
  const sendAll = (names: string) =>
    Promise.all(wordsOf(names).map((name) => change(name, async () => `${asked.push("sent")}`)));
  await missAll("1 2 3 4 5");
  await sendAll("c d");
  expect(asked.splice(0)).toEqual(["e", "c", "d", "sent", "sent"]);
  await proof.settle([{ item: whole("6"), failure: new Failure("not-found", "") }]);
  expect(asked.splice(0)).toEqual(["6", "e", "5000ms", "e"]);
  await missAll("1 2 3 4");
  await missAll("5");
  expect(asked).toEqual([]);
  await missAll("a");
  await sendAll("b");
  expect(asked.splice(0)).toEqual(["e", "sent"]);
  // Nothing is unproven.
  await proof.settle([{ item: whole("c"), failure: new Failure("not-found", "") }]);
  await missAll("1 2 3 4 5");
  await sendAll("b");
  expect(asked).toEqual(["c", "sent"]);
});
