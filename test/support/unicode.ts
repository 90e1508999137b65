// Text of any characters, for properties. As fast-check's unit "binary", which first maps all million characters: over
// a second of a processor in each process that loads such a test, and in each round of mutation testing.
import { integer, string, type Arbitrary, type StringConstraints } from "fast-check";

const firstSurrogate = 0xd800;
const surrogates = 0x800;

const character: Arbitrary<string> = integer({ min: 0, max: 0x10ffff - surrogates }).map(
  (place) => String.fromCodePoint(place < firstSurrogate ? place : place + surrogates),
  (text) => {
    // fast-check asks, to weave in texts that are often mistaken.
    if (typeof text !== "string" || Array.from(text).length !== 1) throw new Error("not one character");
    const code = text.codePointAt(0) ?? 0;
    return code < firstSurrogate ? code : code - surrogates;
  },
);

/** Any text that is valid Unicode. */
export function unicode(lengths: StringConstraints = {}): Arbitrary<string> {
  return string({ ...lengths, unit: character });
}
