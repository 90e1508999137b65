// The interface and texts of one-line prompts. Two modules implement it: prompts.ts on a terminal with a cursor, and
// plain-prompts.ts on one that cannot move it (TERM=dumb).
import type { Terminal } from "../host/terminal.ts";
import { wrap } from "../drawing/text-width.ts";
import { wideRuler } from "../drawing/wide-ruler.ts";

export interface PromptOptions extends Pick<Terminal, "input" | "output"> {
  readonly signal: AbortSignal;
}

/** Each prompt resolves with the first valid answer, and rejects with an AbortPromptError if it is aborted. */
export interface LinePrompts {
  askText(message: string, options: PromptOptions): Promise<string>;
  /** Shows neither the secret nor its length. */
  askSecret(message: string, options: PromptOptions): Promise<string>;
  /** An empty line means no. */
  confirm(message: string, options: PromptOptions): Promise<boolean>;
}

export const prefix = "?";
export const nothingTyped = "enter a value, or press Ctrl-C to cancel";
export const yesOrNo = " (y/N)";
export const notYesOrNo = "Answer y or n.";

/** The answer to yes or no: an empty line is no; null for anything else. */
export function parseYesOrNo(typed: string): boolean | null {
  if (/^\s*y(?:es?)?\s*$/i.test(typed)) return true;
  return /^\s*(?:no?)?\s*$/i.test(typed) ? false : null;
}

/** Longer lines are hard to read, however wide the window is. */
const widestQuestion = 100;
/** Space for a short answer after the question. */
const answerWidth = 4;

/** Breaks a question between words, to follow the prefix in a window of this width. */
export function wrapQuestion(message: string, columns: number): string {
  const indent = prefix.length + 1;
  // A terminal whose size was never set reports 0.
  const width = Math.max(1, Math.min(widestQuestion, columns || 80) - indent - answerWidth);
  return wrap(message, width, wideRuler).join(`\n${" ".repeat(indent)}`);
}
