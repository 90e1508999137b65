// Prompts for a terminal with a cursor: @inquirer/prompts in a plain theme, and our own list to select from (pick.ts). The
// build puts them and their libraries into one chunk.
import { input, password } from "@inquirer/prompts";
import { wrapText } from "../output/text.ts";
import type { PromptOptions } from "./prompter.ts";

export { ExitPromptError } from "@inquirer/core";
export { pick } from "./pick.ts";

const unchanged = (text: string): string => text;
const theme = {
  prefix: "?",
  style: {
    answer: unchanged,
    message: unchanged,
    error: unchanged,
    help: unchanged,
    defaultAnswer: (hint: string) => `(${hint})`,
    maskedText: "(not shown)",
  },
  validationFailureMode: "clear",
} as const;
const nothingTyped = "enter a value, or press Ctrl-C to cancel";

export function askText(question: string, options: PromptOptions): Promise<string> {
  const message = wrapQuestion(question, options);
  return input({ message, validate: (typed) => typed.trim() !== "" || nothingTyped, theme }, options);
}

/** Shows neither the secret nor its length; no key reveals it. A secret may consist of spaces. */
export function askSecret(question: string, options: PromptOptions): Promise<string> {
  const message = wrapQuestion(question, options);
  return password(
    { message, toggleMask: false, validate: (typed) => typed !== "" || nothingTyped, theme },
    options,
  );
}

/** An empty line is no. @inquirer/confirm keeps a wrong answer in the line, so that the next one is appended to it. */
export async function askYesOrNo(question: string, options: PromptOptions): Promise<boolean> {
  const message = wrapQuestion(`${question} (y/N)`, options);
  const typed = await input(
    {
      message,
      validate: (line) => /^\s*(?:y|yes|n|no)?\s*$/i.test(line) || "Answer y or n.",
      theme,
    },
    options,
  );
  return /^\s*y/i.test(typed);
}

/** Breaks a question between words, with room for the prefix and a short answer. Longer lines are hard to read. */
function wrapQuestion(question: string, { output }: PromptOptions): string {
  // A terminal whose size was never set reports 0.
  const width = Math.min(100, output.columns || 80) - 6;
  return wrapText(question, Math.max(1, width)).join("\n  ");
}
