// Prompts for a terminal: @inquirer/prompts in a plain theme, and our own list to select from (pick.ts). The build
// puts them and their libraries into one chunk.
import { input, password } from "@inquirer/prompts";
import wrapAnsi from "wrap-ansi";
import { sanitise } from "../output/sanitise.ts";
import type { PromptOptions } from "./prompter.ts";

export { layOutRows } from "../output/table.ts";
export { pick } from "./pick.ts";

const unchanged = (text: string): string => text;
const theme = {
  prefix: "?",
  style: {
    answer: unchanged,
    message: unchanged,
    error: unchanged,
    help: unchanged,
    maskedText: "(not shown)",
  },
  validationFailureMode: "clear",
} as const;

const isTyped = (typed: string): string | boolean =>
  typed !== "" || "enter a value, or press Ctrl-C to cancel";
const isYesOrNo = (typed: string): string | boolean =>
  /^\s*(?:y|yes|n|no)?\s*$/i.test(typed) || "Answer y or n.";

export function askText(
  question: string,
  options: PromptOptions,
  validate = (typed: string): string | boolean => isTyped(typed.trim()),
): Promise<string> {
  return input({ message: wrapQuestion(question, options), validate, theme }, options);
}

/** Shows neither the secret nor its length; no key reveals it. A secret may consist of spaces. */
export function askSecret(question: string, options: PromptOptions): Promise<string> {
  return password(
    { message: wrapQuestion(question, options), toggleMask: false, validate: isTyped, theme },
    options,
  );
}

/** An empty line is no. @inquirer/confirm keeps a wrong answer in the line, so that the next one is appended to it. */
export async function askYesOrNo(question: string, options: PromptOptions): Promise<boolean> {
  return /^\s*y(?:es)?\s*$/i.test(await askText(`${question} (y/N)`, options, isYesOrNo));
}

/** Breaks a question between words, with room for the prefix. It may name what others chose. */
function wrapQuestion(question: string, { output }: PromptOptions): string {
  return wrapAnsi(sanitise(question), Math.max(1, (output.columns || 80) - 6));
}
