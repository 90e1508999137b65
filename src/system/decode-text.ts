// Decodes input as UTF-8. Any other encoding would be a guess, so it is rejected, and UTF-16 is named: PowerShell 5 writes
// it by default.
import type { Failure } from "../errors/errors.ts";

/** Creates the failure for rejected input, with the reason in its message. */
export type Refusal = (reason: string, hint?: string) => Failure;

/** Decodes a whole text, without the byte order mark. Throws the failure that `refuse` creates. */
export function decodeText(bytes: Buffer, refuse: Refusal): string {
  if (isUtf16(bytes))
    throw refuse(
      "it is UTF-16, not UTF-8",
      "Convert it to UTF-8 with `iconv -f UTF-16 -t UTF-8`. In PowerShell, write it with `Out-File -Encoding utf8`.",
    );
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw refuse("it is not UTF-8 text");
  }
}

/** True for a byte order mark of UTF-16, or for an ASCII character with its zero byte. */
function isUtf16([first, second]: Buffer): boolean {
  if (first === undefined || second === undefined) return false;
  const mark = first * 256 + second;
  return mark === 0xfffe || mark === 0xfeff || (first === 0) !== (second === 0);
}
