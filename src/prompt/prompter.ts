// Questions to a person, as the rest of the program sees them, and the twin that refuses to ask. The one that asks
// lives in terminal-prompter.ts and is loaded with the first question.

/** Makes the failure to throw when nobody can be asked. */
export type OrElse = () => Error;

export interface Prompter {
  /** Asks for a line of text. */
  askText(question: string, orElse: OrElse): Promise<string>;
  /** Asks for a secret, without showing it. */
  askSecret(question: string, orElse: OrElse): Promise<string>;
  /** Asks yes or no; no is the default. */
  confirm(question: string, orElse: OrElse): Promise<boolean>;
}

/** Asks nothing, for --no-input: every question fails at once. */
export function createRefusingPrompter(): Prompter {
  return { askText: refuse, askSecret: refuse, confirm: refuse };
}

function refuse(_: string, orElse: OrElse): Promise<never> {
  return Promise.reject(orElse());
}
