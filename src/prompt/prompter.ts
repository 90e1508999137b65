// The interface for prompts, and the prompter of a run.
//
//   Prompter             prompts for secrets, confirmations and selections; every call states the failure to throw
//                        if there is no terminal or --no-input is set
//   createLazyPrompter   loads terminal-prompter.ts with the first prompt, sanitises every question, and hides progress
//                        during a prompt
import type { PickRows } from "../drawing/pick-rows.ts";
import type { Terminal } from "../host/terminal.ts";
import type { Looks } from "./terminal-prompter.ts";

/** Creates the failure to throw if nobody answers; `why` completes its message, as in "there is no terminal". */
export type NoPromptError = (why: string) => Error;

export interface Prompter {
  /** Throws if the user cannot be prompted; shows nothing. */
  check(orElse: NoPromptError): Promise<void>;
  /** Throws if the terminal cannot show a list to select from; shows nothing. */
  checkPick(orElse: NoPromptError): Promise<void>;
  askText(question: string, orElse: NoPromptError): Promise<string>;
  /** Prompts for a secret, with hidden input. */
  askSecret(question: string, orElse: NoPromptError): Promise<string>;
  /** Prompts for yes or no (default no). */
  confirm(question: string, orElse: NoPromptError): Promise<boolean>;
  /** Prompts for rows of a list; resolves with their positions, at least one, or with null if the user gives up. */
  pick(question: string, choices: PickRows, orElse: NoPromptError): Promise<readonly number[] | null>;
}

interface LazyPrompterOptions extends Looks {
  /** False with --no-input: every prompt then fails immediately. */
  readonly canPrompt: boolean;
  /** Opens the controlling terminal; null if there is none. */
  readonly openTerminal: () => Terminal | null;
  /** Escapes untrusted text in a question, such as names and URLs. */
  readonly sanitise: (question: string) => string;
  /** Runs a prompt while nothing else draws on the terminal. */
  readonly alone: <T>(ask: () => Promise<T>) => Promise<T>;
}

/** A prompter that loads nothing before its first prompt. */
export function createLazyPrompter({
  canPrompt,
  openTerminal,
  sanitise,
  alone,
  ...looks
}: LazyPrompterOptions): Prompter {
  let loading: Promise<Prompter> | null = null;
  const load = (): Promise<Prompter> => {
    loading ??= import("./terminal-prompter.ts").then(({ createTerminalPrompter }) =>
      createTerminalPrompter(canPrompt ? openTerminal : null, looks),
    );
    return loading;
  };
  const safe = (question: string): string => sanitise(question);
  return {
    check: async (orElse) => (await load()).check(orElse),
    checkPick: async (orElse) => (await load()).checkPick(orElse),
    askText: (question, orElse) => alone(async () => (await load()).askText(safe(question), orElse)),
    askSecret: (question, orElse) => alone(async () => (await load()).askSecret(safe(question), orElse)),
    confirm: (question, orElse) => alone(async () => (await load()).confirm(safe(question), orElse)),
    pick: (question, choices, orElse) =>
      alone(async () => (await load()).pick(safe(question), choices, orElse)),
  };
}
