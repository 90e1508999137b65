// Fragments of valid and invalid JSON, for property tests of JSON readers.

export const jsonPieces: readonly string[] = [
  ...'[]{}:,"\\ \n\t-+.eE0123456789'.split(""),
  "9007199254740993",
  "true",
  "null",
  "nul",
  '"a"',
  '"\u0000"',
  '"\\x"',
  '"\\u12"',
  "\u00a0",
  "\ufeff",
];
