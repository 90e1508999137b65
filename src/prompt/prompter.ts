// Prompts on the controlling terminal, whatever the standard streams are.
//
//   one at a time   a prompt waits until the previous one is finished
//   Ctrl-C          a no to a confirmation or a list; anywhere else it ends the run like the signal
//   Ctrl-D          the prompt ends without an answer; a confirmation counts as no
//   Ctrl-Z          does nothing
//
// The prompts of a terminal with a cursor are loaded with the first one (prompts.ts).
import { exitCodeOfSignal, QuietExit, usageFailure } from "../errors/errors.ts";
import type { Column } from "../output/presentation.ts";
import type { Terminal } from "../system/terminal.ts";
import type * as Prompts from "./prompts.ts";

/** Creates the failure to throw if nobody answers; `why` completes its message, as in "there is no terminal". */
type NoPromptError = (why: string) => Error;

export interface PromptOptions extends Pick<Terminal, "input" | "output"> {
  readonly signal: AbortSignal;
}

type Question<T> = (prompts: typeof Prompts, options: PromptOptions) => Promise<T>;

interface PrompterOptions {
  /** False with --no-input: every prompt then fails immediately. */
  readonly canPrompt: boolean;
  readonly hasColours: boolean;
  readonly openTerminal: () => Terminal | null;
  /** Runs a prompt while nothing else draws on the terminal. */
  readonly alone: <T>(ask: () => Promise<T>) => Promise<T>;
}

/** Items to select from, or one of them with `isSingle`. */
interface Choices<T> {
  readonly items: readonly T[];
  readonly columns: readonly Column<T>[];
  readonly isSingle: boolean;
}

export type Prompter = ReturnType<typeof createPrompter>;

export function createPrompter({ canPrompt, hasColours, openTerminal, alone }: PrompterOptions) {
  /** Settles when the previous prompt is finished, so that two never share the screen. */
  let previous: Promise<unknown> = Promise.resolve();

  function open(orElse: NoPromptError): Terminal {
    const terminal = canPrompt ? openTerminal() : null;
    if (terminal !== null) return terminal;
    throw orElse(canPrompt ? "there is no terminal" : "prompts are off (--no-input)");
  }

  /** `noAnswer` creates the result for Ctrl-C, with `true`, and for Ctrl-D. */
  function ask<T>(
    orElse: NoPromptError,
    noAnswer: (isStop: boolean) => T,
    question: Question<T>,
  ): Promise<T> {
    const run = async (): Promise<T> => {
      const terminal = open(orElse);
      const signal = watch(terminal);
      try {
        const { input, output } = terminal;
        return await question(await import("./prompts.ts"), { input, output, signal });
      } catch (error) {
        // In raw mode the terminal sends no signal for Ctrl-C.
        const isStop = error instanceof Error && error.name === "ExitPromptError";
        if (isStop || signal.aborted) return noAnswer(isStop);
        throw error;
      } finally {
        terminal.close();
      }
    };
    const answer = previous.then(() => alone(run));
    previous = answer.catch(() => undefined);
    return answer;
  }

  return {
    /** Throws if the user cannot be prompted; shows nothing. */
    async check(orElse: NoPromptError): Promise<void> {
      open(orElse).close();
    },
    askText: (question: string, orElse: NoPromptError): Promise<string> =>
      ask(orElse, nothingTyped(orElse), ({ askText }, options) => askText(question, options)),
    askSecret: (question: string, orElse: NoPromptError): Promise<string> =>
      ask(orElse, nothingTyped(orElse), ({ askSecret }, options) => askSecret(question, options)),
    /** Prompts for yes or no (default no), or with `count` for this number. */
    confirm: (question: string, orElse: NoPromptError, count?: number): Promise<boolean> =>
      ask(
        orElse,
        () => false,
        async ({ askYesOrNo, askText }, options) => {
          if (count === undefined) return askYesOrNo(question, options);
          return (await askText(`${question} Type ${count} to confirm:`, options)).trim() === `${count}`;
        },
      ),
    /** Prompts for items; resolves with at least one, in their order. */
    pick<T>(message: string, choices: Choices<T>, orElse: NoPromptError): Promise<readonly T[]> {
      const { items, columns, isSingle } = choices;
      return ask<readonly T[]>(orElse, cancel, async ({ layOutRows, pick }, options) => {
        const rows = layOutRows(items, columns);
        const picked = await pick({ message, rows, hasColours, isSingle, output: options.output }, options);
        return picked.flatMap((index) => items[index] ?? []);
      });
    },
  };
}

function cancel(): never {
  throw cancelled();
}

/** For a user who declines. */
export function cancelled(avoided = "changed"): Error {
  return usageFailure(`cancelled: nothing was ${avoided}`).with({ signalCode: stopCode });
}

const stopCode = exitCodeOfSignal("SIGINT");

function nothingTyped(orElse: NoPromptError): (isStop: boolean) => never {
  return (isStop) => {
    throw isStop ? new QuietExit(stopCode) : orElse("nothing was typed");
  };
}

/** Aborts at Ctrl-D. */
function watch({ input }: Terminal): AbortSignal {
  const question = new AbortController();
  input.on("keypress", (_: unknown, key: { readonly ctrl?: boolean; name?: string }) => {
    if (key.ctrl !== true) return;
    if (key.name === "d") question.abort();
    // Node's line editor would stop the process, and never listen again.
    if (key.name === "z") key.name = "";
  });
  return question.signal;
}
