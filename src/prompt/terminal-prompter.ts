// Asks on the controlling terminal, whatever the standard streams are, and gives the terminal back as it was, while the
// process is stopped too. One question at a time; text from outside passes the sanitiser before it gets here.
import { exitCodeOfSignal, QuietExit } from "../errors/errors.ts";
import type { Terminal } from "../host/terminal.ts";
import type * as prompts from "./prompts.ts";
import type { OrElse, Prompter } from "./prompter.ts";

/** A prompter on the terminal that `open` opens; where it gives null, every question fails at once. */
export function createTerminalPrompter(open: () => Terminal | null): Prompter {
  /** The end of the question before, so that two never share the screen. */
  let previous: Promise<unknown> = Promise.resolve();

  /**
   * Asks, and asks anew after every stop of the process; `noAnswer` says what no answer means, which is what Ctrl-D and
   * a terminal that goes away give.
   */
  const askUntilAnswered = async <T>(
    orElse: OrElse,
    noAnswer: () => T,
    question: Question<T>,
  ): Promise<T> => {
    for (;;) {
      const terminal = open();
      if (terminal === null) throw orElse();
      const { signal } = watch(terminal);
      try {
        const { input, output } = terminal;
        return await question(await import("./prompts.ts"), { input, output, signal });
      } catch (error) {
        if (!(error instanceof Error)) throw error;
        if (error.name === "ExitPromptError") throw new QuietExit(exitCodeOfSignal(interruptNumber));
        if (error.name !== "AbortPromptError") throw error;
        if (signal.reason === noMore) return noAnswer();
      } finally {
        terminal.close();
      }
      if (signal.reason === "SIGTSTP") terminal.stop();
    }
  };

  const ask = <T>(orElse: OrElse, noAnswer: () => T, question: Question<T>): Promise<T> => {
    const answer = previous.then(() => askUntilAnswered(orElse, noAnswer, question));
    previous = answer.catch(() => undefined);
    return answer;
  };

  return {
    check(orElse) {
      const terminal = open();
      terminal?.close();
      return terminal === null ? Promise.reject(orElse()) : Promise.resolve();
    },
    askText: (message, orElse) =>
      ask(orElse, failing(orElse), ({ input }, surroundings) =>
        input({ message, validate: isAnswer, theme }, surroundings),
      ),
    askSecret: (message, orElse) =>
      ask(orElse, failing(orElse), ({ password }, surroundings) =>
        password({ message, mask: false, toggleMask: false, validate: isSecret, theme }, surroundings),
      ),
    confirm: (message, orElse) =>
      ask(
        orElse,
        () => false,
        ({ confirm }, surroundings) => confirm({ message, default: false, theme }, surroundings),
      ),
    pick(message, choices, orElse) {
      // Ticks are work, and outlive a stop.
      let state: prompts.PickState | undefined;
      const onChange = (changed: prompts.PickState): void => {
        state = changed;
      };
      return ask<readonly number[] | null>(
        orElse,
        () => null,
        ({ pick }, surroundings) =>
          pick({ message, choices, output: surroundings.output, start: state, onChange }, surroundings),
      );
    },
  };
}

type Prompts = typeof prompts;

type Question<T> = (prompts: Prompts, surroundings: Surroundings) => Promise<T>;

interface Surroundings extends Pick<Terminal, "input" | "output"> {
  readonly signal: AbortSignal;
}

/** SIGINT: what Ctrl-C would be if the terminal passed it on. */
const interruptNumber = 2;

const theme = { prefix: "?" };

const nothingTyped = "nothing was typed; ctrl-c leaves";

function isAnswer(text: string): true | string {
  return text.trim() !== "" || nothingTyped;
}

/** A secret may be blanks. */
function isSecret(text: string): true | string {
  return text !== "" || nothingTyped;
}

function failing(orElse: OrElse): () => never {
  return () => {
    throw orElse();
  };
}

/** The reason of an abort for good: the terminal has nothing more to say. Of any other it is the signal. */
const noMore = "no more";

interface Key {
  readonly ctrl?: boolean;
  name?: string;
  readonly sequence?: string;
}

/**
 * Aborted at Ctrl-D and when the terminal is closed, and with the signal as its reason when the process is to stop or
 * was stopped. Acts for the keys that raw mode keeps from being signals.
 */
function watch(terminal: Terminal): AbortController {
  const question = new AbortController();
  const stop = (): void => {
    question.abort(noMore);
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
      // Node's line editor, which hears of the key next, would stop the process itself, and never listen again.
      key.name = "";
      terminal.signalJob("SIGTSTP");
    }
  });
  input.once("end", stop);
  // A terminal that hangs up fails to be read.
  input.on("error", stop);
  return question;
}
