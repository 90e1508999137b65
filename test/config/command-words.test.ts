// Command lines: quoting any list of words and splitting the line again returns the same words.
import { array, assert, constantFrom, oneof, property, string } from "fast-check";
import { expect, test } from "vitest";
import { quoteCommand, splitCommand } from "../../src/config/command-words.ts";
import { checks } from "../../src/config/setting-forms.ts";
import { unicode } from "../support/unicode.ts";

const isCommandForProfile = (line: string): boolean => checks.command(line) === null;

const special = constantFrom(...`'"\\$\`|&;<(#*~!\n\r\t \u00a0é=%\u0000`.split(""), "🔑", "\ud800");
const word = oneof(
  string(),
  unicode(),
  array(special).map((parts) => parts.join("")),
);

test("any words are quoted and split into the same words, quoted only where needed", () => {
  assert(
    property(array(word, { minLength: 1 }), ([program = "", ...rest]) => {
      const wanted = [program === "" ? "x" : program, ...rest];
      expect(splitCommand(quoteCommand(wanted))).toEqual(wanted);
    }),
    { numRuns: 500 },
  );
  expect(quoteCommand(["pass", "show", "work/a b", "it's", ""])).toBe(`pass show 'work/a b' 'it'"'"'s' ''`);
});

test("a program in a profile has an absolute path or a bare name, and needs no shell", () => {
  assert(
    property(word, (line) => {
      if (!isCommandForProfile(line)) return;
      const [program] = splitCommand(line);
      expect(program.startsWith("/") || !program.includes("/")).toBe(true);
    }),
    { numRuns: 500 },
  );
  const refused = [
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
  ];
  expect(refused.filter(isCommandForProfile)).toEqual([]);
  const taken = [
    "pass show x",
    "/usr/bin/op read op://a/b",
    "'/opt/my tools/x'",
    "sh -c 'a | b > ./c'",
    "x ./y",
  ];
  expect(taken.filter(isCommandForProfile)).toEqual(taken);
});

test("a line is split as a shell splits it, but nothing is expanded", () => {
  const line = String.raw`pass  'a|b' $HOME "$(x)" *.ts ~ {a,b} A=1 "c \"d\"" e\ f 'é 🔑'`;
  expect(splitCommand(line)).toEqual([
    ..."pass a|b $HOME $(x) *.ts ~ {a,b} A=1".split(" "),
    'c "d"',
    "e f",
    "é 🔑",
  ]);
});

test.each(["a | b", "a; b", "a && b", "a & b", "a > b", "a < b", "(a)", "a $(b)", "a # b"])(
  "%s needs a shell",
  (line) => {
    expect(() => splitCommand(line)).toThrow(/shell/);
  },
);

test.each(["a 'b", 'a "b', "a b\\", "", " \t", "''"])("%j is no whole command", (line) => {
  expect(() => splitCommand(line)).toThrow(expect.objectContaining({ kind: "usage" }) as Error);
});
