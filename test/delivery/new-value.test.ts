// New tokens: what a kept response says, and that no two items get the same one.
import { expect, test } from "vitest";
import { createClaims, readNewToken } from "../../src/delivery/new-value.ts";
import { Failure } from "../../src/errors/errors.ts";
import type { EntryHandle } from "../../src/jobs/item-runner.ts";
import type { Entry } from "../../src/jobs/journal.ts";
import { hashOf } from "../../src/token.ts";
import { authorizationJson, tokenValue } from "../support/resources.ts";

const token = tokenValue(1);
const encode = (text: string): string => Buffer.from(text).toString("base64");
const response = (changes: object = {}): string => JSON.stringify(authorizationJson({ token, ...changes }));
const isOther = (): never => {
  throw new TypeError("another request's");
};

const cutOff = `{"id":7,"token":"${token}","no`;

test.each<[words: string, text: string | undefined, token: object | null, check?: typeof isOther]>([
  ["a whole response has all fields", response(), { id: 42, token, note: "nightly backup" }],
  ["none has no token", undefined, null],
  ["one with a placeholder has none", response({ token: "****" }), null],
  ["one that was cut off has the token and the ID", cutOff, { id: 7, token }],
  ["also one with escapes", String.raw`{"token":"ab\/cd\u002bef","no`, { id: null, token: "ab/cd+ef" }],
  ["or the token alone", `{"token":"${token}","id":7,"no`, { id: null, token }],
  ["so has one that is no authorization", response({ scopes: 1 }), { id: 42, token }],
  ["one that does not fit its request has no token", response(), null, isOther],
  ["one that was cut off cannot be compared", cutOff, { id: 7, token }, isOther],
])("%s", async (_, text, wanted, check) => {
  const read = await readNewToken(text === undefined ? text : encode(text), check);
  expect({ read }).toMatchObject({ read: wanted });
});

/** An entry of an earlier run whose response has this token, with the ID 7. */
const body = encode(`{"id":7,"token":"${token}"}`);
const earlier = (key: string, state: Entry["state"]): Entry => ({ key, state, body });

/** Claims tokens, as item:number:ID, in turn; resolves with what became of each. `old`: the end of the old tokens. */
async function claimAll(claims: ReturnType<typeof createClaims>, text: string, old?: string) {
  const said: string[] = [];
  for (const [key, number, id] of text.split(" ").map((each) => each.split(":"))) {
    const value = number === "0" ? "12345678" : tokenValue(Number(number));
    const made = { token: value, id: id ? Number(id) : null };
    // A disk that is full does not change what is said.
    const mark = async ({ state }: Partial<Entry>) => {
      said.push(state ?? "");
      throw new Failure("usage", "disk full");
    };
    const entry = { key, latest: () => ({ last_eight: old }), mark } as unknown as EntryHandle;
    const claimed = await claims.claim(made, entry).catch(({ kind }: Failure) => kind);
    said.push(claimed === made ? "its own" : JSON.stringify(claimed));
  }
  return said.join(" ");
}

const refused = 'sent "unknown"';
const answered = [earlier("b", "answered")];
const both = [earlier("a", "done"), earlier("b", "answered")];

test.each<[words: string, made: string, said: string, taken?: string[], entries?: Entry[], old?: string]>([
  ["that no other has, and again", "a:1:7 b:2:8 a:1:7", "its own its own its own"],
  ["not with the value of another", "a:1:7 b:1:8", `its own ${refused}`],
  ["not with the ID of another", "a:1:7 b:2:7", `its own ${refused}`],
  ["also without an ID", "a:1 b:2", "its own its own"],
  ["not with a value that is to be changed", "a:1:7", refused, [hashOf(token)]],
  ["not with an ID that is to be changed", "a:1:7", refused, ["7"]],
  ["not with what an earlier run got for another", "a:1:8", refused, [], answered],
  ["nor with its ID", "a:2:7", refused, [], answered],
  ["nor with an old one that it got for the same", "b:1:8", refused, [hashOf(token)], answered],
  ["but with what it got for the same", "b:1:7", "its own", [], answered],
  ["and with what fits no item", "a:1:7", "its own", [], [earlier("b", "sent")]],
  ["or is known not to fit", "a:1:7", "its own", [], [{ ...earlier("b", "answered"), is_unfit: true }]],
  ["with the ID in a response that was refused", "a:1:7 b:2:7", `${refused} its own`, [hashOf(token)]],
  ["that was delivered to it, whoever else got it", "a:1:7", "its own", [], both],
  ["not with its own old one", "a:1:7", refused, [], [], "00000001"],
  ["of eight characters, whose last four show nothing", "a:0:7", "its own", [], [], "5678"],
])("an item gets a new token %s", async (...[, made, said, taken = [], entries = [], old]) => {
  const claims = createClaims(taken, new Map(entries.map((entry) => [entry.key, entry])));
  expect(await claimAll(claims, made, old)).toBe(said);
});

test("an ID is another's if another item got it, or if it is to be changed", () => {
  const claims = createClaims(["5"], new Map([["b", earlier("b", "answered")]]));
  const isOfOther = (id: string, key: string): boolean => claims.isOfOther(id, { key } as EntryHandle);
  expect([isOfOther("7", "a"), isOfOther("5", "a")]).toEqual([true, true]);
  expect([isOfOther("7", "b"), isOfOther("9", "a")]).toEqual([false, false]);
});
