// Standard input has one reader per run: it contains a secret or a list, never both.
import type { Readable } from "node:stream";
import { usageFailure } from "../errors/errors.ts";
import { decodeText } from "../system/decode-text.ts";

const maxBytes = 256 * 1024 * 1024;

/** If no byte arrives for this time, a note is printed: a script that inherited an open input would seem to hang. */
const silentMs = 5000;

export interface StandardInput {
  /** Reads everything as UTF-8. `purpose` names the content for messages; a second reader gets a usage failure. */
  read(purpose: string): Promise<string>;
  readonly isTerminal: boolean;
  /** True if it has had a reader. */
  wasRead(): boolean;
}

/** `note` prints a message. */
export function createStandardInput(
  stdin: { readonly stream: Readable; readonly isTerminal: boolean },
  note: (line: string) => void = () => undefined,
): StandardInput {
  let reader: string | null = null;
  return {
    isTerminal: stdin.isTerminal,
    wasRead: () => reader !== null,
    async read(purpose) {
      if (reader !== null) throw usageFailure(`standard input cannot contain both ${reader} and ${purpose}`);
      reader = purpose;
      const refuse = (reason: string, hint?: string) =>
        usageFailure(`standard input, which should contain ${purpose}, cannot be read: ${reason}`, hint);
      const silence = setTimeout(() => {
        note(`waiting for ${purpose} on standard input`);
      }, silentMs);
      const chunks: Buffer[] = [];
      let size = 0;
      try {
        for await (const chunk of stdin.stream) {
          clearTimeout(silence);
          const bytes = Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk));
          size += bytes.length;
          if (size > maxBytes) break;
          chunks.push(bytes);
        }
      } catch (error) {
        throw refuse(String((error as NodeJS.ErrnoException).code));
      } finally {
        clearTimeout(silence);
      }
      if (size > maxBytes) throw refuse("it is larger than 256 MiB");
      return decodeText(Buffer.concat(chunks), refuse);
    },
  };
}

/**
 * Extracts a secret from the text: a single line, without line break and byte order mark. Throws a usage failure if it
 * is empty or has several lines.
 */
export function secretFrom(text: string, what: string): string {
  const secret = text.replace(/^\uFEFF/, "").replace(/\r?\n$/, "");
  if (secret === "") throw usageFailure(`the ${what} on standard input is empty`);
  if (/[\r\n]/.test(secret)) throw usageFailure(`the ${what} on standard input has more than one line`);
  return secret;
}
