// Arbitrary Unicode text for property tests. Replaces fast-check's unit "binary", which maps all million characters
// first: more than a second of CPU time in each process, and in each round of mutation testing.
import { integer, string, type Arbitrary, type StringConstraints } from "fast-check";

const firstSurrogate = 0xd800;
const surrogates = 0x800;

const character: Arbitrary<string> = integer({ min: 0, max: 0x10ffff - surrogates }).map(
  (place) => String.fromCodePoint(place < firstSurrogate ? place : place + surrogates),
  (text) => {
    // fast-check calls this to insert texts that often cause bugs.
    if (typeof text !== "string" || Array.from(text).length !== 1) throw new Error("not one character");
    const code = text.codePointAt(0) ?? 0;
    return code < firstSurrogate ? code : code - surrogates;
  },
);

/** Any valid Unicode text. */
export function unicode(lengths: StringConstraints = {}): Arbitrary<string> {
  return string({ ...lengths, unit: character });
}
