// What a later run does about the token of a creation: it deletes the one that it must be, and names one that it may be.
import { expect, test } from "vitest";
import type { Failure } from "../../src/errors/errors.ts";
import type { Creation, Entry } from "../../src/jobs/journal.ts";
import { endLeftToken } from "../../src/jobs/left-token.ts";
import { connectTo, makeAnswer } from "../http/doubles.ts";
import { authorizationJson } from "../support/resources.ts";

const plain: Creation = { client_id: null, note: "n", fingerprint: null };
const unique: Creation = { ...plain, fingerprint: "f", unique: "fingerprint" };
const noted: Creation = { ...plain, unique: "note" };
const ofApp: Creation = { ...plain, client_id: "c" };
const token = { app: null, note: "n", fingerprint: "" };
const marked = { ...token, fingerprint: "f" };
const named = "authorization 8, which has the same note and fingerprint";
const soon = "may still take effect";
const lacking = "lack what is compared";

type Entries = Partial<Entry> & { readonly isRecorded?: boolean };
const paged = { paging: () => ({ limit: null, concurrency: 1 }) };
const answer = (fields: Shown, id: number) => (fields === null ? [] : [authorizationJson({ id, ...fields })]);
type Shown = Readonly<Record<string, unknown>> | null;

test.each<[words: string, Creation | undefined, Entries, byId: Shown, listed: Shown, said: string]>([
  ["nothing is known of it", undefined, {}, null, null, "does not say what was created"],
  ["its ID shows it", unique, { id: "7" }, marked, null, "7 deleted"],
  ["at a server without fingerprints, too", unique, { id: "7" }, token, null, "7 deleted"],
  ["its ID is another's", plain, { id: "7" }, { note: "x" }, null, "7, which differs from the request"],
  ["its ID is nobody's", unique, { id: "7" }, null, marked, "8 deleted"],
  ["without a mark, the ID must do", plain, { id: "7" }, null, token, "7 deleted"],
  ["its fingerprint is in the list", unique, {}, null, { ...marked, note: "x" }, "8 deleted"],
  ["its random note is", noted, {}, null, token, "8 deleted"],
  ["the record knows that one", unique, { isRecorded: true }, null, marked, named],
  ["one like it is in the list", plain, {}, null, token, named],
  ["one of another application is not", ofApp, {}, null, token, "not-found"],
  ["one with another note is not", plain, {}, null, { ...token, note: "x" }, "not-found"],
  ["it may come a minute after its time limit", plain, { until: "2026-11-21T10:00:01Z" }, null, null, soon],
  ["nobody knows when", plain, { until: "later" }, null, null, soon],
  ["an entry has no note", plain, {}, null, { note: undefined }, lacking],
  ["an entry may have any fingerprint", plain, {}, null, { fingerprint: undefined }, lacking],
  ["an entry may be of any application", ofApp, {}, null, { app: undefined }, lacking],
  ["so may one whose application shows no ID", ofApp, {}, null, { app: { name: "a", url: "" } }, lacking],
  ["an entry has no fingerprint, and its note", unique, {}, null, token, lacking],
])("%s (%j)", async (_, creation, { isRecorded = false, ...entry }, byId, listed, said) => {
  const deleted: string[] = [];
  const service = connectTo(async ({ method, target: { path } }) => {
    if (method === "DELETE") return (deleted.push(path.slice(-1)), makeAnswer(204, ""));
    if (path.includes("?")) return makeAnswer(200, path.includes("page=2") ? [] : answer(listed, 8));
    const [found] = answer(byId, 7);
    return found === undefined ? makeAnswer(404) : makeAnswer(200, found);
  });
  const host = { now: () => Date.parse("2026-11-21T10:01:00Z") };
  const all = { until: "2026-11-21T10:00:00Z", ...(creation && { creation }), ...entry };
  const context = { host, ...paged, server: { connections: {} } } as never;
  const end = await endLeftToken(service, all, context, () => isRecorded).catch(
    ({ message }: Failure) => message,
  );
  expect([...deleted, end].join(" ")).toContain(said);
});
