// Standard input has one reader per run: it contains a secret or a list, never both.
import type { Readable } from "node:stream";
import { isFailure, usageFailure } from "../errors/errors.ts";
import { decodeText } from "../files/decode-text.ts";

const maxBytes = 256 * 1024 * 1024;

export interface StandardInput {
  /** Reads everything as UTF-8. `purpose` names the content for messages, such as the failure of a second reader. */
  read(purpose: string): Promise<string>;
  /** Streams the bytes, without a size limit. Also only for one reader. */
  pieces(purpose: string): AsyncIterable<Buffer>;
  readonly isTerminal: boolean;
  /** True if it has had a reader. */
  wasRead(): boolean;
}

/** If no byte arrives for this time, a note is printed: a script that inherited an open input would seem to hang. */
const silentMs = 5000;

/** Standard input for one reader; a second one gets a usage failure. `note` prints a message. */
export function createStandardInput(
  stdin: { readonly stream: Readable; readonly isTerminal: boolean },
  note: (line: string) => void = () => undefined,
): StandardInput {
  let reader: string | null = null;
  async function* pieces(purpose: string): AsyncIterable<Buffer> {
    if (reader !== null) throw usageFailure(`standard input cannot contain both ${reader} and ${purpose}`);
    reader = purpose;
    const silence = setTimeout(() => {
      note(`waiting for ${purpose} on standard input`);
    }, silentMs);
    try {
      for await (const chunk of stdin.stream) {
        clearTimeout(silence);
        yield Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk));
      }
    } catch (error) {
      if (isFailure(error)) throw error;
      throw unreadable(purpose, String((error as NodeJS.ErrnoException).code));
    } finally {
      clearTimeout(silence);
    }
  }
  return {
    isTerminal: stdin.isTerminal,
    wasRead: () => reader !== null,
    pieces,
    async read(purpose) {
      const chunks: Buffer[] = [];
      let size = 0;
      for await (const bytes of pieces(purpose)) {
        size += bytes.length;
        if (size > maxBytes) throw usageFailure("standard input is larger than 256 MiB");
        chunks.push(bytes);
      }
      return decodeText(Buffer.concat(chunks), (reason, hint) => unreadable(purpose, reason, hint));
    },
  };
}

function unreadable(purpose: string, reason: string, hint?: string) {
  return usageFailure(`standard input, which should contain ${purpose}, cannot be read: ${reason}`, hint);
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
