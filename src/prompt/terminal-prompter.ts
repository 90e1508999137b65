// Prompts on the controlling terminal, whatever the standard streams are.
//
//   one at a time   a prompt waits until the previous one is finished
//   Ctrl-Z          does nothing
//   Ctrl-C          ends the run like the signal
//   Ctrl-D, closed  the prompt ends without input, as without a terminal; confirmations count as no
//
// Untrusted text is sanitised before it gets here.
import { constants } from "node:os";
import { exitCodeOfSignal, QuietExit } from "../errors/errors.ts";
import type { Terminal } from "../host/terminal.ts";
import type { NoPromptError, Prompter } from "./prompter.ts";
import type { LinePrompts, PromptOptions } from "./question.ts";

export interface Looks {
  /** True if the terminal cannot move its cursor: prompts are plain lines, and there is no list to select from. */
  readonly isPlain: boolean;
  readonly hasColours: boolean;
}

/**
 * A prompter on the terminal that `openTerminal` opens; without a terminal, or if `openTerminal` is null because of
 * --no-input, every prompt fails immediately.
 */
export function createTerminalPrompter(
  openTerminal: (() => Terminal | null) | null,
  { isPlain, hasColours }: Looks,
): Prompter {
  const open = (): Terminal | null => openTerminal?.() ?? null;
  const whyNone = openTerminal === null ? "prompts are off (--no-input)" : "there is no terminal";

  /** Settles when the previous prompt is finished, so that two never share the screen. */
  let previous: Promise<unknown> = Promise.resolve();

  /** Prompts. `noAnswer` creates the result for Ctrl-D or a closed terminal. */
  const ask = async <T>(orElse: NoPromptError, noAnswer: () => T, question: Question<T>): Promise<T> => {
    const terminal = open();
    if (terminal === null) throw orElse(whyNone);
    try {
      const { input, output } = terminal;
      return await question({ input, output, signal: watch(terminal) });
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      // In raw mode the terminal sends no signal for Ctrl-C.
      if (error.name === "ExitPromptError") throw new QuietExit(exitCodeOfSignal(constants.signals.SIGINT));
      if (error.name === "AbortPromptError") return noAnswer();
      throw error;
    } finally {
      terminal.close();
    }
  };

  const queuePrompt = <T>(orElse: NoPromptError, noAnswer: () => T, question: Question<T>): Promise<T> => {
    const answer = previous.then(() => ask(orElse, noAnswer, question));
    previous = answer.catch(() => undefined);
    return answer;
  };

  const linePrompts = async (): Promise<LinePrompts> =>
    (await (isPlain ? import("./plain-prompts.ts") : import("./prompts.ts"))).linePrompts;

  const askLine =
    (name: "askText" | "askSecret") =>
    (message: string, orElse: NoPromptError): Promise<string> => {
      const fail = (): never => {
        throw orElse("nothing was typed");
      };
      return queuePrompt(orElse, fail, async (options) => (await linePrompts())[name](message, options));
    };

  const check = (orElse: NoPromptError): Promise<void> => {
    const terminal = open();
    terminal?.close();
    return terminal === null ? Promise.reject(orElse(whyNone)) : Promise.resolve();
  };

  return {
    check,
    checkPick: (orElse) =>
      isPlain ? Promise.reject(orElse("the terminal cannot show a list")) : check(orElse),
    askText: askLine("askText"),
    askSecret: askLine("askSecret"),
    confirm: (message, orElse) =>
      queuePrompt(
        orElse,
        () => false,
        async (options) => (await linePrompts()).confirm(message, options),
      ),
    pick(message, choices, orElse) {
      return queuePrompt<readonly number[] | null>(
        orElse,
        () => null,
        async (options) => {
          const { pick } = await import("./prompts.ts");
          const { output } = options;
          return pick({ message, choices, hasColours, output }, options);
        },
      );
    },
  };
}

type Question<T> = (options: PromptOptions) => Promise<T>;

/** Aborts at Ctrl-D and when the terminal is closed. */
function watch({ input }: Terminal): AbortSignal {
  const question = new AbortController();
  const stop = (): void => {
    question.abort();
  };
  input.on("keypress", (_: unknown, key: { readonly ctrl?: boolean; name?: string }) => {
    if (key.ctrl !== true) return;
    if (key.name === "d") stop();
    // Node's line editor would stop the process, and never listen again.
    if (key.name === "z") key.name = "";
  });
  input.once("end", stop);
  // Reading from a terminal that was closed fails.
  input.on("error", stop);
  return question.signal;
}
