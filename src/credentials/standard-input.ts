// Standard input, which is read only once: for a secret or for a list, never for both.
import type { Readable } from "node:stream";
import { isFailure, usageFailure } from "../errors/errors.ts";

const maxBytes = 256 * 1024 * 1024;

export interface StandardInput {
  /** Everything on standard input, as UTF-8. `purpose` names the reader, for the message to a second one. */
  read(purpose: string): Promise<string>;
  /** The bytes on standard input, as they come and however many they are; for one reader, too. */
  pieces(purpose: string): AsyncIterable<Buffer>;
  /** The same as `read`, or null if the first of it does not come within the limit, and from then on nothing. */
  readSoon(purpose: string, limitMs: number): Promise<string | null>;
  readonly isTerminal: boolean;
}

/** After this time without a byte, the reader is named: a script that passes on its own input would seem to hang. */
const silentMs = 5000;

/** Standard input for one reader; a second reader gets a usage failure. `note` prints a line for a person. */
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
      // After the time limit, no caller waits for the text, so a failure to read it must not be unhandled.
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
        throw usageFailure(`standard input cannot hold both ${reader} and ${purpose}`);
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
        throw usageFailure(`standard input, which should hold ${purpose}, cannot be read: ${code}`);
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
      try {
        return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(chunks));
      } catch {
        throw usageFailure(`standard input, which should hold ${purpose}, is not UTF-8 text`);
      }
    },
  };
  return standardInput;
}

/**
 * The secret in what was read: one line, its end and a byte order mark taken off. Throws a usage failure when it is
 * empty or has more than one line.
 */
export function secretFrom(text: string, what: string): string {
  const secret = text.replace(/^\uFEFF/, "").replace(/\r?\n$/, "");
  if (secret === "") throw usageFailure(`the ${what} on standard input is empty`);
  if (/[\r\n]/.test(secret)) throw usageFailure(`the ${what} on standard input has more than one line`);
  return secret;
}
