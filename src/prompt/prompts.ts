// Prompts for a terminal with a cursor: @inquirer/prompts in a plain theme, and our own multi-select list (pick.ts).
// The build puts them and their libraries into one chunk, which is loaded with the first prompt.
import { input, password } from "@inquirer/prompts";
import {
  nothingTyped,
  notYesOrNo,
  parseYesOrNo,
  prefix,
  wrapQuestion,
  yesOrNo,
  type LinePrompts,
  type PromptOptions,
} from "./question.ts";

export { pick } from "./pick.ts";

const unchanged = (text: string): string => text;
const theme = {
  prefix,
  style: {
    answer: unchanged,
    message: unchanged,
    error: unchanged,
    help: unchanged,
    defaultAnswer: (hint: string) => `(${hint})`,
  },
};
const inputTheme = { ...theme, validationFailureMode: "clear" as const };
const passwordTheme = { ...theme, style: { ...theme.style, maskedText: "(not shown)" } };
const confirmTheme = {
  ...inputTheme,
  // The answer replaces the choice at the end of the question.
  style: {
    ...theme.style,
    message: (text: string, status: string) => (status === "done" ? text.slice(0, -yesOrNo.length) : text),
  },
};

export const linePrompts: LinePrompts = {
  askText: (message, options) =>
    input(
      {
        message: wrapQuestion(message, options.output.columns),
        validate: (typed) => typed.trim() !== "" || nothingTyped,
        theme: inputTheme,
      },
      withoutTab(options),
    ),
  // A secret may consist of spaces. No key reveals it.
  askSecret: (message, options) =>
    password(
      {
        message: wrapQuestion(message, options.output.columns),
        toggleMask: false,
        validate: (typed) => typed !== "" || nothingTyped,
        theme: passwordTheme,
      },
      withoutTab(options),
    ),
  // @inquirer/confirm keeps a wrong answer in the line, so that the next one is appended to it.
  confirm: async (message, options) => {
    const typed = await input(
      {
        message: wrapQuestion(message + yesOrNo, options.output.columns),
        validate: (line) => parseYesOrNo(line) !== null || notYesOrNo,
        transformer: (line, { isFinal }) => (isFinal ? (parseYesOrNo(line) === true ? "yes" : "no") : line),
        theme: confirmTheme,
      },
      withoutTab(options),
    );
    return parseYesOrNo(typed) === true;
  },
};

/** Disables the Tab key, which would insert a tab. */
function withoutTab(options: PromptOptions): PromptOptions {
  options.input.on("keypress", (_: unknown, key: { ctrl?: boolean; name?: string }) => {
    if (key.name !== "tab") return;
    // Node's line editor ignores an unknown control key.
    key.ctrl = true;
    key.name = "";
  });
  return options;
}
