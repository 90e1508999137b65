// What a record says to a later run: the fate of each item, what is left of the job, and whether --resume goes on with it.
import { expect, test } from "vitest";
import { canResume, fateOf, hasChanged, leftOf, taskOf } from "../../src/jobs/leftover.ts";

type Contents = Parameters<typeof leftOf>[0];
type Head = NonNullable<Contents["head"]>;
type Entry = NonNullable<Parameters<typeof fateOf>[0]>;

const key = "i";
const body = Buffer.from('{"token":"0123456789abcdef0123456789abcdef01234567"}').toString("base64");
const sent: Entry = { key, state: "sent" };
const answered: Entry = { key, state: "answered" };
const unchanged: Entry = { key, state: "unchanged" };
const done: Entry = { key, state: "done" };
const kept: Entry = { ...answered, body };
const token: Entry = { ...answered, id: "7" };
const ineffective: Entry = { ...unchanged, effect_unseen: true };

test.each<[words: string, entry: Entry | undefined, fate: ReturnType<typeof fateOf>]>([
  ["an item that no request was about is untouched", undefined, "untouched"],
  ["so is one that its request did not change", unchanged, "untouched"],
  ["a revocation that had no effect is ineffective", ineffective, "ineffective"],
  ["a request without a response may have done anything", sent, "unknown"],
  ["so may one whose response has no body", answered, "unknown"],
  ["or a body without a value", { ...answered, body: Buffer.from("{}").toString("base64") }, "unknown"],
  ["or a value that may be another item's", { ...sent, body }, "unknown"],
  ["or one in a response to another request", { ...kept, is_unfit: true }, "unknown"],
  ["a value that its receiver has not taken is kept", kept, "kept"],
  ["a rotation whose value its receiver has is delivered", { ...kept, was_delivered: true }, "delivered"],
  ["a token without a kept value is there until it is deleted", token, "token"],
  ["so it is when its command has ended", { ...token, state: "ended" }, "token"],
  ["an item that is done is done", { ...done, body }, "done"],
  ["also if its value is to be given again", { ...done, body, to_redeliver: true }, "done"],
  ["a revocation that could not be verified is accepted", { ...done, effect_unseen: true }, "accepted"],
  ["what is proven to be gone is gone, whatever came before", { ...sent, gone: true }, "gone"],
  ["also after a revocation without effect", { ...ineffective, gone: true }, "gone"],
])("%s (%j)", (_, entry, fate) => expect(fateOf(entry)).toBe(fate));

const delivered: Entry = { ...kept, was_delivered: true };

/** The tasks of a reset whose values go to a command and to a file, and of a rotation, in both cases. */
test.each<[entry: Entry | undefined, reset: string, rotation: string]>([
  [undefined, "change change", "change change"],
  [sent, "change change", "change change"],
  [ineffective, "change change", "change change"],
  [kept, "deliver deliver", "change change"],
  [delivered, "deliver deliver", "change change"],
  [{ ...delivered, old_is_gone: true }, "deliver deliver", "deliver deliver"],
  [{ ...done, body }, "skip deliver", "skip deliver"],
  [{ ...done, body, to_redeliver: true }, "deliver deliver", "deliver deliver"],
  [done, "skip skip", "skip skip"],
  [{ ...done, body, gone: true }, "skip skip", "skip skip"],
])("what a resumed run does after %j", (entry, reset, rotation) => {
  const tasks = (["reset", "rotate"] as const).map((operation) =>
    [{ toCommand: "take" }, {}].map((receiver) => taskOf(operation, entry, receiver)).join(" "),
  );
  expect(tasks).toEqual([reset, rotation]);
});

/** A record with an item for each of these. */
function record(operation: Head["operation"], ...each: readonly (Entry | undefined)[]): Contents {
  const keys = each.map((_, index) => String(index));
  const entries = new Map<string, Entry>();
  for (const [index, entry] of each.entries()) if (entry !== undefined) entries.set(String(index), entry);
  const about = { argv: [], server: "", requester: "", created_at: "" };
  return { head: { ...about, version: 2, operation, keys }, entries, fault: null };
}

const none = undefined;
const again: Entry = { ...done, body, to_redeliver: true };
const damaged: Contents = { ...record("reset", unchanged), fault: "damaged" };
const foreign: Contents = { head: null, entries: new Map(), fault: "other-version" };

test.each<[words: string, Contents, left: ReturnType<typeof leftOf>, changed: boolean, resumes: boolean]>([
  ["a value comes before all else", record("reset", sent, token, kept), "value", true, true],
  ["so does one that did not fit", record("reset", { ...kept, is_unfit: true }), "value", true, true],
  ["a token comes before unknown outcomes", record("run", sent, token), "token", true, false],
  ["a lost response is unknown", record("revoke", done, sent, none), "unknown", true, true],
  ["a job that has begun is unfinished", record("revoke", done, none), "unfinished", true, true],
  ["a revocation without effect is unfinished", record("revoke", ineffective), "unfinished", true, true],
  ["a job that is over leaves nothing", record("reset", { ...done, body }), null, true, false],
  ["a value that is to be given again is left", record("reset", again), "value", true, false],
  ["a job that changed nothing leaves nothing", record("revoke", unchanged, none), null, false, true],
  ["a job that sent nothing leaves nothing", record("revoke", none), null, false, true],
  ["a creation is not resumed", record("create", none, done), null, true, false],
  ["a creation keeps its value", record("create", kept), "value", true, false],
  ["a damaged record may have changed anything", damaged, "damaged", true, true],
  ["a record of another version is not resumed", foreign, "other-version", true, false],
])("%s", (_, contents, left, changed, resumes) => {
  const said = { left: leftOf(contents), changed: hasChanged(contents), resumes: canResume(contents) };
  expect(said).toEqual({ left, changed, resumes });
});
