// The one reader of tokens: what it takes from each kind of input, what it leaves out and says, and what it rejects.
import { readFileSync } from "node:fs";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Failure } from "../../src/errors/errors.ts";
import { readTokens, type Tokens } from "../../src/reports/read-tokens.ts";
import { githubAlert, gitleaksFinding, lines, trufflehogFinding } from "./reports.ts";

const read = (text: string, allFindings = false): Tokens =>
  readTokens(text, { allFindings, longestToken: 128 * 1024 });

/** The message of the failure, with its hint; "" for none. */
function refusal(text: string): string {
  try {
    read(text);
    return "";
  } catch (error) {
    if (!(error instanceof Failure) || error.kind !== "usage") throw error;
    return `${error.message}: ${error.details.hint ?? ""}`;
  }
}

const hex = "0a1b2c3d4e".repeat(4);
const ghp = `ghp_${"aB3".repeat(12)}`;
const uuid = "3f2b8c1e-0d4a-4b6c-9e8f-5c7da5d98e24";
const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
const jwt = `${encode({ alg: "HS256" })}.${encode({ groups: "g".repeat(13_000) })}.${Buffer.alloc(32, 7).toString("base64url")}`;

const smallJwt = `${encode({ alg: "HS256" })}.${encode({ sub: "x" })}.${Buffer.alloc(32, 7).toString("base64url")}`;

describe("takes", () => {
  test.each<[string, string, readonly string[]]>([
    ["lines, each token once", `\uFEFF${hex}\r\n\n  ${uuid}\n${hex}\n`.slice(1), [hex, uuid]],
    ["a JWT of 18,000 characters", jwt, [jwt]],
    ["a token with base64 padding", "c2VjcmV0IHRva2Vu==", ["c2VjcmV0IHRva2Vu=="]],
    ["an array of tokens", JSON.stringify([hex, uuid]), [hex, uuid]],
    ["objects with a token", JSON.stringify([{ token: hex, id: 1 }]), [hex]],
    ["one object a line", `{"token":"${hex}"}\n{"token":"${uuid}"}\n`, [hex, uuid]],
    ["a list under tokens", JSON.stringify({ tokens: [hex, { token: uuid }] }), [hex, uuid]],
    [
      "answers of a token endpoint",
      lines([{ access_token: jwt, token_type: "Bearer", refresh_token: uuid }, { access_token: hex }]),
      [jwt, uuid, hex],
    ],
    ["null, as a job of none", "null\n", []],
    ["an empty array, as a job of none", "[]", []],
    ["a gitleaks report", JSON.stringify([gitleaksFinding(hex), gitleaksFinding(uuid)]), [hex, uuid]],
    [
      "fields in lower case, under findings",
      JSON.stringify({ findings: [{ rule_id: "generic-api-key", secret: hex, file: "a" }] }),
      [hex],
    ],
    ["a trufflehog report", lines([trufflehogFinding(hex), trufflehogFinding(ghp)]), [hex, ghp]],
    ["alerts of GitHub, also as pages", JSON.stringify([[githubAlert(ghp)], [githubAlert(hex)]]), [ghp, hex]],
    ["several reports", JSON.stringify([[gitleaksFinding(hex)], trufflehogFinding(ghp)]), [hex, ghp]],
    [
      "the token of a finding that is an assignment",
      JSON.stringify([gitleaksFinding(`ACCESS_TOKEN=${uuid}`)]),
      [uuid],
    ],
    [
      "the token of a URL with a login",
      JSON.stringify([gitleaksFinding(`https://x-access-token:${ghp}@git.example.com/a`)]),
      [ghp],
    ],
    [
      "the JWT of a header",
      JSON.stringify([{ ...gitleaksFinding(`Authorization: Bearer ${jwt}`), RuleID: "jwt" }]),
      [jwt],
    ],
    [
      "a token of GitHub from any detector",
      JSON.stringify([{ ...gitleaksFinding(ghp), RuleID: "aws-access-token" }]),
      [ghp],
    ],
  ])("%s", (_, text, tokens) => {
    expect(read(text).tokens).toEqual(tokens);
  });

  test("all of a real report of gitleaks, with its places", () => {
    const found = read(readFileSync(new URL("made-by-gitleaks/report.json", import.meta.url), "utf8"));
    expect([found.scanner, found.count, found.noTokens]).toEqual(["gitleaks", 5, []]);
    expect(found.tokens).toContain("ghp_1234567890abcdefGHIJKLMNOPqrstuvwx12");
    for (const token of found.tokens) expect(found.sourcesOf(token)[0]).toMatchObject({ tool: "gitleaks" });
  });
});

describe("rejects, with the line", () => {
  test.each([
    [`+${ghp}`, /line 2: there is other text/],
    [`xx${ghp}`, /line 2: there is other text/],
    [`x-access-token:${ghp}`, /line 2: there is other text/],
    [`x-access-token:${jwt}`, /line 2: there is other text/],
    [`ci/${jwt}`, /line 2: there is other text/],
    [`ACCESS_TOKEN=${uuid}`, /line 2: there is other text/],
    [`${uuid},`, /line 2: there is other text/],
    [`42,ci,${hex}`, /line 2: there is other text/],
    [`https://a.test/cb#access_token=${hex}`, /line 2: there is other text/],
    ["3f2b8c1e...a5d98e24", /line 2: this is no token, but markup, or what a program prints/],
    ["****************", /line 2: this is no token, but markup, or what a program prints/],
    ["None", /line 2: this is no token, but markup, or what a program prints/],
    [`"${hex}"`, /line 2: there is other text/],
    [`token ${hex}`, /line 2: this is not a token: it contains a space/],
    [`${hex}\u00a0`, /^$/],
    [`${hex}é`, /line 2: this is not a token/],
    ["a".repeat(140_000), /line 2: this is too long/],
  ])("%.60s", (line, message) => {
    const said = refusal(`${hex}\n${line}\n`);
    expect(said).toMatch(message);
    expect(said).not.toContain(ghp);
    expect(said).not.toContain(uuid);
  });
});

test.each([
  ['[{"token":null}]', /item 1: the field token is null/],
  ['{"id":1}', /no field token/],
  ["[1,", /not valid JSON/],
  ['{\n"token": 1,', /line 1: this is not valid JSON.*jq -c/],
  ['{"version":"2.1.0","runs":[\n{"tool":{"driver":{"name":"gitleaks"}}}\n]}', /SARIF.*--report-format json/],
  ['{"version":"15","vulnerabilities":[]}', /GitLab/],
  ['{"Results":[]}', /Trivy.*trufflehog --json/],
  ["RuleID,Commit,File,SymlinkFile\ngeneric,abc,f,", /line 1: .*gitleaks --report-format json/],
  [JSON.stringify([gitleaksFinding("REDACTED")]), /item 1: the secret is redacted.*without --redact/],
])("%s is refused", (text, message) => {
  expect(refusal(text)).toMatch(message);
});

const rule = (RuleID: string, secret: string) => ({ ...gitleaksFinding(secret), RuleID });

test("leaves out findings of rules for other secrets, and what is no token", () => {
  const other = rule("aws-access-token", "AKIAIOSFODNN7EXAMPLE");
  const key = gitleaksFinding(`-----BEGIN KEY-----\n${hex}\n-----END KEY-----`);
  const placeholders = ["<your-token>", "0a1b2c3...", "[token]"].map((text) => gitleaksFinding(text));
  const own = rule("acme-oauth-token", uuid);
  const found = read(JSON.stringify([other, key, gitleaksFinding(hex), ...placeholders, own]));
  expect([found.tokens, found.otherRules]).toEqual([[hex], ["aws-access-token", "acme-oauth-token"]]);
  expect(found.noTokens).toEqual(["item 2", "item 4", "item 5", "item 6"]);
  expect(read(JSON.stringify([other, own]), true).tokens).toEqual(["AKIAIOSFODNN7EXAMPLE", uuid]);
  const texts = [`T=${uuid}`, `token ${hex}\n-H x`].map((text) => gitleaksFinding(text));
  expect(read(JSON.stringify(texts)).parts).toEqual(["item 1", "item 2"]);
});

test.each([
  [0, { RuleID: "gitlab-oauth-app-secret" }],
  [0, { DetectorName: "GoogleOauth2" }],
  [0, { DetectorName: "CustomRegex" }],
  [1, { RuleID: "oauth2-token" }],
] as const)("tokens: %s in %o", (count, finding) => {
  const found = read(JSON.stringify([{ ...finding, Secret: "abcdefghijklmnop", Raw: "abcdefghijklmnop" }]));
  expect([found.tokens.length, found.otherRules.length]).toEqual([count, 1 - count]);
});

test.each([
  `{"token":"${hex}","token":"${uuid}"}`,
  `{"tokens":["${hex}"],"token":"${uuid}"}`,
  `{"token":"${hex}","access_token":["${uuid}"]}`,
])("no token of the input is dropped: %s", (input) => {
  expect(() => read(input)).toThrow(/twice|beside|not text/);
});

test("places show neither the secret, nor other tokens, nor the login of a URL", () => {
  const finding = { ...gitleaksFinding(hex, `dir/${hex}.txt`), Link: `https://me:pw@git.test/${ghp}/blob` };
  const [source] = read(JSON.stringify([finding])).sourcesOf(hex);
  expect(source).toMatchObject({ file: "dir/(the token).txt", url: "https://git.test/[secret]/blob" });
});

test("no part of an active token, and nothing around it, is read as a token", () => {
  fc.assert(
    fc.property(
      fc.constantFrom(ghp, hex, uuid, smallJwt),
      fc.string({ unit: fc.constantFrom(..."+:=,;#/\"'<>(){}[] ".split("")), minLength: 1, maxLength: 3 }),
      fc.boolean(),
      (token, added, isBefore) => {
        const text = isBefore ? `${added}${token}` : `${token}${added}`;
        fc.pre(text.trim() !== token && !/^[[{]/.test(text.trim()));
        expect(refusal(text)).not.toBe("");
      },
    ),
  );
});
