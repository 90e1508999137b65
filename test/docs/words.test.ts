// Plain technical English: phrases that once made help, messages, guides and comments read like a translation, with what
// to write instead. It is not a spell checker: each pattern is here because it was used in many places.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));

interface Phrase {
  readonly pattern: RegExp;
  readonly instead: string;
}

const phrases: readonly Phrase[] = [
  { pattern: /, where (?:it|there|the|a|an|one|no|they|none)\b/, instead: "`if`; `where` is for places" },
  { pattern: /\bnull where\b/, instead: "or null; null if" },
  { pattern: /\bunder way\b/, instead: "in flight, running, pending" },
  { pattern: /\bput off\b/, instead: "rate limited, delayed" },
  { pattern: /\bby itself\b/, instead: "automatically; say who acts" },
  { pattern: /\b(?:is|are) (?:told|said|to be had)\b/, instead: "is reported; say who acts" },
  { pattern: /\bends? with (?:the exit code |exit code |code )?\d/, instead: "exits with code 2" },
  { pattern: /\bfor good\b/, instead: "permanently" },
  { pattern: /\bfor long\b/, instead: "in a long time" },
  { pattern: /\bway on\b/, instead: "resume hint" },
  { pattern: /\bdeeds?\b/, instead: "action" },
  { pattern: /\bon purpose\b/, instead: "leave it out" },
  { pattern: /\b(?:one|object|item|line|id|ID|token|name)s? a line\b/, instead: "per line" },
  { pattern: /\b(?:lives on|lived on|alive|dead tokens?)\b/, instead: "active; revoked or expired" },
  { pattern: /\bservice (?:knows|wants|says|hears|believes|sees)\b/, instead: "supports, requires, reports" },
  { pattern: /\b(?:is|are) asked for\b/, instead: "prompts for; requests" },
  { pattern: /\banswers both alike\b/, instead: "returns the same response for both" },
  { pattern: /\bnone of these\b/, instead: "by default" },
  { pattern: /\bin the place of\b/, instead: "instead of; replaces" },
  { pattern: /\bgoes on\b/, instead: "continues" },
  { pattern: /\bnobody can be asked\b/, instead: "there is no terminal to confirm on" },
  { pattern: /\bthat which\b/i, instead: "name the thing" },
];

/** Further phrases that comments must not have. */
const inComments: readonly Phrase[] = [
  {
    pattern: /(?:^|[.:;] )(?:What|Which|Whether|Where|Those that)\b/,
    instead: "name the thing first; True if",
  },
  { pattern: /[,;(] where (?:it|there|the|an?|one|no|they|none|that|this|nobody|nothing)\b/, instead: "if" },
  { pattern: /\b(?:empty|absent|false|true|undefined|failure|failures) where\b/i, instead: "if" },
  { pattern: /\b(?:this|other|every|the one) rooms?\b/, instead: "module, layer" },
  { pattern: /\b(?:service|server) (?:asks|tells|means)\b/, instead: "requests, returns" },
];

/** Openings that titles of tests must not have. */
const inTitles: readonly Phrase[] = [
  {
    pattern: /^(?:what|whatever|which|whether|where|who|whoever|nobody|no one)\b/i,
    instead: "name the thing first",
  },
];

/** Further patterns, by the kind of text. */
const further: Readonly<Record<string, readonly Phrase[]>> = { comments: inComments, titles: inTitles };

/** Texts that may keep such a phrase, and why. */
const exceptions: readonly (readonly [text: string, why: string])[] = [
  ['select(.state == "alive")', "a published value in JSON"],
  ["alive|dead", "published values in JSON"],
  ["`alive`, `dead`", "the same in the README"],
  ["| alive", "a published value, as a row of `token inspect` has it"],
  ["> alive", "the same on a terminal"],
  ["process alive", "the usual term for a process that must not end"],
  ["keep-alive", "the name of the mechanism"],
];

describe.each<readonly [string, () => readonly (readonly [place: string, text: string])[]]>([
  ["guides", guides],
  ["help", help],
  ["messages", messages],
  ["comments", comments],
  ["titles", titles],
])("%s", (name, read) => {
  test("are in plain technical English", () => {
    const patterns = [...phrases, ...(further[name] ?? [])];
    const found = read().flatMap(([place, text]) =>
      patterns
        .filter(({ pattern }) => pattern.test(text))
        .filter(() => !exceptions.some(([allowed]) => text.includes(allowed)))
        .map(({ instead }) => `${place}: ${text.trim().slice(0, 120)} (instead: ${instead})`),
    );
    expect(found).toEqual([]);
  });
});

function guides(): readonly (readonly [string, string])[] {
  const pages = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs/development.md"];
  const folder = readdirSync(join(root, "docs/guides")).map((name) => `docs/guides/${name}`);
  return [...pages, ...folder].flatMap((page) => linesOf(page));
}

/** The reference is the text of help. */
function help(): readonly (readonly [string, string])[] {
  return linesOf("docs/reference.md");
}

/** The lines of the transcripts for standard error and terminals. */
function messages(): readonly (readonly [string, string])[] {
  const folder = "test/transcripts";
  const names = readdirSync(join(root, folder)).filter(
    (name) => name.endsWith(".txt") && name !== "help.txt",
  );
  return names.flatMap((name) => linesOf(`${folder}/${name}`)).filter(([, text]) => /^[!>] /.test(text));
}

function linesOf(page: string): readonly (readonly [string, string])[] {
  const lines = readFileSync(join(root, page), "utf8").split("\n");
  return lines.map((line, at) => [`${page}:${at + 1}`, line]);
}

const isSource = (name: string): boolean => /\.(?:ts|js|mjs)$/.test(name) && !name.includes("node_modules");

/** The titles of the tests. */
function titles(): readonly (readonly [string, string])[] {
  const names = readdirSync(join(root, "test"), { recursive: true, encoding: "utf8" }).filter(isSource);
  return names.flatMap((name) => {
    const code = readFileSync(join(root, "test", name), "utf8");
    const found = code.matchAll(
      /(?:\b(?:test|it|describe)|\))\(\s*(["`])((?:(?!\1).)+)\1,\s*(?:\{|async|\()/g,
    );
    return [...found].map(
      ({ index, 2: title = "" }) =>
        [`test/${name}:${code.slice(0, index).split("\n").length}`, title] as const,
    );
  });
}

/** The comments of all sources, each in one line; consecutive line comments are one. */
function comments(): readonly (readonly [string, string])[] {
  const files = [
    ...readdirSync(root).filter(isSource),
    ...["src", "test", "bin", "packages"].flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
        .filter(isSource)
        .map((name) => `${folder}/${name}`),
    ),
  ];
  return files.flatMap((file) => commentsOf(file, readFileSync(join(root, file), "utf8")));
}

/** Comments, and tokens that can contain comment-like text: strings, templates and regular expressions. */
const tokens =
  /(?<comment>(?:\/\/.*(?:\n[ \t]*)?)+|\/\*[^]*?\*\/)|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`|(?<=[=(,:&|!?{};[>]\s*)\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\//g;

function commentsOf(file: string, code: string): readonly (readonly [string, string])[] {
  return [...code.matchAll(tokens)].flatMap(({ index, groups }) => {
    const comment = groups?.["comment"];
    if (comment === undefined) return [];
    const line = code.slice(0, index).split("\n").length;
    const text = comment
      .replaceAll(/^\/\*+|\*+\/$|^\s*\/\/|\n\s*(?:\*|\/\/)/g, " ")
      .replaceAll(/\s+/g, " ")
      .trim();
    return [[`${file}:${line}`, text] as const];
  });
}
