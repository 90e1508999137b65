// A text in few large pieces: each is a call of the operating system.

/** The same text in pieces of about this length, at least; none where it is empty. */
export function* inLargePieces(pieces: Iterable<string>, length: number): Generator<string> {
  let gathered = "";
  for (const piece of pieces) {
    gathered += piece;
    if (gathered.length < length) continue;
    yield gathered;
    gathered = "";
  }
  if (gathered !== "") yield gathered;
}
