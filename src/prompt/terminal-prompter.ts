// Asks on the controlling terminal, whatever the standard streams are, and gives the terminal back as it was.
// One question at a time; text from outside passes the sanitiser before it gets here.
import type { Terminal } from "../host.ts";
import { exitCodeOfSignal, QuietExit } from "../errors/errors.ts";
import type * as prompts from "./prompts.ts";
import type { OrElse, Prompter } from "./prompter.ts";

/** A prompter on the terminal that `open` opens; where it gives null, every question fails at once. */
export function createTerminalPrompter(open: () => Terminal | null): Prompter {
  /** The end of the question before, so that two never share the screen. */
  let previous: Promise<unknown> = Promise.resolve();

  /** `noAnswer` says what no answer means, which is what Ctrl-D and a terminal that goes away give. */
  const ask = <T>(
    orElse: OrElse,
    noAnswer: () => T,
    question: (prompts: Prompts, surroundings: Surroundings) => Promise<T>,
  ): Promise<T> => {
    const answer = previous.then(async () => {
      const terminal = open();
      if (terminal === null) throw orElse();
      try {
        return await question(await import("./prompts.ts"), {
          input: terminal.input,
          output: terminal.output,
          signal: endOf(terminal),
        });
      } catch (error) {
        if (!(error instanceof Error)) throw error;
        if (error.name === "ExitPromptError") throw new QuietExit(exitCodeOfSignal(interruptNumber));
        if (error.name === "AbortPromptError") return noAnswer();
        throw error;
      } finally {
        terminal.close();
      }
    });
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
      ask(orElse, failing(orElse), ({ input }, surroundings) => input({ message, theme }, surroundings)),
    askSecret: (message, orElse) =>
      ask(orElse, failing(orElse), ({ password }, surroundings) =>
        password({ message, mask: false, toggleMask: false, theme }, surroundings),
      ),
    confirm: (message, orElse) =>
      ask(
        orElse,
        () => false,
        ({ confirm }, surroundings) => confirm({ message, default: false, theme }, surroundings),
      ),
    pick: (message, choices, orElse) =>
      ask<readonly number[] | null>(
        orElse,
        () => null,
        ({ pick }, surroundings) => pick({ message, choices, output: surroundings.output }, surroundings),
      ),
  };
}

type Prompts = typeof prompts;

interface Surroundings extends Pick<Terminal, "input" | "output"> {
  readonly signal: AbortSignal;
}

/** SIGINT: what Ctrl-C would be if the terminal passed it on. */
const interruptNumber = 2;

const theme = { prefix: "?" };

function failing(orElse: OrElse): () => never {
  return () => {
    throw orElse();
  };
}

/** Aborted when the terminal has nothing more to say: at Ctrl-D, which raw mode makes a key, and when it is closed. */
function endOf({ input }: Terminal): AbortSignal {
  const end = new AbortController();
  const stop = (): void => {
    end.abort();
  };
  input.on("keypress", (_: unknown, key: { readonly ctrl?: boolean; readonly name?: string }) => {
    if (key.ctrl === true && key.name === "d") stop();
  });
  input.once("end", stop);
  // A terminal that hangs up fails to be read.
  input.on("error", stop);
  return end.signal;
}
