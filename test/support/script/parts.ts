// Reads the text of a script: its parts in order, without what its lines printed.
import type { Step } from "../terminal.ts";

/** One part of a script: lines that are copied, and what they mean. */
export type Part =
  | { readonly kind: "comment"; readonly copied: readonly string[] }
  | {
      readonly kind: "sandbox" | "server" | "set" | "headers";
      readonly copied: readonly string[];
      readonly value: string;
    }
  | { readonly kind: "fresh"; readonly copied: readonly string[] }
  | {
      readonly kind: "file";
      readonly copied: readonly string[];
      readonly value: string;
      readonly content: string;
    }
  | { readonly kind: "answers"; readonly copied: readonly string[] }
  | { readonly kind: "command"; readonly copied: readonly string[]; readonly command: CommandLine };

export interface CommandLine {
  readonly line: string;
  /** The width of the terminal; 0 for pipes. */
  readonly columns: number;
  readonly isShell: boolean;
  readonly steps: readonly Step[];
}

/** The parts of a script without what its lines printed. */
export function partsOf(script: string): readonly Part[] {
  const lines = script.split("\n").filter((line) => !/^[|!>=@]/.test(line));
  const parts: Part[] = [];
  /** The lines after this one that match; `at` moves behind them. */
  let at = 0;
  const takeWhile = (pattern: RegExp): readonly string[] => {
    const taken: string[] = [];
    while (pattern.test(lines[at] ?? "")) taken.push(lines[at++] ?? "");
    return taken;
  };
  while (at < lines.length) {
    const line = lines[at++] ?? "";
    const [, directive, value = ""] = /^# (sandbox|server|set|headers|file|fresh)\b:?(.*)$/.exec(line) ?? [];
    const [, columns = "", shell] = /^(\d*)(sh)?\$ /.exec(line) ?? [];
    if (directive === "file") {
      const content = takeWhile(/^\+/);
      const text = content.map((one) => `${one.slice(2)}\n`).join("");
      parts.push({ kind: "file", copied: [line, ...content], value: value.trim(), content: text });
    } else if (directive === "fresh") parts.push({ kind: "fresh", copied: [line] });
    else if (directive !== undefined)
      parts.push({ kind: directive as "set", copied: [line], value: value.trim() });
    else if (line.startsWith("< ")) parts.push({ kind: "answers", copied: [line, ...takeWhile(/^< /)] });
    else if (/^\d*(?:sh)?\$ /.test(line)) {
      const command = [line];
      while (command.at(-1)?.endsWith("\\") === true) command.push(lines[at++] ?? "");
      const steps = takeWhile(/^\? /);
      const whole = command.join("\n").replace(/^\d*(?:sh)?\$ /, "");
      const isShell = shell !== undefined || steps.length > 0;
      const given = { line: whole, columns: Number(columns), isShell, steps: steps.map(stepOf) };
      parts.push({ kind: "command", copied: [...command, ...steps], command: given });
    } else parts.push({ kind: "comment", copied: [line] });
  }
  return parts;
}

function stepOf(line: string): Step {
  const [pattern = "", keys = ""] = line.slice(2).split(" ==> ");
  const names: Readonly<Record<string, string>> = {
    "\\r": "\r",
    "\\t": "\t",
    "\\e": "\u001b",
    "\\x03": "\u0003",
  };
  const type = keys.replace(/^raw:/, "").replaceAll(/\\(?:[rte]|x03)/g, (key) => names[key] ?? key);
  return { when: new RegExp(pattern), type, whenRaw: keys.startsWith("raw:") };
}
