// `--jq`: jq itself, as WebAssembly, over the JSON that a run would print. Strings come out raw, everything else as
// JSON on a line. Loaded with the first use; reads neither files nor the environment.
import { loadJq } from "jq-wasm";
import { usageFailure } from "../errors/errors.ts";

export interface Jq {
  /** The results for each of the JSON texts, which stand one after the other. Throws a usage failure. */
  run(json: string): readonly string[];
}

/** A program in jq's language. Throws a usage failure for one that is none. */
export async function createJq(expression: string): Promise<Jq> {
  const jq = await loadJq();
  // What begins with a hyphen would be a flag.
  const program = expression.trimStart().startsWith("-") ? `(${expression}\n)` : expression;
  const run = (json: string): readonly string[] => {
    const { stdout, stderr, exitCode } = jq.raw(json, program, ["-c"]);
    if (exitCode !== 0)
      throw usageFailure(`--jq: ${reasonOf(stderr)}`, "grantctl … --json shows what it is given");
    return stdout === "" ? [] : stdout.split("\n").map(toRaw);
  };
  run("");
  return {
    run: (json) => run(json.replaceAll(loneSurrogate, String.raw`$1\ufffd`)),
  };
}

/** JSON writes only half of a pair as an escape; jq reads none. An even number of backslashes stands before it. */
const loneSurrogate = /((?<!\\)(?:\\\\)*)\\u[dD][89a-fA-F][0-9a-fA-F]{2}/g;

function toRaw(line: string): string {
  return line.startsWith('"') ? (JSON.parse(line) as string) : line;
}

/** jq's own words, on one line. */
function reasonOf(stderr: string): string {
  const [first = ""] = stderr.split("\n");
  return first.replace(/^jq: (?:error: )?/, "").trim() || "failed";
}
