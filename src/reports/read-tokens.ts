// The one reader of tokens: lines, JSON, scanners' findings, what is typed at a prompt, and proof files.
//
//   text -> items: lines, or the items of a JSON document (of one object a line as well)
//        -> a token each, or the finding of a tool (scanners.ts)
//        -> the tokens, each once, with their places (scanners.ts), and what was left out and why
//
// Everything is checked before any of it is used: a text that is not exactly a token, sent to the server, would not be
// found, and would seem revoked. A message names the line or item and never repeats it, because it may be a secret.
import { usageFailure } from "../errors/errors.ts";
import { exactText, isObject, readUniqueJson } from "../json.ts";
import { hasKnownForm, isOfGitHub, kindOf, knownFormsIn } from "../token.ts";
import { fieldInAnyCase, findingOf, ownRules, shownPlace } from "./scanners.ts";
import type { ScanFinding, Source } from "./scanners.ts";

interface ReaderOptions {
  /** Also take findings of rules for other vendors' secrets. */
  readonly allFindings: boolean;
  /** In characters. */
  readonly longestToken: number;
  /** Only GitHub's tokens are taken from a report. */
  readonly isGithub?: boolean;
}

export interface Tokens {
  /** The scanner that made the report; null for lines or JSON with tokens. */
  readonly scanner: string | null;
  /** Each once, in the order of the input. */
  readonly tokens: readonly string[];
  /** The number of lines, items or findings. */
  readonly count: number;
  /** Findings whose secret is no token, by their places. */
  readonly noTokens: readonly string[];
  /** Findings of rules for other secrets, by the names of the rules. */
  readonly otherRules: readonly string[];
  /** Findings of which only a part was taken. */
  readonly parts: readonly string[];
  readonly sourcesOf: (token: string) => readonly Source[];
}

interface Item {
  readonly place: string;
  readonly value: unknown;
}

/** Reads all tokens. Throws a usage failure that names the first wrong line or item. */
export function readTokens(text: string, options: ReaderOptions): Tokens {
  const items = itemsOf(text);
  /** Each token, with the findings that have it. */
  const found = new Map<string, ScanFinding[]>();
  const secrets = new Set<string>();
  const [noTokens, otherRules, parts]: [string[], string[], string[]] = [[], [], []];
  let scanner: string | null = null;
  let count = items.length;
  const add = (token: string, ...findings: readonly ScanFinding[]): void => {
    const list = found.get(token) ?? [];
    list.push(...findings);
    found.set(token, list);
    secrets.add(token);
  };
  for (const { place, value } of items) {
    const finding = findingOf(value);
    if (finding === null) {
      const texts = plainTexts(value, place);
      count += texts.length - 1;
      for (const each of texts) {
        const fault = faultOf(each, options.longestToken);
        if (fault !== null) throw usageFailure(`${place}: ${fault}`, shapes);
        add(each);
      }
      continue;
    }
    scanner ??= finding.source.tool;
    const { secret } = finding;
    if (redacted.test(secret)) throw usageFailure(`${place}: the secret is redacted`, howToGetSecrets);
    secrets.add(secret);
    const tokens = tokensOf(finding, options);
    if (tokens === null) otherRules.push(finding.source.rule ?? "");
    else if (tokens.length === 0) noTokens.push(place);
    else {
      if (tokens.length > 1 || tokens[0] !== secret.trim()) parts.push(place);
      for (const token of tokens) add(token, finding);
    }
  }
  return {
    scanner,
    tokens: [...found.keys()],
    count,
    noTokens,
    otherRules,
    parts,
    sourcesOf: (token) =>
      (found.get(token) ?? []).map(({ source, secret }) =>
        shownPlace(source, [secret, token], (word) => secrets.has(word)),
      ),
  };
}

/** Reads exactly one token, as from a proof file or a prompt. `what` names it in messages. */
export function readOneToken(text: string, what: string, longestToken: number): string {
  const { tokens } = readTokens(text, { allFindings: true, longestToken });
  const [token, ...others] = tokens;
  if (token === undefined || others.length > 0)
    throw usageFailure(`${what} must be exactly one token`, "Put it alone into a file, or type it alone.");
  return token;
}

/** The tokens in the secret of a finding; null if its rule is for other secrets. A token of GitHub is one under any rule. */
function tokensOf({ secret, source }: ScanFinding, { allFindings, longestToken, isGithub }: ReaderOptions) {
  const text = secret.trim();
  const inside = text.startsWith("-----BEGIN ") ? [] : knownFormsIn(text);
  const prefixed = inside.filter((token) => kindOf(token) !== null);
  if (prefixed.length > 0) return prefixed;
  if (!allFindings && !ownRules.test(source.rule ?? "")) return null;
  // Some rules of gitleaks include the full stop after the token.
  const whole = text.replace(/\.$/, "");
  const tokens = inside.length > 0 || faultOf(whole, longestToken) !== null ? inside : [whole];
  return tokens.filter((token) => isGithub !== true || isOfGitHub(token));
}

/** Words that programs print in place of a missing value. */
const nothings = /^(?:|null|none|nil|undefined|nan|true|false|\(null\)|<nil>|n\/a|-|\.|\.\.)$/i;

/** What a scanner writes in place of a secret. A placeholder in a source file is no token either, but no reason to stop. */
const redacted = /^$|^\*+$|^redacted$/i;

const howToGetSecrets =
  "Make the report with the secrets in it: trufflehog --json, gitleaks without --redact, or GitHub's alerts without hide_secret.";

/** A text of which something was left out, or a placeholder. */
const elided = /\.{3}|\u2026|\*{3}|^\[.*\]$|^<.*>$|redacted/i;

/** What no token contains, but a quoted text, a row of a table, an assignment or an address does. */
const otherText = /["'`,;\\<>()[\]{}|*]|:\/\/|=[^=]|\.$/;

/** Why a text is not exactly a token; null if it may be one. */
function faultOf(text: string, longest: number): string | null {
  if (text.length > longest) return "this is too long for a token";
  if (nothings.test(text) || elided.test(text))
    return "this is no token, but markup, or what a program prints for a missing or redacted one";
  if (!/^[\x21-\x7e]+$/.test(text))
    return "this is not a token: it contains a space, a control character or non-ASCII text";
  if (hasKnownForm(text)) return null;
  // As in the line of a diff: +ghp_…
  const core = text.replaceAll(/^[^A-Za-z0-9]+|[^A-Za-z0-9]+$/g, "");
  return otherText.test(text) || knownFormsIn(text).length > 0 || hasKnownForm(core)
    ? "there is other text around the token: a quote, a comma, a bracket, an assignment or an address"
    : null;
}

const shapes =
  "Pass one token per line and nothing else (`jq -r` prints them so), JSON with a field `token`, or the JSON that a scanner itself prints: trufflehog --json, gitleaks --report-format json, or the secret scanning alerts of GitHub's API.";

/** Reports that are not read, by their field. */
const otherReports = { runs: "SARIF", vulnerabilities: "a GitLab report", Results: "a Trivy report" };

/** The text of a line, of an item of JSON with a token, or of what a token endpoint issued (RFC 6749, 5.1). */
function plainTexts(value: unknown, place: string): readonly string[] {
  const values = isObject(value) ? [value["token"], value["access_token"], value["refresh_token"]] : [value];
  if (values.some((each) => (each ?? null) !== null && exactText(each) === null) && isObject(value))
    throw usageFailure(`${place}: a field with a token is not text`, shapes);
  const texts = values.flatMap((each) => exactText(each) ?? []);
  if (texts.length > 0) return texts;
  if (isObject(value) && value["token"] === null)
    throw usageFailure(`${place}: the field token is null`, "Remove the rows without a token.");
  const [, other = null] =
    Object.entries(otherReports).find(([field]) => isObject(value) && field in value) ?? [];
  throw usageFailure(
    other === null
      ? `${place}: this has no field token, and is not a supported finding`
      : `this is ${other}, which is not read`,
    shapes,
  );
}

function itemsOf(text: string): readonly Item[] {
  const trimmed = text.trim();
  if (trimmed !== "null" && !/^[[{]/.test(trimmed)) return linesOf(text);
  const document = parseOrUndefined(trimmed);
  if (document !== undefined) return itemsOfDocument(document);
  if (trimmed.startsWith("["))
    throw usageFailure(
      "the input is not valid JSON, or was cut off",
      "Several documents in a row become one with `jq -s .`.",
    );
  return linesOf(text).map(({ place, value }) => {
    const parsed = parseOrUndefined(String(value));
    if (parsed !== undefined) return { place, value: parsed };
    throw usageFailure(`${place}: this is not valid JSON`, "`jq -c` prints one object per line.");
  });
}

function linesOf(text: string): readonly Item[] {
  return text
    .split(/\r\n|\r|\n/)
    .map((line, index) => ({ place: `line ${index + 1}`, value: line.trim() }))
    .filter(({ value }) => value !== "");
}

/** The items of a document: an array, also of pages or reports, an object with a list, one object, or `null` for none. */
function itemsOfDocument(document: unknown): readonly Item[] {
  const list = isObject(document) ? (document["tokens"] ?? fieldInAnyCase(document, "findings")) : document;
  if (isObject(document) && list !== undefined && "token" in document)
    throw usageFailure("the input has a token beside its list", shapes);
  const values = Array.isArray(list) ? list : document === null ? [] : [document];
  return values.flat().map((value: unknown, index) => ({ place: `item ${index + 1}`, value }));
}

function parseOrUndefined(text: string): unknown {
  try {
    return readUniqueJson(Buffer.from(text));
  } catch (error) {
    if (error instanceof TypeError)
      throw usageFailure(`an object of the input has two values: ${error.message}`, shapes);
    return undefined;
  }
}
