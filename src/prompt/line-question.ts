// A question that one line answers, in our own words, and how it is laid out. Asked with a cursor by ask-line.ts, and
// without one by ask-plainly.ts.
import { wrap } from "../drawing/text-width.ts";
import { wideRuler } from "../drawing/wide-ruler.ts";

export interface LineQuestion {
  readonly message: string;
  /** Whether the answer is a secret: neither its text nor its length is shown. */
  readonly isSecret: boolean;
  /** What is wrong with an answer; null for one that is accepted. */
  readonly complain: (typed: string) => string | null;
  /** How the accepted answer is shown; a secret is not. */
  readonly show: (typed: string) => string;
}

/** Lines that are longer are hard to read, however wide the window is. */
const widestQuestion = 100;
const prefix = "? ";
/** A short answer stands beside the end of its question. */
const roomForAnswer = 4;

/** The lines of a question in a window of this width, broken between words. */
export function questionLines(message: string, columns: number): readonly string[] {
  // A terminal that was never told its size says 0.
  const width = Math.max(1, Math.min(widestQuestion, columns || 80) - prefix.length - roomForAnswer);
  return wrap(message, width, wideRuler).map(
    (line, index) => `${index === 0 ? prefix : " ".repeat(prefix.length)}${line}`,
  );
}

/** A line of text, which is not empty. */
export function textQuestion(message: string): LineQuestion {
  return {
    message,
    isSecret: false,
    complain: (typed) => (typed.trim() === "" ? nothingTyped : null),
    show: (typed) => typed,
  };
}

/** A secret, which may be blanks. */
export function secretQuestion(message: string): LineQuestion {
  return {
    message,
    isSecret: true,
    complain: (typed) => (typed === "" ? nothingTyped : null),
    show: () => "",
  };
}

/** Yes or no; an empty line is no. */
export function yesOrNoQuestion(message: string): LineQuestion {
  return {
    message: `${message} (y/N)`,
    isSecret: false,
    complain: (typed) => (isYes(typed) || isNo(typed) ? null : "type y for yes, n for no"),
    show: (typed) => (isYes(typed) ? "yes" : "no"),
  };
}

/** Whether an answer says yes. */
export function isYes(typed: string): boolean {
  return /^\s*y(?:es)?\s*$/i.test(typed);
}

function isNo(typed: string): boolean {
  return /^\s*(?:no?)?\s*$/i.test(typed);
}

const nothingTyped = "nothing was typed; ctrl-c leaves";
