// `--jq`: filters the JSON of a run with jq itself, compiled to WebAssembly.
//
//   output        strings raw, everything else as one line of JSON
//   sandboxing    jq reads no files, and only the environment that it is given, without grantctl's variables
//   paths         a program that is only a path into each item (`.[].app.name`) runs page by page, usually without
//                 loading jq; any other gets the whole array
//   secrets       jq's error messages repeat input, so a failed program runs again with tokens replaced
import type { loadJq } from "jq-wasm";
import { Failure, usageFailure } from "./errors/errors.ts";
import { exactText } from "./json.ts";

export type Jq = Awaited<ReturnType<typeof createJq>>;

type LoadedJq = Awaited<ReturnType<typeof loadJq>>;

/** jq's exit code for a program that does not compile. */
const notCompiled = 3;

/**
 * Compiles a jq program; throws a usage failure if it is invalid. `quietly` runs a synchronous function with standard
 * error suppressed, because jq writes there when it crashes.
 */
export async function createJq(expression: string, quietly: <T>(work: () => T) => T) {
  const path = pathOfItems(expression);
  let jq: LoadedJq | null = null;
  const load = async (): Promise<void> => {
    // Loaded on demand: jq takes as long to load as the rest of a start.
    const library = await import("jq-wasm");
    jq = await library.loadJq();
  };
  // A program that begins with a hyphen would be taken for a flag.
  const program = expression.trimStart().startsWith("-") ? `(${expression}\n)` : expression;
  /** Set after a crash of jq, which makes its memory unusable. */
  let crash: Failure | null = null;
  const call = (json: string): ReturnType<LoadedJq["raw"]> => {
    if (crash !== null) throw crash;
    const loaded = jq;
    if (loaded === null) throw new Error("jq is not loaded");
    try {
      return quietly(() => loaded.raw(readable(json), program, ["-c"]));
    } catch (error) {
      crash = crashFailure(error, json.length);
      throw crash;
    }
  };
  const run = (json: string): readonly string[] => {
    const { stdout, stderr, exitCode } = call(json);
    if (exitCode !== 0) {
      // jq's message repeats part of its input, and the redactor would not recognise half of a token. So jq runs again
      // with tokens replaced, to get a message without them.
      const harmless = json.replaceAll(tokens, '$1"(the token)"');
      throw usageFailure(
        `--jq: ${errorReason(harmless === json ? stderr : call(harmless).stderr)}`,
        exitCode === notCompiled
          ? "Put the program in single quotes. Run `grantctl help formatting` for examples."
          : "Run the command with --json instead to see the input of jq.",
      );
    }
    return stdout === "" ? [] : stdout.split("\n").map(toRaw);
  };
  if (path === null) {
    await load();
    run("");
  }
  return {
    /** True if the program is only a path into each item, so that single pages give the same results as all together. */
    isPath: path !== null,
    /** The result for one item if it can be computed without jq; otherwise null. */
    resultOf: (item: unknown) => (path === null ? null : resultAt(item, path)),
    /** Loads jq itself, which `run` needs. */
    load: () => (jq === null ? load() : Promise.resolve()),
    /** Throws a usage failure if this many characters of JSON exceed the memory of jq. */
    checkLength(length: number): void {
      if (length > mostAtOnce) throw outOfMemoryFailure(length);
    },
    /** The results for consecutive JSON texts. Throws a usage failure with jq's own message, which contains no token. */
    run,
  };
}

/**
 * Defines `$ENV` and `env` as in native jq, without grantctl's own variables. WebAssembly has an environment of its
 * own, in which the user's variables are null, so `.note == $ENV.NOTE` would match items without a note.
 */
export function withEnvironment(program: string, environment: Readonly<Record<string, string>>): string {
  if (!/\$ENV\b|(?<!\.)\benv\b/.test(program)) return program;
  const shown = Object.entries(environment).filter(([name]) => !name.startsWith("GRANTCTL_"));
  return `${JSON.stringify(Object.fromEntries(shown))} as $ENV | def env: $ENV;\n${program}`;
}

/** Token values in JSON; the first group is the text before the value. */
const tokens = /("token"\s*:\s*)"(?:[^"\\]|\\.)+"/g;

/** Replaces lone surrogates, which jq rejects. */
function readable(json: string): string {
  if (!json.includes(String.raw`\u`)) return json;
  return json.replaceAll(surrogates, (escape: string, before: string, pair?: string) =>
    pair === undefined ? String.raw`${before}\ufffd` : escape,
  );
}

/** The failure for an error that WebAssembly threw; its message names the reason, except when memory ran out. */
function crashFailure(cause: unknown, length: number): Failure {
  const said = cause instanceof Error ? cause.message : "";
  if (said.startsWith("Aborted()")) return outOfMemoryFailure(length, cause);
  return new Failure("usage", `--jq: jq failed: ${said}`, { cause });
}

/** JSON that fits into the memory of jq, measured with ordinary items: about 100,000 of them. */
const usualMostMegabytes = 45;

/** More characters than jq can read at once, whatever their content: even a single string of 80 MB is too long. */
const mostAtOnce = 100_000_000;

/** The failure of a program that read this many characters of JSON at once. */
function outOfMemoryFailure(length: number, cause?: unknown): Failure {
  const megabytes = Math.ceil(length / 1e6);
  const isLarge = megabytes > usualMostMegabytes / 2;
  const size = isLarge
    ? `: at least ${megabytes} MB of JSON at once, of which about ${usualMostMegabytes} MB fit (100,000 items)`
    : "";
  return new Failure("usage", `--jq: jq ran out of memory${size}`, {
    hint: isLarge
      ? "Add --format ndjson to run the program on one object at a time."
      : "Use a program that builds smaller values.",
    cause,
  });
}

/**
 * Escaped surrogates, with valid pairs in the second group. An even number of backslashes may precede an escape; after
 * an odd number it would not be an escape.
 */
const surrogates =
  /((?<!\\)(?:\\\\)*)(?:(\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})|\\u[dD][89a-fA-F][0-9a-fA-F]{2})/g;

function toRaw(line: string): string {
  return line.startsWith('"') ? (JSON.parse(line) as string) : line;
}

/** jq's error message, on one line. */
function errorReason(stderr: string): string {
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

const plainPath = /^\s*\.\[\](?:(?:\s*\|\s*)?\.[A-Za-z_]\w*)*\s*$/;

/** The names of a path into each item, such as `.[].app.name`; null for a program that is anything else. */
function pathOfItems(program: string): readonly string[] | null {
  if (!plainPath.test(program)) return null;
  return program.match(/[A-Za-z_]\w*/g) ?? [];
}

/** The output of jq for the value at this path; null if jq must run, because the value is not a scalar. */
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
