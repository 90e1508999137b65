// The shape of what a command prints follows the command, never the count or the outcomes; its exit code follows the
// outcomes. D is an item that is done, N one that is proven not to be there, R one that the server refuses.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { authorizationJson, checkedJson, grantJson, tokenValue } from "../support/resources.ts";
import { json, on, plain, type ServedRequest } from "../support/serve.ts";
import { test } from "../support/grantctl.ts";

const tokenFields =
  "token_last_eight status id note app scopes login created_at updated_at expires_at sources reason";
const inspectFields = "token_last_eight status login scopes client_id expires_at kind sources reason";
const resetFields = "token_last_eight_before token_last_eight id login token status reason";
const rotationFields = "id_before id note token_last_eight token status reason";
const deletionFields = "id status name reason";

interface Case {
  readonly words: string;
  readonly fields: string;
  /** The statuses of D, N and R; without one, the command has no such outcome. */
  readonly statuses: Readonly<Partial<Record<string, string>>>;
  readonly takes: "tokens" | "ids";
  /** Proven gone is done: a deletion or revocation. */
  readonly isGoneDone?: true;
  /** One item is the bare value in text, and several are JSON lines. */
  readonly isValue?: true;
  readonly serverType?: string;
}

const revocation = { fields: tokenFields, takes: "tokens", isGoneDone: true } as const;
const revocationStatuses = { D: "revoked", N: "not-found", R: "failed" };
const deletion = {
  fields: deletionFields,
  statuses: { D: "deleted", N: "not-found", R: "failed" },
  takes: "ids",
  isGoneDone: true,
} as const;

const cases: readonly Case[] = [
  {
    words: "token check",
    fields: tokenFields,
    statuses: { D: "active", N: "not-found", R: "failed" },
    takes: "tokens",
  },
  { words: "token revoke --yes", ...revocation, statuses: revocationStatuses },
  { words: "token revoke-grant --yes", ...revocation, statuses: revocationStatuses },
  {
    words: "token reset --yes",
    fields: resetFields,
    statuses: { D: "reset", N: "not-found", R: "failed" },
    takes: "tokens",
    isValue: true,
  },
  {
    words: "token report --yes",
    fields: tokenFields,
    statuses: { D: "accepted", R: "failed" },
    takes: "tokens",
    serverType: "github",
  },
  {
    words: "token inspect",
    fields: inspectFields,
    statuses: { D: "active", N: "inactive", R: "unknown" },
    takes: "tokens",
  },
  {
    words: "authorization identify",
    fields: tokenFields,
    statuses: { D: "active", N: "not-found" },
    takes: "tokens",
  },
  { words: "grant delete --yes", ...deletion },
  { words: "authorization delete --yes", ...deletion },
  {
    words: "authorization rotate --yes",
    fields: rotationFields,
    statuses: { D: "rotated", N: "not-found", R: "failed" },
    takes: "ids",
    isValue: true,
  },
];

const mixes = ["D", "DD", "N", "NN", "R", "RR", "DN", "ND", "DR", "NR", "DNR"];

/** The number of an item: 11 is the first of those that are done, 21 and 31 of the others. */
const numbersOf = (mix: string): readonly number[] =>
  mix.split("").map((kind, at) => 10 * ("DNR".indexOf(kind) + 1) + at);
const proof = 19;
const kindOf = (text: string): string => "DNR"[Number(/(\d)\d$/.exec(text)?.[1]) - 1] ?? "";
const made = (number: number): string => tokenValue(number + 500);
const personal = { url: "", name: "personal", client_id: "0".repeat(20) };

/** The code that the contract has for these outcomes. */
function expectedCode({ isGoneDone, statuses }: Case, mix: string): number {
  const kinds = new Set(mix);
  if (kinds.size === 1 && kinds.has("R") && statuses["R"] !== undefined) return 1;
  if (kinds.size === 1 && kinds.has("N")) return isGoneDone === true ? 0 : 3;
  const isDone = isGoneDone === true ? !kinds.has("R") : mix.replaceAll("D", "") === "";
  return isDone ? 0 : 9;
}

const missing = { message: "Not Found" };
const refusal = { message: "Not for you." };

/** Does as asked with the items that are done, and refuses others. */
function answer(request: ServedRequest): Response {
  const { method, path, headers, body } = request;
  const [place = ""] = path.split("?");
  const last = place.split("/").at(-1) ?? "";
  const number = Number(/\d+$/.exec(last)?.[0]);
  if (place === "/user") {
    const token = headers.authorization ?? "";
    const kind = kindOf(token);
    if (kind === "N") return json(401, { message: "Bad credentials" });
    return kind === "R" ? json(403, refusal) : json(200, { login: "octavia" });
  }
  if (place === "/credentials/revoke") return /3\d"/.test(body) ? json(422, refusal) : json(202, {});
  if (place === "/authorizations" && method === "POST") {
    const { note } = JSON.parse(body) as { readonly note: string };
    const old = Number(/note (\d+)/.exec(note)?.[1]);
    if (kindOf(String(old)) === "R") return json(403, refusal);
    return json(
      201,
      authorizationJson({ id: old + 500, token: made(old), note, app: personal, fingerprint: null }),
    );
  }
  if (place === "/authorizations" && /[?&]page=2/.test(request.path)) return json(200, []);
  if (place === "/authorizations")
    return json(
      200,
      [...numbersOf("DDD"), proof].map((id) => authorizationJson({ id, token: tokenValue(id) })),
    );
  if (place === "/applications/grants") return json(200, [grantJson({ id: proof })]);
  const kind = kindOf(last);
  if (kind === "N") return json(404, missing);
  if (kind === "R" && (method !== "GET" || place.includes("/tokens/"))) return json(403, refusal);
  if (method === "DELETE") return plain(204);
  if (place.includes("/tokens/"))
    return json(200, checkedJson(method === "POST" ? made(number) : tokenValue(number), { id: number }));
  if (place.includes("/grants/")) return json(200, grantJson({ id: number }));
  const sent = method === "PATCH" ? (JSON.parse(body) as object) : { note: `note ${number}` };
  return json(200, authorizationJson({ id: number, app: personal, fingerprint: null, ...sent }));
}

describe.each(cases)("$words", (each) => {
  const { words, fields, statuses, takes, isValue = false, serverType } = each;
  // A report is accepted or refused as a whole.
  const isPossible = (mix: string): boolean =>
    mix.split("").every((kind) => statuses[kind] !== undefined) &&
    (serverType === undefined || new Set(mix).size === 1);
  test.for(mixes.filter(isPossible))("%s", async (mix, { grantctl, serve, folder }) => {
    await serve(on("ALL /*", answer));
    const proofFile = join(folder, "proof.txt");
    writeFileSync(proofFile, tokenValue(proof), { mode: 0o600 });
    const numbers = numbersOf(mix);
    const hasProof = /^token (?:check|re[sv])/.test(words);
    const run = async (flags: string) => {
      const asked = [words, flags, "--concurrency 1", hasProof ? `--proof-token-file ${proofFile}` : ""];
      const all = [...asked, takes === "ids" ? numbers.join(" ") : ""].join(" ");
      return grantctl(all, {
        input: takes === "ids" ? "" : numbers.map((number) => `${tokenValue(number)}\n`).join(""),
        environment: serverType === undefined ? {} : { GRANTCTL_SERVER_TYPE: serverType },
      });
    };
    const code = expectedCode(each, mix);
    const inJson = await run("--json");
    const rows = JSON.parse(inJson.stdout) as readonly Record<string, unknown>[];
    expect(Array.isArray(rows)).toBe(true);
    for (const row of rows) expect(Object.keys(row).toSorted()).toEqual(fields.split(" ").toSorted());
    const expected = mix.split("").map((kind) => statuses[kind]);
    // A rotation is told as soon as its value is delivered, and what vouches for others is changed last.
    expect(rows.map(({ status }) => String(status)).toSorted()).toEqual(expected.map(String).toSorted());
    expect(inJson.code).toBe(code);

    const csv = await run("--format csv");
    const [header = "", ...records] = csv.stdout.trimEnd().split("\r\n");
    expect(header).toMatch(/^[A-Z]/);
    expect(records).toHaveLength(mix.length);
    for (const record of records) expect(cellsOf(record)).toBe(cellsOf(header));
    expect(csv.code).toBe(code);

    const piped = await run("");
    const lines = piped.stdout.split("\n").filter((line) => line !== "");
    expect(piped.code).toBe(code);
    const bare = mix === "D" ? [made(numbers[0] ?? 0)] : [];
    const cells = lines.map((line) =>
      isValue && mix.length > 1 ? Object.keys(JSON.parse(line) as object).length : line.split("\t").length,
    );
    const columns = isValue ? fields.split(" ").length : cellsOf(header);
    const isBare = isValue && mix.length === 1;
    expect(isBare ? lines : cells).toEqual(isBare ? bare : mix.split("").map(() => columns));
  });
});

/** The number of cells of a csv record. */
function cellsOf(record: string): number {
  return record.replaceAll(/"(?:[^"]|"")*"/g, "").split(",").length;
}
