// Decodes input as UTF-8. Any other encoding would be a guess, so it is rejected, and UTF-16 is named: PowerShell 5 writes
// it by default.
import type { Failure } from "../errors/errors.ts";

/** Creates the failure for rejected input, with the reason in its message. */
export type Refusal = (reason: string, hint?: string) => Failure;

/** The failure for bytes that are not UTF-8. */
function notUtf8(refuse: Refusal): Failure {
  return refuse("it is not UTF-8 text");
}

/** Throws the failure that `refuse` creates if the first bytes of a text show that it is UTF-16. */
function refuseUtf16(beginning: Buffer, refuse: Refusal): void {
  if (!isUtf16(beginning)) return;
  throw refuse(
    "it is UTF-16, not UTF-8",
    "Convert it to UTF-8 with `iconv -f UTF-16 -t UTF-8`. In PowerShell, write it with `Out-File -Encoding utf8`.",
  );
}

/** Decodes a whole text, without the byte order mark. Throws the failure that `refuse` creates. */
export function decodeText(bytes: Buffer, refuse: Refusal): string {
  refuseUtf16(bytes, refuse);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw notUtf8(refuse);
  }
}

/** True for a byte order mark of UTF-16, or for an ASCII character with its zero byte. */
function isUtf16(beginning: Buffer): boolean {
  if (beginning.length < 2) return false;
  const [first, second] = beginning;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) return true;
  return (first === 0) !== (second === 0);
}
