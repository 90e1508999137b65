// Splits a stream of bytes into records: the items of a JSON array, those of an array of arrays (pages), or lines.
//
// Only UTF-8 is accepted, because any other encoding would be a guess. One record is in memory at a time, so a report
// may be far larger than memory. The length of a record is limited, so that one without an end is rejected early.
import { usageFailure } from "../errors/errors.ts";
import { notUtf8, refuseUtf16, type Refusal } from "../files/decode-text.ts";
import { isSpace } from "../json/items.ts";

/** Decodes bytes piece by piece, without the byte order mark. Throws the failure that `refuse` creates. */
export async function* textPieces(
  bytes: AsyncIterable<Buffer>,
  refuse: Refusal,
): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const decode = (piece?: Buffer): string => {
    try {
      return decoder.decode(piece, { stream: piece !== undefined });
    } catch {
      throw notUtf8(refuse);
    }
  };
  let beginning: Buffer | null = Buffer.alloc(0);
  for await (const piece of bytes) {
    if (beginning === null) {
      yield decode(piece);
      continue;
    }
    beginning = Buffer.concat([beginning, piece]);
    if (beginning.length < 2) continue;
    refuseUtf16(beginning, refuse);
    yield decode(beginning);
    beginning = null;
  }
  if (beginning !== null) yield decode(beginning);
  yield decode();
}

export interface TextRecord {
  /** The record's name in messages: `line 3: `. */
  readonly where: string;
  readonly text: string;
  /** True if it is an item of a nested array, a page. */
  readonly isInPage: boolean;
}

interface RecordReader {
  /** Adds the next piece; returns the records that end in it. */
  add(piece: string): readonly TextRecord[];
  /** Ends the text; returns the remaining records. Throws a usage failure if the text ends too early. */
  end(): readonly TextRecord[];
  /** True if an array was opened, so that an empty list is intended. */
  isArray(): boolean;
}

/** Longer than any finding: a record without an end is rejected before memory runs out. */
const longestRecord = 64 * 1024 * 1024;

/** Reads arrays, one or several in a row, if the first character opens one, and otherwise lines. */
export function createRecordReader(): RecordReader {
  let reader: Omit<RecordReader, "isArray"> | null = null;
  let isArray = false;
  /** The white space at the beginning, which counts for line numbers. */
  let blank = "";
  return {
    add(piece) {
      if (reader !== null) return reader.add(piece);
      const text = blank + piece;
      if (text.trim() === "") {
        if (text.length > longestRecord) throw tooLong("");
        blank = text;
        return [];
      }
      isArray = text.trimStart().startsWith("[");
      reader = isArray ? itemReader() : lineReader();
      return reader.add(text);
    },
    end: () => reader?.end() ?? [],
    isArray: () => isArray,
  };
}

function lineReader(): Omit<RecordReader, "isArray"> {
  const open: string[] = [];
  let openLength = 0;
  let lineNumber = 0;
  /** A CR at the end of a piece, which may be half of a CRLF. */
  let held = "";
  const record = (text: string): TextRecord => {
    lineNumber += 1;
    return { where: `line ${lineNumber}: `, text: text.trim(), isInPage: false };
  };
  return {
    add(piece) {
      let text = held + piece;
      held = text.endsWith("\r") ? "\r" : "";
      if (held !== "") text = text.slice(0, -1);
      const [first = "", ...others] = text.split(/\r\n|\n|\r/);
      open.push(first);
      openLength += first.length;
      const last = others.pop();
      if (last === undefined) {
        if (openLength > longestRecord) throw tooLong(`line ${lineNumber + 1}: `);
        return [];
      }
      const whole = open.join("");
      open.splice(0, open.length, last);
      openLength = last.length;
      return [whole, ...others].map(record);
    },
    end: () => [record(open.join(""))],
  };
}

const opening = new Set(["[", "{"].map((sign) => sign.charCodeAt(0)));
const closing = new Set(["]", "}"].map((sign) => sign.charCodeAt(0)));
const bracket = 0x5b;
const closingBracket = 0x5d;
const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;

/** The possible next parts of an array: its first item, or its end; an item; only a comma or its end. */
type Next = "first" | "item" | "end";

function itemReader(): Omit<RecordReader, "isArray"> {
  const open: string[] = [];
  let openLength = 0;
  let depth = 0;
  /** The depth of the items: 1, or 2 within a page, if it is a list of pages. */
  let itemDepth = 1;
  let next: Next = "first";
  let isInText = false;
  let isEscaped = false;
  let items = 0;

  const finish = (rest: string, isLast: boolean): TextRecord | null => {
    const text = (open.length === 0 ? rest : open.join("") + rest).trim();
    open.length = 0;
    openLength = 0;
    if (text === "" && (next === "end" || (next === "first" && isLast))) return null;
    items += 1;
    const where = `item ${items}: `;
    if (text === "" || next === "end") throw usageFailure(`${where}this is not valid JSON`);
    return { where, text, isInPage: itemDepth === 2 };
  };

  return {
    add(piece) {
      const records: TextRecord[] = [];
      let from = 0;
      const take = (at: number, isLast: boolean): void => {
        const record = finish(piece.slice(from, at), isLast);
        if (record !== null) records.push(record);
        next = isLast ? "end" : "item";
        from = at + 1;
      };
      const enter = (at: number): void => {
        next = "first";
        open.length = 0;
        openLength = 0;
        from = at + 1;
      };
      const isPage = (at: number): boolean =>
        depth === 1 && next !== "end" && ![...open, piece.slice(from, at)].some((part) => /\S/.test(part));
      for (let at = 0; at < piece.length; at += 1) {
        const sign = piece.charCodeAt(at);
        if (isInText) {
          if (isEscaped) isEscaped = false;
          else if (sign === backslash) isEscaped = true;
          else if (sign === quote) isInText = false;
        } else if (depth === 0) {
          if (isSpace(sign)) continue;
          if (sign !== bracket) throw usageFailure(`after item ${items}: this is not valid JSON`);
          depth = 1;
          enter(at);
        } else if (sign === quote) isInText = true;
        else if (opening.has(sign)) {
          if (sign === bracket && isPage(at)) {
            itemDepth = 2;
            enter(at);
          }
          depth += 1;
        } else if (closing.has(sign)) {
          if (depth === itemDepth) {
            if (sign !== closingBracket) throw usageFailure(`item ${items + 1}: this is not valid JSON`);
            take(at, true);
            itemDepth = 1;
          }
          depth -= 1;
        } else if (sign === comma && depth === itemDepth) take(at, false);
      }
      if (depth > 0) {
        open.push(piece.slice(from));
        openLength += piece.length - from;
        if (openLength > longestRecord) throw tooLong(`item ${items + 1}: `);
      }
      return records;
    },
    end() {
      if (depth > 0)
        throw usageFailure(`item ${items + 1}: this is not valid JSON: the array ends without its bracket`);
      return [];
    },
  };
}

function tooLong(where: string): Error {
  return usageFailure(`${where}this is longer than ${longestRecord / 1024 / 1024} MiB`);
}
