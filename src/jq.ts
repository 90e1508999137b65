// `--jq`: filters the JSON of a run with jq itself, compiled to WebAssembly.
//
//   output        strings raw, everything else as one line of JSON
//   sandboxing    jq reads no files, and only the environment that it is given, without grantctl's variables
//   secrets       jq's error messages repeat input, so a failed program runs again with every longer text replaced
import { Failure, usageFailure } from "./errors/errors.ts";
import type { Host } from "./system/host.ts";

/** The results for consecutive JSON texts. Throws a usage failure with jq's own message, which contains no secret. */
export type Jq = (json: string) => readonly string[];

/** jq's exit code for a program that does not compile. */
const notCompiled = 3;

/** Compiles a jq program; throws a usage failure if it is invalid. */
export async function createJq(
  expression: string,
  { childEnvironment, runtime }: Pick<Host, "childEnvironment" | "runtime">,
): Promise<Jq> {
  // Loaded on demand: jq takes as long to load as the rest of a start.
  const library = await import("jq-wasm");
  const loaded = await library.loadJq();
  const program = withEnvironment(expression, childEnvironment);
  const call = (json: string): ReturnType<typeof loaded.raw> => {
    try {
      // jq writes to standard error when it crashes.
      return runtime.withoutStderr(() => loaded.raw(json, program, ["-c"]));
    } catch (cause) {
      throw new Failure("usage", "--jq: jq crashed, usually because it ran out of memory", {
        hint: "About 45 MB of JSON fit. Select fields with --json, or add --format ndjson to run the program on one object at a time.",
        cause,
      });
    }
  };
  const run: Jq = (json) => {
    const { stdout, stderr, exitCode } = call(json);
    if (exitCode !== 0) {
      // jq's message repeats part of its input, and the redactor would not recognise half of a secret. So jq runs again
      // with texts replaced, to get a message without them.
      const harmless = json.replaceAll(strings, (whole, text: string, colon?: string) =>
        colon === undefined && text.length >= 8 ? '"(text)"' : whole,
      );
      const [first = ""] = (harmless === json ? stderr : call(harmless).stderr).split("\n");
      const reason = first.replace(/^jq: (?:error(?: \(at [^)]*\))?:? ?)?/, "").replace(/:$/, "");
      throw usageFailure(
        `--jq: ${reason === "" ? "the program fails with this input" : reason}`,
        exitCode === notCompiled
          ? "Check its quotes and brackets. Run `grantctl help formatting` for examples."
          : "Run the command with --json instead to see the input of jq.",
      );
    }
    const lines = stdout === "" ? [] : stdout.split("\n");
    return lines.map((line) => (line.startsWith('"') ? (JSON.parse(line) as string) : line));
  };
  run("");
  return run;
}

/**
 * Defines `$ENV` and `env` as in native jq, without grantctl's own variables. WebAssembly has an environment of its
 * own, in which the user's variables are null, so `.note == $ENV.NOTE` would match items without a note.
 */
function withEnvironment(program: string, environment: Readonly<Record<string, string>>): string {
  if (!/\$ENV\b|(?<!\.)\benv\b/.test(program)) return program;
  const shown = Object.entries(environment).filter(([name]) => !name.startsWith("GRANTCTL_"));
  return `${JSON.stringify(Object.fromEntries(shown))} as $ENV | def env: $ENV;\n${program}`;
}

/** Strings in JSON; the second group is there for a key. */
const strings = /"((?:[^"\\]|\\.)*)"(\s*:)?/g;
