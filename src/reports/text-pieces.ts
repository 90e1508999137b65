// Decodes bytes piece by piece as UTF-8, without a byte order mark. Any other encoding is named and refused, and never
// guessed at.
import type { Failure } from "../errors/errors.ts";

/** Makes the failure for an input that is refused, with the reason in its message. */
export type Refusal = (reason: string, hint?: string) => Failure;

/** The text of these bytes, piece by piece. Throws what `refuse` makes of the reason. */
export async function* textPieces(
  bytes: AsyncIterable<Buffer>,
  refuse: Refusal,
): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const decode = (piece?: Buffer): string => {
    try {
      return decoder.decode(piece, { stream: piece !== undefined });
    } catch {
      throw refuse("it is not UTF-8 text");
    }
  };
  let beginning: Buffer | null = Buffer.alloc(0);
  for await (const piece of bytes) {
    if (beginning === null) {
      yield decode(piece);
      continue;
    }
    beginning = Buffer.concat([beginning, piece]);
    if (beginning.length < 2) continue;
    if (isUtf16(beginning)) {
      throw refuse("it is UTF-16, not UTF-8", "make it UTF-8 first: iconv -f UTF-16 -t UTF-8");
    }
    yield decode(beginning);
    beginning = null;
  }
  if (beginning !== null) yield decode(beginning);
  yield decode();
}

/** A byte order mark of UTF-16, or an ASCII sign with a zero byte beside it, where there is no mark. */
function isUtf16(beginning: Buffer): boolean {
  const [first, second] = beginning;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) return true;
  return (first === 0) !== (second === 0);
}
