// The interface for questions to the user, and the prompter of a run: it loads terminal-prompter.ts with the first
// question, makes every question safe to show, and keeps progress from being drawn during a question.
import type { PickRows } from "../drawing/pick-rows.ts";
import { withoutMarks } from "../errors/foreign.ts";
import type { Terminal } from "../host/terminal.ts";
import type { Looks } from "./terminal-prompter.ts";

/** Makes the failure to throw without a terminal to prompt on. */
export type OrElse = () => Error;

export interface Prompter {
  /** Resolves if the user can be asked, and asks nothing. */
  check(orElse: OrElse): Promise<void>;
  /** Resolves if the user can be asked for rows of a list, which not every terminal can show, and asks nothing. */
  checkPick(orElse: OrElse): Promise<void>;
  askText(question: string, orElse: OrElse): Promise<string>;
  /** Asks for a secret, without showing it. */
  askSecret(question: string, orElse: OrElse): Promise<string>;
  /** Asks yes or no; no is the default. */
  confirm(question: string, orElse: OrElse): Promise<boolean>;
  /** Asks for rows of a list; resolves with their positions, at least one, or with null for no answer. */
  pick(question: string, choices: PickRows, orElse: OrElse): Promise<readonly number[] | null>;
}

/** The reason of an abort because the terminal is closed or at its end; for any other abort it is the signal. */
export const noMore = "no more";

interface LazyPrompterOptions extends Looks {
  /** False with --no-input: then every question fails at once. */
  readonly mayAsk: boolean;
  /** Opens the controlling terminal; null if there is none. */
  readonly openTerminal: () => Terminal | null;
  /** Makes a question safe to show: questions name people and addresses. */
  readonly sanitise: (question: string) => string;
  /** Replaces what the terminal cannot show, as with LC_ALL=C. */
  readonly show: (text: string) => string;
  /** Runs a question while nothing else draws on the terminal. */
  readonly alone: <T>(ask: () => Promise<T>) => Promise<T>;
}

/** A prompter that loads nothing before its first question. */
export function createLazyPrompter({
  mayAsk,
  isPlain,
  hasColours,
  openTerminal,
  sanitise,
  show,
  alone,
}: LazyPrompterOptions): Prompter {
  let loading: Promise<Prompter> | null = null;
  const load = (): Promise<Prompter> => {
    loading ??= import("./terminal-prompter.ts").then(({ createTerminalPrompter }) =>
      createTerminalPrompter(mayAsk ? openTerminal : () => null, { isPlain, hasColours }),
    );
    return loading;
  };
  const safe = (question: string): string => show(sanitise(withoutMarks(question)));
  const shown = (choices: PickRows): PickRows => ({
    texts: choices.texts,
    draw: (index, columns) => show(choices.draw(index, columns)),
    drawTitles: (columns) => show(choices.drawTitles(columns)),
  });
  return {
    check: async (orElse) => (await load()).check(orElse),
    checkPick: async (orElse) => (await load()).checkPick(orElse),
    askText: (question, orElse) => alone(async () => (await load()).askText(safe(question), orElse)),
    askSecret: (question, orElse) => alone(async () => (await load()).askSecret(safe(question), orElse)),
    confirm: (question, orElse) => alone(async () => (await load()).confirm(safe(question), orElse)),
    pick: (question, choices, orElse) =>
      alone(async () => (await load()).pick(safe(question), shown(choices), orElse)),
  };
}
