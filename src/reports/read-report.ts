// Reads tokens from plain lines, JSON with a `token`, or the report of a secret scanner.
//
//   bytes -> records (records.ts) -> findings of a tool (tools.ts) -> tokens (token-types.ts) and places (sources.ts)
//
// The first record decides the format, and all others must have the same. The whole input is checked before any of it
// is used. A message names a wrong record by its line or index and never repeats it, because it may be a secret.
// Findings that cannot be tokens are left out and counted, so that the caller can report them.
import { isFailure, usageFailure, type Failure } from "../errors/errors.ts";
import type { Refusal } from "../files/decode-text.ts";
import { parseBareToken, parseToken } from "../jobs/parse-token.ts";
import { itemText } from "../jobs/read-items.ts";
import { isObject, parseJson } from "../json/exact-json.ts";
import { createRecordReader, textPieces, type TextRecord } from "./records.ts";
import { createSourceKeeper, type TokenSources } from "./sources.ts";
import { isPrefixed, otherKindOf, tokensIn } from "./token-types.ts";
import { isRedacted, readFinding, toolOf, type Finding, type ScannerTool } from "./tools.ts";

/** Less than the capacity of a Map, and more than any account has. */
const mostTokens = 10_000_000;

export interface ReportOptions {
  /** True to leave out findings of detectors for other types of secrets. */
  readonly skipsOtherKinds: boolean;
  readonly longestToken: number;
  /** Makes the failure for an input that cannot be read as text. */
  readonly refuse: Refusal;
}

export interface Findings {
  /** The scanner that made the report; null for plain lines or JSON with a token. */
  readonly tool: ScannerTool | null;
  /** The tokens, each once, in the order of their first places. */
  readonly tokens: readonly string[];
  /** The total number of lines, items or findings. */
  readonly count: number;
  /** The findings whose secret cannot be a token, such as a private key. */
  readonly noTokens: LeftOut;
  /** The findings of detectors for other types of secrets. */
  readonly otherKinds: LeftOut;
  /** The place of each token that is too short to be named by its last characters, as `line 3`. */
  readonly shortTokens: ReadonlyMap<string, string>;
  /** The places of a token in the report; none without a report. */
  readonly sourcesOf: (token: string) => TokenSources;
}

export interface LeftOut {
  readonly count: number;
  /** The first of them, as `item 3`. */
  readonly places: readonly string[];
  /** The types of these secrets, if known. */
  readonly kinds: readonly string[];
}

/** Reads all tokens while the bytes arrive. Throws a usage failure that names the first wrong line or item. */
export async function readReport(bytes: AsyncIterable<Buffer>, options: ReportOptions): Promise<Findings> {
  const records = createRecordReader();
  const collected = createCollection(options);
  for await (const piece of textPieces(bytes, options.refuse)) {
    for (const record of records.add(piece)) collected.add(record);
  }
  for (const record of records.end()) collected.add(record);
  const findings = collected.findings();
  if (findings.count > 0 || records.isArray()) return findings;
  // An empty input is a mistake: a scanner that failed prints nothing.
  throw usageFailure("the list of tokens is empty");
}

function createCollection({ skipsOtherKinds, longestToken }: ReportOptions) {
  const sources = createSourceKeeper();
  const noTokens = createLeftOut();
  const otherKinds = createLeftOut();
  /** Decided by the first record; undefined until then. */
  let tool: ScannerTool | null | undefined;
  const shortTokens = new Map<string, string>();
  let count = 0;
  const bad: BadLine[] = [];

  const note = (token: string, source: Finding["source"] | null, where: string): void => {
    sources.add(token, source);
    if (token.length < 8 && !shortTokens.has(token)) shortTokens.set(token, placeOf(where));
    if (sources.count() > mostTokens)
      throw usageFailure(
        `${where}the list has more than ${mostTokens} items`,
        "Split it into smaller parts.",
      );
  };

  const addFinding = (scanner: ScannerTool, value: unknown, where: string): void => {
    const other = toolOf(value);
    if (other !== scanner) throw formatMismatch(scanner, other, where);
    const finding = readFinding(scanner, value);
    if (isRedacted(finding.secret)) {
      throw usageFailure(`${where}the secret is redacted`, scanner.howToGetSecrets);
    }
    sources.addSecret(finding.secret);
    const kind = skipsOtherKinds ? otherKindOf(finding.detector) : null;
    if (kind !== null) {
      otherKinds.add(where, kind);
      return;
    }
    const { tokens, isWhole } = tokensOf(finding.secret, longestToken);
    if (!isWhole) noTokens.add(where, null);
    for (const token of tokens) note(token, finding.source, where);
  };

  return {
    add({ where, text, isInPage }: TextRecord): void {
      if (text === "") return;
      count += 1;
      const value = where.startsWith("item") || text.startsWith("{") ? parse(text, where) : text;
      if (tool === undefined) tool = toolOf(value);
      if (tool === null && isInPage) {
        throw usageFailure(`${where}an array of pages can contain only findings, not tokens`, shapesHint);
      }
      if (tool !== null) {
        addFinding(tool, value, where);
        return;
      }
      const plain = plainToken(value, text, where);
      let token: string;
      try {
        token = checkPlain(plain, value === text, where, longestToken);
      } catch (error) {
        if (!isFailure(error)) throw error;
        // Reported at the end, with the other wrong lines.
        bad.push({ place: placeOf(where), failure: error });
        if (bad.length === mostBad) throw refusalOf(bad);
        return;
      }
      note(token, null, where);
    },
    findings: (): Findings => {
      if (bad.length > 0) throw refusalOf(bad);
      return {
        tool: tool ?? null,
        tokens: sources.tokens(),
        count,
        noTokens: noTokens.whole(),
        otherKinds: otherKinds.whole(),
        shortTokens,
        sourcesOf: (token) => sources.of(token),
      };
    },
  };
}

interface BadLine {
  readonly place: string;
  readonly failure: Failure;
}

/** The failure of the first bad line, with the places of the others. */
function refusalOf([first, ...others]: readonly BadLine[]): Error {
  if (first === undefined) return new TypeError("no line is wrong");
  const { failure } = first;
  if (others.length === 0) return failure;
  const more = others.length + 1 === mostBad ? ", and perhaps more" : "";
  return failure.with(
    {},
    `${failure.marked}; also wrong: ${others.map(({ place }) => place).join(", ")}${more}`,
  );
}

/** The place that prefixes a message (`line 3: `), without its punctuation. */
function placeOf(where: string): string {
  return where.replace(/: $/, "");
}

/** Reading stops after this many wrong lines: the input is something other than a list of tokens. */
const mostBad = 10;

/** The maximum number of places to list; the rest are only counted. */
const mostNamed = 10;

function createLeftOut(): { add(where: string, kind: string | null): void; whole(): LeftOut } {
  const places: string[] = [];
  const kinds = new Set<string>();
  let count = 0;
  return {
    add(where, kind) {
      count += 1;
      if (places.length < mostNamed) places.push(placeOf(where));
      if (kind !== null) kinds.add(kind);
    },
    whole: () => ({ count, places, kinds: [...kinds] }),
  };
}

/**
 * The tokens in the secret of a finding, and whether the secret contains nothing else. A secret with line breaks, such
 * as a private key, is not a token, and its lines are not either: only text with a token prefix is taken from it.
 */
function tokensOf(
  found: string,
  longest: number,
): { readonly tokens: readonly string[]; readonly isWhole: boolean } {
  const secret = found.trim();
  const inside = tokensIn(secret);
  if (/[\n\r\v\f\u0085\u2028\u2029]/.test(secret)) {
    const tokens = inside.filter(isPrefixed);
    return { tokens, isWhole: tokens.length > 0 && tokens.length === inside.length };
  }
  // Some rules of gitleaks include the full stop after the token.
  const tokens =
    inside.length > 0 ? inside : [secret.replace(/\.$/, "")].filter((word) => canBeToken(word, longest));
  return { tokens, isWhole: tokens.length > 0 };
}

const shapesHint =
  "Pass the JSON that the tool itself prints: trufflehog --json, gitleaks --report-format json, or the secret scanning alerts of GitHub's API.";

/** The failure for a record whose format differs from the first one's; null stands for a format of no tool. */
function formatMismatch(expected: ScannerTool | null, found: ScannerTool | null, where: string): Error {
  const is = found === null ? "not a supported finding" : `of a ${found.report}`;
  const rest = expected === null ? "plain list of tokens" : expected.report;
  return usageFailure(`${where}this is ${is}, unlike the first record (${rest})`, shapesHint);
}

function parse(text: string, where: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The first line of an object that jq has printed over several lines.
    const hint = text === "{" ? "Pass one object per line, as printed by jq -c, or an array." : undefined;
    throw usageFailure(`${where}this is not valid JSON`, hint);
  }
}

function checkPlain(token: string | null, isBare: boolean, where: string, longest: number): string {
  if (token === null)
    throw usageFailure(`${where}the field token is null`, "Remove the rows without a token.");
  if (token !== "" && isRedacted(token)) throw usageFailure(`${where}the token is redacted`);
  return isBare ? parseBareToken(token, where, longest) : parseToken(token, where, longest);
}

/** The beginning of a report that gitleaks writes with --report-format csv. */
const headOfTable = "RuleID,Commit,File,";

/**
 * The token of a plain line, an array item or an object; the digits of a number; null for an object whose token is
 * null. Throws if the input as a whole is not a list of tokens.
 */
function plainToken(value: unknown, text: string, where: string): string | null {
  // CSV lines contain no spaces, so each would be mistaken for a token and sent.
  if (typeof value === "string" && value.startsWith(headOfTable))
    throw usageFailure(`${where}this is a gitleaks report in CSV, which is not supported`, shapesHint);
  if (typeof value === "string") return value;
  if (typeof value === "number") return itemText(parseJson(text)) ?? "";
  const tool = toolOf(value);
  if (tool !== null) throw formatMismatch(null, tool, where);
  const token = isObject(value) && Object.hasOwn(value, "token") ? value["token"] : null;
  if (typeof token === "string") return token;
  if (typeof token === "number") return itemText((parseJson(text) as { token: unknown }).token) ?? "";
  if (isObject(value) && value["token"] === null) return null;
  throw usageFailure(`${where}the object has no field token, and is not a supported finding`, shapesHint);
}

/**
 * True if a secret may be sent as a token, although it has none of GitHub's formats: a report also contains other
 * secrets, such as multi-line keys, URLs and connection strings.
 */
function canBeToken(secret: string, longest: number): boolean {
  if (/:\/\/|;/.test(secret)) return false;
  try {
    parseToken(secret, "", longest);
    return true;
  } catch {
    return false;
  }
}
