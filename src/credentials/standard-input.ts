// Standard input has one reader per run: it contains a secret or a list, never both.
import { usageFailure } from "../errors/errors.ts";
import type { Host } from "../system/host.ts";
import { decodeRead, readStream } from "../system/reads.ts";

export function createStandardInput(stdin: Host["stdin"]) {
  let reader: string | null = null;
  return {
    isTerminal: stdin.isTerminal,
    wasRead: () => reader !== null,
    /** Reads everything as UTF-8. `purpose` names the content for messages; a second reader gets a usage failure. */
    async read(purpose: string): Promise<string> {
      if (reader !== null) throw usageFailure(`standard input cannot contain both ${reader} and ${purpose}`);
      reader = purpose;
      const refuse = (reason: string, hint?: string) =>
        usageFailure(`standard input, which should contain ${purpose}, cannot be read: ${reason}`, hint);
      return decodeRead(readStream(stdin.stream), refuse);
    },
  };
}

/** Extracts a secret from the text: its only line, without line break. Throws a usage failure if it has several. */
export function secretFrom(text: string, what: string): string {
  const secret = text.replace(/\r?\n$/, "");
  if (/[\r\n]/.test(secret)) throw usageFailure(`the ${what} on standard input has more than one line`);
  return secret;
}
