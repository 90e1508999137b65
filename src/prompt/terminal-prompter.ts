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

  const ask = <T>(
    orElse: OrElse,
    question: (prompts: Prompts, streams: Pick<Terminal, "input" | "output">) => Promise<T>,
  ): Promise<T> => {
    const answer = previous.then(async () => {
      const terminal = open();
      if (terminal === null) throw orElse();
      try {
        return await question(await import("./prompts.ts"), terminal);
      } catch (error) {
        throw error instanceof Error && error.name === "ExitPromptError"
          ? new QuietExit(exitCodeOfSignal(interruptNumber))
          : error;
      } finally {
        terminal.close();
      }
    });
    previous = answer.catch(() => undefined);
    return answer;
  };

  return {
    askText: (message, orElse) => ask(orElse, ({ input }, streams) => input({ message, theme }, streams)),
    askSecret: (message, orElse) =>
      ask(orElse, ({ password }, streams) =>
        password({ message, mask: false, toggleMask: false, theme }, streams),
      ),
    confirm: (message, orElse) =>
      ask(orElse, ({ confirm }, streams) => confirm({ message, default: false, theme }, streams)),
  };
}

type Prompts = typeof prompts;

/** SIGINT: what Ctrl-C would be if the terminal passed it on. */
const interruptNumber = 2;

const theme = { prefix: "?" };
