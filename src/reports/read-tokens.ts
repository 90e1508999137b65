// The one reader of tokens: lines, JSON, scanners' findings, what is typed at a prompt, and proof files.
//
//   text -> items: lines, or the items of a JSON document (of one object a line as well)
//        -> a token each, or the finding of a tool (tools.ts)
//        -> the tokens, each once, with their places (places.ts), and what was left out and why
//
// Everything is checked before any of it is used: a text that is not exactly a token, sent to the server, would not be
// found, and would seem revoked. A message names the line or item and never repeats it, because it may be a secret.
import { usageFailure, type Failure } from "../errors/errors.ts";
import { exactText, isObject, parseJson } from "../json.ts";
import { hasKnownForm, knownFormsIn } from "../token.ts";
import { shownPlace, type Source } from "./places.ts";
import { findingOf, type Finding } from "./tools.ts";

export interface ReaderOptions {
  /** Also take findings of detectors for other vendors' secrets. */
  readonly allFindings: boolean;
  /** In characters. */
  readonly longestToken: number;
}

export interface Tokens {
  /** The scanner that made the report, in words; null for lines or JSON with tokens. */
  readonly report: string | null;
  /** Each once, in the order of the input. */
  readonly tokens: readonly string[];
  /** The number of lines, items or findings. */
  readonly count: number;
  /** Findings whose secret is no token, by their places. */
  readonly noTokens: readonly string[];
  /** Findings of detectors for other secrets, by the names of the detectors. */
  readonly otherDetectors: readonly string[];
  /** Findings of which only a part was taken. */
  readonly parts: readonly string[];
  readonly sourcesOf: (token: string) => readonly Source[];
  /** The place of a token that is too short to be named by its last characters. */
  readonly placeOf: (token: string) => string | null;
}

interface Item {
  readonly place: string;
  readonly value: unknown;
}

/** Reads all tokens. Throws a usage failure that names the first wrong line or item. */
export function readTokens(text: string, options: ReaderOptions): Tokens {
  const items = itemsOf(text);
  const [first] = items;
  const isReport = first !== undefined && findingOf(first.value) !== null;
  return isReport ? readFindings(items, options) : readPlain(items, options);
}

/** Reads exactly one token, as from a proof file or a prompt. `what` names it in messages. */
export function readOneToken(text: string, what: string, longestToken: number): string {
  const { tokens } = readTokens(text, { allFindings: true, longestToken });
  const [token, ...others] = tokens;
  if (token === undefined || others.length > 0)
    throw usageFailure(`${what} must be exactly one token`, "Put it alone into a file, or type it alone.");
  return token;
}

function readPlain(items: readonly Item[], { longestToken }: ReaderOptions): Tokens {
  const places = new Map<string, string>();
  for (const { place, value } of items) {
    const token = checkToken(plainText(value, place), place, longestToken);
    if (!places.has(token)) places.set(token, place);
  }
  return {
    report: null,
    tokens: [...places.keys()],
    count: items.length,
    noTokens: [],
    otherDetectors: [],
    parts: [],
    sourcesOf: () => [],
    placeOf: (token) => (token.length < 8 ? (places.get(token) ?? null) : null),
  };
}

function readFindings(items: readonly Item[], options: ReaderOptions): Tokens {
  const places = new Map<string, { readonly source: Source; readonly own: readonly string[] }[]>();
  const secrets = new Set<string>();
  const [noTokens, otherDetectors, parts]: [string[], string[], string[]] = [[], [], []];
  let report = "";
  for (const { place, value } of items) {
    const finding = findingOf(value);
    if (finding === null)
      throw usageFailure(`${place}: this is no finding, unlike the first item (${report})`, shapes);
    ({ report } = finding);
    const { secret, detector } = finding;
    if (secret === "" || isElided(secret))
      throw usageFailure(`${place}: the secret is redacted`, finding.howToGetSecrets);
    const taken = tokensOf(finding, options);
    for (const each of [secret, ...(taken ?? [])]) secrets.add(each);
    if (taken === null) otherDetectors.push(detector);
    else if (taken.length === 0) noTokens.push(place);
    else if (taken.length > 1 || taken[0] !== secret.trim()) parts.push(place);
    for (const token of taken ?? []) {
      const found = { source: finding.source, own: [secret, ...(taken ?? [])] };
      const others = places.get(token);
      if (others === undefined) places.set(token, [found]);
      else others.push(found);
    }
  }
  return {
    report,
    tokens: [...places.keys()],
    count: items.length,
    noTokens,
    otherDetectors,
    parts,
    sourcesOf: (token) =>
      (places.get(token) ?? []).map(({ source, own }) =>
        shownPlace(source, own, (text) => secrets.has(text)),
      ),
    placeOf: () => null,
  };
}

/** Detectors whose findings may be tokens of the server; those of other vendors' secrets are not sent to it. */
const ownDetectors = /^(?:generic|jwt|github|curl|http_|custom|oauth2?(?![a-z])|uri$)/i;

/** The tokens in the secret of a finding; null if it is of a detector for other secrets. */
function tokensOf(
  { secret, detector }: Finding,
  { allFindings, longestToken }: ReaderOptions,
): readonly string[] | null {
  const text = secret.trim();
  const inside = knownFormsIn(text);
  const prefixed = inside.filter((token) => /^gh[opsur]_|^github_pat_/.test(token));
  if (prefixed.length > 0) return prefixed;
  if (!allFindings && !ownDetectors.test(detector)) return null;
  // A private key, or another secret of several lines, has no token in it.
  if (/[\n\r]/.test(text)) return [];
  if (inside.length > 0) return inside;
  // Some rules of gitleaks include the full stop after the token.
  const whole = text.replace(/\.$/, "");
  return faultOf(whole, longestToken) === null && !/:\/\//.test(whole) ? [whole] : [];
}

/** Words that programs print in place of a missing value. */
const nothings = /^(?:null|none|nil|undefined|nan|true|false|\(null\)|<nil>|n\/a|-|\.|\.\.)$/i;

/** True for a secret of which something was left out. */
function isElided(text: string): boolean {
  return /\.{3}|\u2026|\*{3}|^\[.*\]$|^<.*>$|redacted/i.test(text);
}

/** Why a text is not exactly a token, with a hint; null if it may be one. */
function faultOf(text: string, longest: number): readonly [fault: string, hint?: string] | null {
  if (text === "") return ["the token is empty"];
  if (text.length > longest) return ["this is too long for a token"];
  if (/^(["'`]).*\1$/.test(text))
    return ["the token is in quotes, which are not part of it", "Use jq -r to print it without them."];
  if (!/^[\x21-\x7e]+$/.test(text))
    return ["this is not a token: it contains a space, a control character or non-ASCII text"];
  if (nothings.test(text))
    return [
      "this is no token, but what a program prints for a missing one",
      "jq -r prints null if a field is missing. Check the input.",
    ];
  if (hasKnownForm(text)) return null;
  if (isElided(text)) return ["the token is shortened or redacted"];
  // As in the line of a diff: +ghp_…
  const core = text.replaceAll(/^[^A-Za-z0-9]+|[^A-Za-z0-9]+$/g, "");
  if (otherText.test(text) || knownFormsIn(text).length > 0 || hasKnownForm(core))
    return [
      "there is other text around the token: a quote, a comma, a bracket, an assignment or an address",
      "Give one token per line and nothing else, or JSON with a field token.",
    ];
  return null;
}

/** What no token contains, but a quoted text, a row of a table, an assignment or an address does. */
const otherText = /["'`,;\\<>()[\]{}|*]|:\/\/|=[^=]|\.$/;

function checkToken(text: string, place: string, longest: number): string {
  const fault = faultOf(text, longest);
  if (fault === null) return text;
  throw usageFailure(`${place}: ${fault[0]}`, fault[1]);
}

const shapes =
  "Pass the JSON that the tool itself prints: trufflehog --json, gitleaks --report-format json, or the secret scanning alerts of GitHub's API.";

/** The text of a line, or of an item of JSON with a token. */
function plainText(value: unknown, place: string): string {
  const token = isObject(value) ? value["token"] : value;
  if (token === null)
    throw usageFailure(`${place}: the field token is null`, "Remove the rows without a token.");
  const text = exactText(token);
  if (text !== null) return text;
  throw usageFailure(`${place}: this has no field token, and is not a supported finding`, shapes);
}

/** The items of the input: those of a JSON document, or its lines. */
function itemsOf(text: string): readonly Item[] {
  const trimmed = text.trim();
  if (trimmed === "") return [];
  if (!/^[[{]/.test(trimmed) && trimmed !== "null") return linesOf(text);
  const document = parseOrUndefined(trimmed);
  if (document !== undefined) return itemsOfDocument(document);
  if (trimmed.startsWith("["))
    throw usageFailure(
      "the input is not valid JSON, or was cut off",
      "Several documents in a row become one with `jq -s`.",
    );
  return linesOf(text).map(({ place, value }) => {
    const parsed = parseOrUndefined(String(value));
    if (parsed !== undefined) return { place, value: parsed };
    const hint = value === "{" ? "Pass one object per line, as printed by jq -c, or an array." : undefined;
    throw usageFailure(`${place}: this is not valid JSON`, hint);
  });
}

function linesOf(text: string): readonly Item[] {
  const lines = text.split(/\r\n|\r|\n/);
  if (text.startsWith("RuleID,Commit,File,"))
    throw usageFailure("line 1: this is a gitleaks report in CSV, which is not supported", shapes);
  return lines.flatMap((line, index) =>
    line.trim() === "" ? [] : [{ place: `line ${index + 1}`, value: line.trim() }],
  );
}

/** The items of a document: an array, also of pages, an object with a list, one object, or `null` for none. */
function itemsOfDocument(document: unknown): readonly Item[] {
  if (document === null) return [];
  if (isObject(document)) {
    refuseOtherReports(document);
    const list = document["tokens"] ?? document["findings"] ?? document["Findings"];
    if (Array.isArray(list)) return numbered(list);
    // The answer of a token endpoint (RFC 6749, 5.1).
    const issued = [document["access_token"], document["refresh_token"]].filter(
      (token) => token !== undefined && token !== null,
    );
    if (issued.length > 0) return numbered(issued);
    return [{ place: "item 1", value: document }];
  }
  const items = document as readonly unknown[];
  for (const item of items) if (isObject(item)) refuseOtherReports(item);
  return numbered(items.every(Array.isArray) ? items.flat() : items);
}

const numbered = (values: readonly unknown[]): readonly Item[] =>
  values.map((value, index) => ({ place: `item ${index + 1}`, value }));

/** Reports in a format that names the tool, but is not read. */
function refuseOtherReports(document: Readonly<Record<string, unknown>>): void {
  const { runs, $schema: schema, vulnerabilities, Results: results } = document;
  if (Array.isArray(runs) || (typeof schema === "string" && schema.includes("sarif")))
    throw unsupported("SARIF", "gitleaks --report-format json, trufflehog --json");
  if (Array.isArray(vulnerabilities)) throw unsupported("a GitLab report", "gitleaks --report-format json");
  if (Array.isArray(results)) throw unsupported("a Trivy report", "trufflehog --json");
}

function unsupported(what: string, instead: string): Failure {
  return usageFailure(`this is ${what}, which is not read`, `Use what the tool prints with: ${instead}.`);
}

function parseOrUndefined(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}
