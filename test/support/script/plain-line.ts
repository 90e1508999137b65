// Reads a command line as a shell would, without one: words, quotes, variables, pipes and an input file.
import { readFileSync } from "node:fs";
import { resolve } from "node:path";

export interface PlainCommand {
  readonly words: readonly string[];
  readonly environment: Record<string, string>;
  /** Standard input; null for what the command before it prints, or nothing. */
  readonly input: string | null;
}

/** The commands of a pipeline, read as a shell would: words, variables and standard input. */
export function readLine(
  line: string,
  given: Readonly<Record<string, string>>,
  home: string,
): readonly PlainCommand[] {
  const needsShell = (): Error => new Error(`${line}\n  needs a shell: begin it with sh$`);
  const commands: PlainCommand[] = [];
  let input: string | null = null;
  let words: string[] = [];
  let environment: Record<string, string> = { ...given };
  let isFile = false;
  const endCommand = (): void => {
    const [name, ...rest] = words;
    if (name === "grantctl") commands.push({ words: rest, environment, input });
    else if (commands.length > 0) throw needsShell();
    input = name === "printf" ? printf(rest) : null;
    if (name === "echo") input = `${rest.join(" ")}\n`;
    words = [];
    environment = { ...given };
  };
  const pattern = /((?:'[^']*'|"(?:\\.|[^"\\])*"|\\.|[^\s'"|<>();&\\])+)|([|<>();&]+)|(?:\s|\\\n)+/g;
  for (const [, word, operator] of line.matchAll(pattern)) {
    if (word !== undefined) {
      const value = unquote(word, given);
      const [, name, set] = /^(\w+)=(.*)$/s.exec(value) ?? [];
      if (isFile) input = readFileSync(resolve(home, value), "utf8");
      else if (words.length === 0 && name !== undefined && set !== undefined) environment[name] = set;
      else words.push(value);
      isFile = false;
    } else if (operator === "<") isFile = true;
    else if (operator === "|") endCommand();
    else if (operator !== undefined) throw needsShell();
  }
  endCommand();
  if (commands.length === 0) throw needsShell();
  return commands;
}

/** What the shell's printf prints for the formats that scripts use: one with or without a %s. */
function printf([format = "", ...words]: readonly string[]): string {
  const text = format.replaceAll("\\n", "\n");
  return words.length === 0 ? text : words.map((word) => text.replace("%s", () => word)).join("");
}

/** A word as a shell expands it. */
function unquote(word: string, given: Readonly<Record<string, string>>): string {
  const expand = (text: string): string =>
    text.replaceAll(
      /\$(?:(\w+)|\{(\w+)\})/g,
      (_, one?: string, other?: string) => given[one ?? other ?? ""] ?? "",
    );
  return [...word.matchAll(/'([^']*)'|"((?:\\.|[^"\\])*)"|\\(.)|([^'"\\]+)/gs)]
    .map(([, single, double, escaped, bare]) => {
      if (double !== undefined) return expand(double.replaceAll(/\\(["\\$`])/g, "$1"));
      return single ?? escaped ?? expand(bare ?? "");
    })
    .join("");
}
