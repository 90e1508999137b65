// Prompts on the controlling terminal, whatever the standard streams are.
//
//   one at a time   a prompt waits until the previous one is finished
//   Ctrl-Z, fg      the terminal's state is restored while the process is stopped; afterwards the prompt is repeated
//   Ctrl-C          ends the run like the signal
//   Ctrl-D, closed  the prompt ends without input, as without a terminal; confirmations count as no
//
// Untrusted text is sanitised before it gets here.
import { constants } from "node:os";
import { exitCodeOfSignal, QuietExit } from "../errors/errors.ts";
import type { Terminal } from "../host/terminal.ts";
import type { PickState } from "./pick.ts";
import { endOfInput, type NoPromptError, type Prompter } from "./prompter.ts";
import type { LinePrompts, PromptOptions } from "./question.ts";

export interface Looks {
  /** True if the terminal cannot move its cursor: prompts are plain lines, and there is no list to select from. */
  readonly isPlain: boolean;
  readonly hasColours: boolean;
}

/** A prompter on the terminal that `open` opens; if `open` returns null, every prompt fails immediately. */
export function createTerminalPrompter(
  open: () => Terminal | null,
  { isPlain, hasColours }: Looks,
): Prompter {
  /** Settles when the previous prompt is finished, so that two never share the screen. */
  let previous: Promise<unknown> = Promise.resolve();

  /**
   * Prompts, and repeats the prompt after each stop of the process. `noAnswer` creates the result for Ctrl-D or a
   * closed terminal.
   */
  const askUntilAnswered = async <T>(
    orElse: NoPromptError,
    noAnswer: () => T,
    question: Question<T>,
  ): Promise<T> => {
    for (;;) {
      const terminal = open();
      if (terminal === null) throw orElse();
      const { signal } = watch(terminal);
      try {
        const { input, output } = terminal;
        return await question({ input, output, signal });
      } catch (error) {
        if (!(error instanceof Error)) throw error;
        // In raw mode the terminal sends no signal for Ctrl-C.
        if (error.name === "ExitPromptError") throw new QuietExit(exitCodeOfSignal(constants.signals.SIGINT));
        if (error.name !== "AbortPromptError") throw error;
        if (signal.reason === endOfInput) return noAnswer();
      } finally {
        terminal.close();
      }
      if (signal.reason === "SIGTSTP") terminal.stop();
    }
  };

  const queuePrompt = <T>(orElse: NoPromptError, noAnswer: () => T, question: Question<T>): Promise<T> => {
    const answer = previous.then(() => askUntilAnswered(orElse, noAnswer, question));
    previous = answer.catch(() => undefined);
    return answer;
  };

  const linePrompts = async (): Promise<LinePrompts> =>
    (await (isPlain ? import("./plain-prompts.ts") : import("./prompts.ts"))).linePrompts;

  const askLine =
    (name: "askText" | "askSecret") =>
    (message: string, orElse: NoPromptError): Promise<string> => {
      const fail = (): never => {
        throw orElse();
      };
      return queuePrompt(orElse, fail, async (options) => (await linePrompts())[name](message, options));
    };

  const check = (orElse: NoPromptError): Promise<void> => {
    const terminal = open();
    terminal?.close();
    return terminal === null ? Promise.reject(orElse()) : Promise.resolve();
  };

  return {
    check,
    checkPick: (orElse) => (isPlain ? Promise.reject(orElse()) : check(orElse)),
    askText: askLine("askText"),
    askSecret: askLine("askSecret"),
    confirm: (message, orElse) =>
      queuePrompt(
        orElse,
        () => false,
        async (options) => (await linePrompts()).confirm(message, options),
      ),
    pick(message, choices, orElse) {
      // After a stop (Ctrl-Z) the list is redrawn with the previous ticks.
      let state: PickState | undefined;
      const onChange = (changed: PickState): void => {
        state = changed;
      };
      return queuePrompt<readonly number[] | null>(
        orElse,
        () => null,
        async (options) => {
          const { pick } = await import("./prompts.ts");
          const { output } = options;
          return pick({ message, choices, hasColours, output, start: state, onChange }, options);
        },
      );
    },
  };
}

type Question<T> = (options: PromptOptions) => Promise<T>;

interface Key {
  readonly ctrl?: boolean;
  name?: string;
  readonly sequence?: string;
}

/**
 * Aborts at Ctrl-D and when the terminal is closed, and with the signal as its reason when the process is about to stop
 * or was stopped. Raises the signals of keys that raw mode delivers as characters.
 */
function watch(terminal: Terminal): AbortController {
  const question = new AbortController();
  const stop = (): void => {
    question.abort(endOfInput);
  };
  const { input } = terminal;
  terminal.onJobSignal((signal) => {
    question.abort(signal);
  });
  input.on("keypress", (_: unknown, key: Key) => {
    if (key.sequence === "\u001c") terminal.signalJob("SIGQUIT");
    if (key.ctrl !== true) return;
    if (key.name === "d") stop();
    if (key.name === "z") {
      // Hide the key from Node's line editor, which would stop the process itself and never listen again.
      key.name = "";
      terminal.signalJob("SIGTSTP");
    }
  });
  input.once("end", stop);
  // Reading from a terminal that was closed fails.
  input.on("error", stop);
  return question;
}
