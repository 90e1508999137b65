// The prompter of a run: loads the one that asks with the first question, and lets every question pass a filter.
import type { Terminal } from "../host.ts";
import { createRefusingPrompter, type Prompter } from "./prompter.ts";

export interface LazyPrompterOptions {
  /** False with --no-input: then every question fails at once. */
  readonly mayAsk: boolean;
  /** Opens the controlling terminal; null where there is none. */
  readonly openTerminal: () => Terminal | null;
  /** Makes a question safe to show: questions name people and addresses. */
  readonly sanitise: (question: string) => string;
}

/** A prompter that loads nothing before it is asked to ask. */
export function createLazyPrompter({ mayAsk, openTerminal, sanitise }: LazyPrompterOptions): Prompter {
  let loading: Promise<Prompter> | null = null;
  const load = (): Promise<Prompter> => {
    loading ??= mayAsk
      ? import("./terminal-prompter.ts").then(({ createTerminalPrompter }) =>
          createTerminalPrompter(openTerminal),
        )
      : Promise.resolve(createRefusingPrompter());
    return loading;
  };
  return {
    askText: async (question, orElse) => (await load()).askText(sanitise(question), orElse),
    askSecret: async (question, orElse) => (await load()).askSecret(sanitise(question), orElse),
    confirm: async (question, orElse) => (await load()).confirm(sanitise(question), orElse),
  };
}
