// Command lines: quoting any list of words and splitting the line again returns the same words.
import { array, assert, constantFrom, oneof, property, string } from "fast-check";
import { expect, test } from "vitest";
import { isCommandForProfile, quoteCommand, splitCommand } from "../../src/config/command-words.ts";
import { unicode } from "../support/unicode.ts";

const special = constantFrom(
  "'",
  '"',
  "\\",
  "$",
  "`",
  "|",
  "&",
  ";",
  "<",
  "(",
  "#",
  "*",
  "~",
  "!",
  "\n",
  "\r",
  "\t",
  " ",
  "\u00a0",
  "é",
  "🔑",
  "\ud800",
  "\u0000",
  "=",
  "%",
);
const word = oneof(
  string(),
  unicode(),
  array(special).map((parts) => parts.join("")),
);

test("splits the line for any words into the same words", () => {
  assert(
    property(array(word, { minLength: 1 }), (words) => {
      const [program = ""] = words;
      const wanted = [program === "" ? "x" : program, ...words.slice(1)];
      expect(splitCommand(quoteCommand(wanted))).toEqual(wanted);
    }),
    { numRuns: 2000 },
  );
});

test("quotes only the words that need it", () => {
  expect(quoteCommand(["pass", "show", "work/a b", "it's", ""])).toBe(`pass show 'work/a b' 'it'"'"'s' ''`);
});

test("accepts in a profile only programs with an absolute path or a bare name", () => {
  assert(
    property(word, (line) => {
      const isTaken = isCommandForProfile(line);
      if (!isTaken) return;
      const [program] = splitCommand(line);
      expect(program.startsWith("/") || !program.includes("/")).toBe(true);
    }),
    { numRuns: 2000 },
  );
});

test.each([
  "./x",
  "../x",
  "a/b",
  "'./x y' z",
  '"./x"',
  ".\\/x",
  "a\\\\b",
  "~/bin/x",
  "'' x",
  "",
  "$(x)",
  "x |",
])("rejects %s in a profile", (line) => {
  expect(isCommandForProfile(line)).toBe(false);
});

test.each(["pass show x", "/usr/bin/op read op://a/b", "'/opt/my tools/x'", "sh -c 'a | b > ./c'", "x ./y"])(
  "accepts %s in a profile",
  (line) => {
    expect(isCommandForProfile(line)).toBe(true);
  },
);
