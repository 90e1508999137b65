// Unpacks the body of an answer that came compressed although grantctl did not ask for it. The answer stays untrusted:
// it is unpacked for the journal alone, so that a token in it is not lost.
import { createBrotliDecompress, createInflate, createInflateRaw, createUnzip } from "node:zlib";
import type { Transform } from "node:stream";

/** More than any answer with one token has, so that a decompression bomb ends here. */
const mostBytes = 1024 * 1024;

/** The body without these codings (RFC 9110, 8.4), as much as can be unpacked; unchanged where nothing can. */
export async function unpack(body: Buffer, codings: string): Promise<Buffer> {
  let plain = body;
  for (const coding of codings.split(",").toReversed())
    plain = await undo(plain, coding.trim().toLowerCase());
  return plain;
}

function undo(body: Buffer, coding: string): Promise<Buffer> {
  const unpacking = unpackingOf(coding, body);
  if (unpacking === null) return Promise.resolve(body);
  return new Promise((resolve) => {
    const pieces: Buffer[] = [];
    let bytes = 0;
    unpacking.on("data", (piece: Buffer) => {
      pieces.push(piece);
      bytes += piece.length;
      if (bytes > mostBytes) unpacking.destroy();
    });
    // An error ends the unpacking; the bytes before it count.
    unpacking.on("error", () => undefined);
    unpacking.on("close", () => {
      resolve(pieces.length === 0 ? body : Buffer.concat(pieces));
    });
    unpacking.end(body);
  });
}

function unpackingOf(coding: string, body: Buffer): Transform | null {
  if (coding === "gzip" || coding === "x-gzip") return createUnzip();
  if (coding === "br") return createBrotliDecompress();
  if (coding !== "deflate") return null;
  // Some servers send `deflate` without zlib's header, whose first byte has 8 in its lower half (RFC 1950, 2.2).
  return ((body[0] ?? 0) & 0x0f) === 8 ? createInflate() : createInflateRaw();
}
