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
  /** As `read`, but resolves with null, and closes standard input, if no byte arrives within the limit. */
  readSoon(purpose: string, limitMs: number): Promise<string | null>;
  readonly isTerminal: boolean;
}

/** If no byte arrives for this time, a note is printed: a script that inherited an open input would seem to hang. */
const silentMs = 5000;

/** Standard input for one reader; a second one gets a usage failure. `note` prints a message. */
export function createStandardInput(
  stdin: { readonly stream: Readable; readonly isTerminal: boolean },
  note: (line: string) => void = () => undefined,
): StandardInput {
  let reader: string | null = null;
  const standardInput: StandardInput = {
    isTerminal: stdin.isTerminal,
    async readSoon(purpose, limitMs) {
      const { stream } = stdin;
      const text = standardInput.read(purpose);
      // Nothing awaits the text after the time limit; prevent an unhandled rejection.
      text.catch(() => undefined);
      let giveUp: NodeJS.Timeout | undefined;
      const tooLate = new Promise<null>((resolve) => {
        giveUp = setTimeout(() => {
          resolve(null);
          stream.destroy();
        }, limitMs);
        stream.once("data", () => {
          clearTimeout(giveUp);
        });
      });
      return Promise.race([text, tooLate]).finally(() => {
        clearTimeout(giveUp);
      });
    },
    async *pieces(purpose) {
      if (reader !== null) {
        throw usageFailure(`standard input cannot contain both ${reader} and ${purpose}`);
      }
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
        const { code } = error as NodeJS.ErrnoException;
        throw usageFailure(`standard input, which should contain ${purpose}, cannot be read: ${code}`);
      } finally {
        clearTimeout(silence);
      }
    },
    async read(purpose) {
      const chunks: Buffer[] = [];
      let size = 0;
      for await (const bytes of standardInput.pieces(purpose)) {
        size += bytes.length;
        if (size > maxBytes) throw usageFailure("standard input is larger than 256 MiB");
        chunks.push(bytes);
      }
      return decodeText(Buffer.concat(chunks), (reason, hint) =>
        usageFailure(`standard input, which should contain ${purpose}, cannot be read: ${reason}`, hint),
      );
    },
  };
  return standardInput;
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
