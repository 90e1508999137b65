// Finds where the items of a JSON text begin and end, and what one pass over them shows. The result is right only for
// JSON, which known-shape.ts or JSON.parse has to prove.
import { deepest } from "./exact-json.ts";

/** The place of an item in its page, with what the pass over the page showed of it. */
export interface Span {
  readonly start: number;
  readonly end: number;
  /** How many names it has, those inside of it included. */
  readonly names: number;
  /** Whether it has no white space outside of its texts. */
  readonly isTight: boolean;
  /** Whether a number in it may be written otherwise by a double. */
  readonly mayLoseDigits: boolean;
}

const quote = 0x22;
const comma = 0x2c;
const minus = 0x2d;
const colon = 0x3a;

/**
 * Where items are that stand `level` levels deep, at most `most` of them: 1 for those of an array, 0 for the whole. Where
 * the text is not JSON the spans mean nothing. Throws a SyntaxError for what is nested too deep.
 */
export function findItems(text: string, level: number, most = Infinity): readonly Span[] {
  const spans: Span[] = [];
  let depth = 0;
  let start = -1;
  /** Behind what was read last. */
  let end = 0;
  let names = 0;
  let isTight = true;
  let mayLoseDigits = false;
  const finish = (): void => {
    if (start !== -1) spans.push({ start, end, names, isTight, mayLoseDigits });
    start = -1;
    names = 0;
    isTight = true;
    mayLoseDigits = false;
  };
  for (let at = 0; at < text.length; at += 1) {
    const sign = text.charCodeAt(at);
    if (isBlank(sign)) continue;
    if (depth === level && level > 0 && (sign === comma || isClosing(sign))) {
      finish();
      if (spans.length >= most) break;
      if (sign !== comma) depth -= 1;
      continue;
    }
    if (depth >= level) {
      if (start === -1) start = at;
      else if (at !== end) isTight = false;
    }
    if (sign === quote) at = endOfText(text, at);
    else if (sign === colon) names += 1;
    else if (isOpening(sign)) {
      depth += 1;
      if (depth > deepest) throw new SyntaxError("nested too deep");
    } else if (isClosing(sign)) depth -= 1;
    else if (sign === minus || isDigit(sign)) {
      const from = at;
      while (isInNumber(text.charCodeAt(at + 1))) at += 1;
      mayLoseDigits ||= isRareNumber(text, from, at + 1);
    }
    end = at + 1;
  }
  if (level === 0) finish();
  return spans;
}

/** Whether this code is one of JSON's white space. */
export function isBlank(sign: number): boolean {
  return sign === 0x20 || sign === 0x0a || sign === 0x0d || sign === 0x09;
}

function isOpening(sign: number): boolean {
  return sign === 0x7b || sign === 0x5b;
}

function isClosing(sign: number): boolean {
  return sign === 0x7d || sign === 0x5d;
}

function isDigit(sign: number): boolean {
  return sign >= 0x30 && sign <= 0x39;
}

/** Digits, signs, the point and an exponent's letter. */
function isInNumber(sign: number): boolean {
  return isDigit(sign) || sign === 0x2b || sign === minus || sign === 0x2e || sign === 0x65 || sign === 0x45;
}

/** Whether these signs are more than a short integer. */
function isRareNumber(text: string, start: number, end: number): boolean {
  return end - start > 15 || !/^(?:0|-?[1-9]\d*)$/.test(text.slice(start, end));
}

/** The position of the quote that closes a text. */
function endOfText(json: string, opening: number): number {
  let end = json.indexOf('"', opening + 1);
  while (end !== -1 && isEscaped(json, end)) end = json.indexOf('"', end + 1);
  return end === -1 ? json.length : end;
}

function isEscaped(json: string, at: number): boolean {
  let first = at;
  while (json.charCodeAt(first - 1) === 0x5c) first -= 1;
  return (at - first) % 2 === 1;
}

/** JSON without the white space outside of its texts. */
export function tighten(json: string): string {
  const pieces: string[] = [];
  let from = 0;
  for (let at = 0; at < json.length; at += 1) {
    const sign = json.charCodeAt(at);
    if (sign === quote) at = endOfText(json, at);
    else if (isBlank(sign)) {
      if (at > from) pieces.push(json.slice(from, at));
      from = at + 1;
    }
  }
  return pieces.join("") + json.slice(from);
}
