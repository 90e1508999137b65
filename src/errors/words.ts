// Text of messages: counts, lists, times, shortened texts, errors of the operating system, and typed words, which a message
// repeats unless they may be tokens.
import { getSystemErrorMap } from "node:util";
import { usageFailure } from "./errors.ts";

/** A number and its noun, which has an s unless the number is 1: `2 findings`. */
export function counted(count: number, noun: string): string {
  return `${withCommas(count)} ${noun}${count === 1 ? "" : "s"}`;
}

export function capitalised(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

/** A whole number with thousands separators. Not Intl, whose first use loads all locale data. */
export function withCommas(count: number): string {
  return String(count).replaceAll(/\B(?=(?:\d{3})+$)/g, ",");
}

/** A moment in ISO 8601, without fractions of a second. */
export function isoTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace(/\.\d+Z$/, "Z");
}

/** A moment as a person writes it, in UTC: `2026-01-31 12:00:00`. */
export function spacedTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 19).replace("T", " ");
}

/** The beginning of the IDs of runs that begin at this moment (milliseconds since the epoch): YYYYMMDD-HHMMSS, in UTC. */
export function stampOf(moment: number): string {
  return new Date(moment).toISOString().slice(0, 19).replaceAll(/[-:]/g, "").replace("T", "-");
}

/** About a dozen lines of a terminal. */
const longestMessage = 1000;

/** Secrets must be redacted first: the redactor does not recognise half of one. */
export function shorten(text: string, longest = longestMessage): string {
  return text.length <= longest ? text : `${text.slice(0, longest)}…`;
}

/** No token of a known service is shorter. */
const shortestToken = 20;

/** True for a typed word that may be a token, which no message repeats. Text with spaces and names of files are none. */
export function mayBeToken(word: string): boolean {
  // The signature of a JWT is longer than an extension.
  const isFile = /^(?:\.{1,2}|~)?\//.test(word) || /\.\w{1,5}$/.test(word);
  return !isFile && word.split(/[\s/\\]/).some((part) => part.length >= shortestToken);
}

/** A typed word as a message may repeat it. */
export function typedWord(word: string): string {
  return mayBeToken(word) ? "(not shown: it may be a token)" : word;
}

/** Words joined as in `a, b or c`. */
export function joinOr(words: readonly string[]): string {
  return joinWords(words, "or");
}

/** Words joined as in `a, b and c`. */
export function joinAnd(words: readonly string[]): string {
  return joinWords(words, "and");
}

function joinWords(words: readonly string[], conjunction: string): string {
  const last = words.at(-1) ?? "";
  return words.length < 2 ? last : `${words.slice(0, -1).join(", ")} ${conjunction} ${last}`;
}

/** Maximum number of items to name; the rest are only counted. */
export const mostNamed = 10;

/** At most ten phrases, and how many are left out. */
export function nameTen(phrases: readonly string[]): string {
  const named = phrases.slice(0, mostNamed).join(", ");
  const left = phrases.length - mostNamed;
  return left > 0 ? `${named}, and ${withCommas(left)} more` : named;
}

/** The meaning of an error code of the operating system; an unknown code is returned unchanged. */
export function systemErrorText(code: string): string {
  return [...getSystemErrorMap().values()].find(([name]) => name === code)?.[1] ?? code;
}

/** The system's error as a usage failure; any other error as it is. */
export function systemFailure(error: unknown, what: string, hint?: string): unknown {
  const { code, message } = error as { readonly code?: string | null; readonly message: string };
  return code === undefined
    ? error
    : usageFailure(`${what} (${code === null ? message : systemErrorText(code)})`, hint);
}
