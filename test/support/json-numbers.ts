// JSON numbers that a double cannot represent exactly. Every reader of JSON must preserve their digits.

/** Integers around and beyond the exact range of a double, as in IDs. */
export const longIds: readonly string[] = [
  "9007199254740991",
  "9007199254740992",
  "9007199254740993",
  "-9007199254740993",
  "18446744073709551615",
  "10000000000000000000000000",
  "1".repeat(500),
];

/** Numbers that cannot be IDs. */
export const oddNumbers: readonly string[] = [
  "0.1234567890123456789",
  "12345678901234567890.5",
  "1234567890123456789e5",
  "1.0000000000000001",
  "7.0",
  "1.50",
  "-0.0",
  "-0",
  "1e3",
  "1E+2",
  "0.0000001",
  "1e400",
];
