// The rules of an audit: what each finds in an item, what it lets pass, and what it cannot judge.
import { expect, test } from "vitest";
import { rankedRows, type AuditRow, type Item } from "../../src/audit/rows.ts";
import { defaultRules, notJudged, parseRule, type Surroundings } from "../../src/audit/rules.ts";
import { thrownFailure } from "../support/thrown-failure.ts";

const now = Date.parse("2026-11-24T18:00:00Z");
const days = (count: number): string => new Date(now + count * 86_400_000).toISOString();

/** An authorization in which no rule finds anything. */
const fine: Item = {
  resource: "authorization",
  id: 1,
  name: "n",
  client_id: "c",
  note: "n",
  scopes: ["gist"],
  access: "write",
  created_at: days(-10),
  updated_at: days(-10),
  expires_at: days(90),
  isInUse: false,
};
const old = { created_at: days(-99) };
const grant = { resource: "grant", note: undefined, expires_at: undefined } as const;

type More = Partial<Item> & { readonly earlier?: Partial<AuditRow> | null | undefined };

const noDate = (field: string): string => `cannot be judged: no readable date: ${field}`;
const [noScopes, noExpiry, noNote] = ["no scopes reported", "no readable expiry", "no note reported"].map(
  (missing) => `cannot be judged: ${missing}`,
);

test.each<[rule: string, words: string, more: More, measure: string | null | undefined]>([
  ["new", "finds what the earlier audit did not have", { earlier: undefined }, "new"],
  ["new", "passes what it had", { earlier: {} }, null],
  ["new", "passes all without an earlier audit", { earlier: null }, null],
  ["widened", "names the new scopes", { scopes: ["a", "b", "c"], earlier: { scopes: ["b"] } }, "gained a, c"],
  ["widened", "passes fewer scopes", { scopes: ["a"], earlier: { scopes: ["b", "a"] } }, null],
  ["widened", "passes what was not there", { earlier: undefined }, null],
  ["widened", "cannot judge without scopes", { scopes: null, earlier: { scopes: [] } }, noScopes],
  ["widened", "cannot judge without those of before", { earlier: { scopes: null } }, noScopes],

  ["scope=Admin:*", "names what matches", { scopes: ["admin:org", "gist", "ADMIN:"] }, "admin:org, ADMIN:"],
  ["scope=admin:*", "matches the whole scope", { scopes: ["xadmin:org", "admin"] }, null],
  ["scope=admin:*", "cannot judge without scopes", { scopes: null }, noScopes],
  ["scope=a.b*c", "takes all but * as it is", { scopes: ["axbc"] }, null],
  ["scope=a.b*c", "matches any text for *", { scopes: ["a.bc", "a.b\nc", "a.bcd"] }, "a.bc, a.b\nc"],

  ["older-than=10d", "finds an older one", { created_at: days(-11.9) }, "11 days old"],
  ["older-than=10d", "passes one of that age", { created_at: days(-10) }, null],
  ["older-than=10d", "passes a grant whose tokens are judged", { ...grant, ...old }, null],
  ["older-than=10d", "judges another grant", { ...grant, ...old, client_id: "x" }, "99 days old"],
  ["older-than=10d", "cannot judge without a date", { created_at: null }, noDate("created_at")],
  ["older-than=10d", "cannot judge another form", { created_at: "2026-13-45" }, noDate("created_at")],
  ["not-updated-for=2w", "finds one, however old it is", { updated_at: days(-15) }, "updated 15 days ago"],
  ["not-updated-for=2w", "passes an old one that was updated", old, null],
  ["not-updated-for=2w", "cannot judge without a date", { updated_at: null }, noDate("updated_at")],

  ["no-expiry", "finds one that never expires", { expires_at: null }, "never expires"],
  ["no-expiry", "passes one that expires", {}, null],
  ["no-expiry", "passes a grant", { ...grant, expires_at: null }, null],
  ["no-expiry", "cannot judge without a report", { expires_at: undefined }, noExpiry],
  ["no-expiry", "cannot judge another form", { expires_at: "never" }, noExpiry],

  ["expires-within=30d", "finds one of the last day", { expires_at: days(30) }, "expires in 30 days"],
  ["expires-within=30d", "passes one that expires later", { expires_at: days(30.1) }, null],
  ["expires-within=30d", "finds one that expires now", { expires_at: days(0) }, "expired 0 days ago"],
  ["expires-within=30d", "finds one that has expired", { expires_at: days(-1.5) }, "expired 1 day ago"],
  ["expires-within=30d", "passes one that never expires", { expires_at: null }, null],
  ["expires-within=30d", "passes a grant", grant, null],
  ["expires-within=30d", "cannot judge without a report", { expires_at: undefined }, noExpiry],
  ["duplicate-note", "finds one other", { note: "twice" }, "same note as 1 other"],
  ["duplicate-note", "counts the others", { note: "thrice" }, "same note as 2 others"],
  ["duplicate-note", "passes a note of its own", {}, null],
  ["duplicate-note", "passes one without a note", { note: null }, null],
  ["duplicate-note", "passes a grant, which has none", grant, null],
  ["duplicate-note", "cannot judge without a report", { note: undefined }, noNote],

  ["no-note", "finds one without a note", { note: null }, "no note"],
  ["no-note", "passes an empty note", { note: "" }, null],
  ["no-note", "passes a grant", { ...grant, note: null }, null],
  ["no-note", "cannot judge without a report", { note: undefined }, noNote],
])("%s %s", (rule, _, { earlier, ...more }, measure) => {
  const surroundings: Surroundings = {
    now,
    earlierOf: () => earlier as AuditRow | undefined | null,
    notes: new Map(Object.entries({ n: 1, twice: 2, thrice: 3 })),
    applications: new Set(["c"]),
  };
  const found = parseRule(rule).judge({ ...fine, ...more }, surroundings);
  expect(found instanceof Object ? notJudged(found.missing) : found).toBe(measure);
});

test.each(["scope", "scope=", "new=1", "no-note=", "toString", "constructor=x", "", "older", "=1y"])(
  "%j is no rule",
  async (text) => {
    const { kind, details } = await thrownFailure(() => parseRule(text));
    expect(kind).toBe("usage");
    expect(details.hint).toMatch(/^The rules are new, .* and no-note\.$/);
  },
);

test("an access is no scope, and an age must be one", async () => {
  expect(await thrownFailure(() => parseRule("scope=admin"))).toMatchObject({ kind: "usage" });
  expect((await thrownFailure(() => parseRule("older-than=1"))).message).toMatch(/^older-than must be/);
});

test.each<[words: string, more: Partial<Item>, severity: number]>([
  ["nothing is found", {}, 0],
  ["grantctl uses it, and nothing is found", { isInUse: true }, 0],
  ["a finding is worth a look", { note: null }, 1],
  ["a finding is a reason to end the access", { note: null, scopes: ["repo"] }, 2],
  ["that finding could not be judged", { scopes: null }, 1],
])("the severity if %s", (_, more, severity) => {
  const rules = ["scope=repo", "no-note"].map(parseRule);
  const judged = rankedRows([{ ...fine, ...more }], rules, { now, earlierOf: () => null }, (line) => line);
  expect(judged).toMatchObject([{ severity }]);
});

test("what changed comes first, then what is to be deleted, the most findings and the broadest access", () => {
  const rules = ["new", "scope=repo", "no-note"].map(parseRule);
  const repo = { ...fine, scopes: ["repo"] };
  const rows = [
    { ...fine, isInUse: true, scopes: ["repo"] },
    fine,
    { ...fine, access: "admin" } as const,
    { ...fine, note: null },
    repo,
    { ...repo, note: null },
    fine,
  ].map((item, id) => ({ ...item, id, client_id: `${id}` }));
  const compared = { now, earlierOf: ({ id }: Item) => (id === 6 ? undefined : null) };
  const judged = rankedRows(rows, rules, compared, (line) => line);
  expect(judged.map(({ row }) => row.id)).toEqual([6, 5, 4, 3, 2, 0, 1]);
});

const namesOf = (...more: Parameters<typeof defaultRules>) => defaultRules(...more).map(({ name }) => name);

test.each([
  ["compares only with an earlier audit", false, ["new", "widened"]],
  ["looks at expiry only if the server reports it", true, ["no-expiry", "expires-within"]],
])("without --fail-on, an audit %s", (_, compared, names) => {
  const all = namesOf(true, [fine]);
  const less = namesOf(compared, [compared ? { ...fine, expires_at: null } : fine]);
  expect(all.filter((name) => !less.includes(name))).toEqual(names);
});
