// `--jq`: jq itself, as WebAssembly, over the JSON that a run would print. Strings come out raw, everything else as
// JSON on a line. Loaded with the first use; reads no files, and of the environment only what it is given.
import type { loadJq } from "jq-wasm";
import { Failure, usageFailure } from "../errors/errors.ts";
import { fieldOfItems, isItemByItem, pathOfItems } from "./jq-program.ts";
import { foreign } from "../errors/foreign.ts";
import { exactText } from "../json/exact-json.ts";

export interface Jq {
  /** Whether the program gives the same results for the items one by one as for the whole array. */
  readonly isItemByItem: boolean;
  /** The only field of each item that such a program reads; null where it may read others. */
  readonly field: string | null;
  /** The result for one item, where it is known without running jq; otherwise null. */
  resultOf(item: unknown): string | null;
  /** Loads jq itself, which `run` needs. */
  load(): Promise<void>;
  /**
   * The results for JSON texts that follow one another. Throws a usage failure with jq's own message, in which no token
   * of these texts is repeated.
   */
  run(json: string): readonly string[];
}

type LoadedJq = Awaited<ReturnType<typeof loadJq>>;

/** jq's exit code for a program that it does not understand. */
const notCompiled = 3;

/**
 * Compiles a program in jq's language; throws a usage failure for one with a mistake. `quietly` runs a synchronous
 * function while standard error is silent: when jq breaks down, it writes there by itself.
 */
export async function createJq(expression: string, quietly: <T>(work: () => T) => T): Promise<Jq> {
  const path = pathOfItems(expression);
  let jq: LoadedJq | null = null;
  const load = async (): Promise<void> => {
    // Loaded here, because jq takes as long to load as the rest of a start.
    const library = await import("jq-wasm");
    jq = await library.loadJq();
  };
  // A program that begins with a hyphen would be taken for a flag.
  const program = expression.trimStart().startsWith("-") ? `(${expression}\n)` : expression;
  /** The failure with which jq broke down: its memory cannot be used after that. */
  let breakdown: Failure | null = null;
  const call = (json: string): ReturnType<LoadedJq["raw"]> => {
    if (breakdown !== null) throw breakdown;
    const loaded = jq;
    if (loaded === null) throw new Error("jq is not loaded");
    try {
      return quietly(() => loaded.raw(readable(json), program, ["-c"]));
    } catch (error) {
      breakdown = brokenDown(error);
      throw breakdown;
    }
  };
  const run = (json: string): readonly string[] => {
    const { stdout, stderr, exitCode } = call(json);
    if (exitCode !== 0) {
      // jq's message repeats a part of its input, and the redactor would not recognise half of a token. So jq runs again
      // with another text in the token's place, for a message without it.
      const harmless = json.replaceAll(tokens, '$1"(the token)"');
      throw usageFailure(
        `--jq: ${foreign(reasonOf(harmless === json ? stderr : call(harmless).stderr))}`,
        exitCode === notCompiled
          ? "grantctl help formatting has programs that work; put single quotes around yours, so that the shell leaves it alone"
          : "grantctl … --json shows what it is given",
      );
    }
    return stdout === "" ? [] : stdout.split("\n").map(toRaw);
  };
  if (path === null) {
    await load();
    run("");
  }
  return {
    resultOf: (item) => (path === null ? null : resultAt(item, path)),
    load: () => (jq === null ? load() : Promise.resolve()),
    isItemByItem: isItemByItem(expression),
    field: fieldOfItems(expression),
    run,
  };
}

/**
 * A program with `$ENV` and `env` as they are for other programs, without grantctl's own variables: WebAssembly has an
 * environment of its own, in which the names that a user knows are null, and `.note == $ENV.NOTE` finds what has none.
 */
export function withEnvironment(program: string, environment: Readonly<Record<string, string>>): string {
  if (!/\$ENV\b|(?<!\.)\benv\b/.test(program)) return program;
  const shown = Object.entries(environment).filter(([name]) => !name.startsWith("GRANTCTL_"));
  return `${JSON.stringify(Object.fromEntries(shown))} as $ENV | def env: $ENV;\n${program}`;
}

/** The values of tokens in JSON, which lists leave empty; the first group is what stands before each. */
const tokens = /("token"\s*:\s*)"(?:[^"\\]|\\.)+"/g;

/** The text as jq reads it. */
function readable(json: string): string {
  if (!json.includes(String.raw`\u`)) return json;
  return json.replaceAll(surrogates, (escape: string, before: string, pair?: string) =>
    pair === undefined ? String.raw`${before}\ufffd` : escape,
  );
}

/** The failure for an error that WebAssembly threw; its message names the reason, except where memory ran out. */
function brokenDown(cause: unknown): Failure {
  const said = cause instanceof Error ? cause.message : "";
  const reason = said.startsWith("Aborted()") ? "jq ran out of memory" : `jq failed: ${foreign(said)}`;
  return new Failure("usage", `--jq: ${reason}`, { hint: "let it take less at once", cause });
}

/**
 * Surrogates written as escapes, pairs in the second group: jq refuses lone ones. The backslashes before an escape come
 * in pairs; with an odd one, it would be no escape.
 */
const surrogates =
  /((?<!\\)(?:\\\\)*)(?:(\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})|\\u[dD][89a-fA-F][0-9a-fA-F]{2})/g;

function toRaw(line: string): string {
  return line.startsWith('"') ? (JSON.parse(line) as string) : line;
}

/** jq's own words, on one line. */
function reasonOf(stderr: string): string {
  const [first = ""] = stderr.split("\n");
  return (
    first
      .replace(/^jq: (?:error(?: \(at [^)]*\))?:? ?)?/, "")
      .replace(/:$/, "")
      .trim() || "failed"
  );
}

/** A whole number that jq prints unchanged. */
const plainNumber = /^(?:0|-?[1-9]\d{0,30})$/;

/**
 * What jq would print for the value at that path, strings raw; null where jq has to decide. Most programs are only a
 * path into each item, such as `.[].app.name`, and where it leads to a plain value, jq need not run.
 */
function resultAt(item: unknown, path: readonly string[]): string | null {
  let value = item;
  for (const name of path) {
    if (value === null) return "null";
    if (typeof value !== "object" || Array.isArray(value) || exactText(value) !== null) return null;
    value = Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : null;
  }
  if (value === null) return "null";
  if (typeof value === "boolean") return String(value);
  // jq would change a lone surrogate.
  if (typeof value === "string") return /\p{Surrogate}/u.test(value) ? null : value;
  const digits = exactText(value);
  return digits !== null && plainNumber.test(digits) ? digits : null;
}
