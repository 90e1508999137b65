// Switches and variables of Node itself that write down or show what a program holds in memory or sends: with them no
// promise about secrets can be kept, so they are refused. Switches that only change how Node works, or write names of
// functions and no values, are the user's business, and so is code that is loaded first (`--require`, `--import`).
import { usageFailure, type Failure } from "../errors/errors.ts";

const inCode = "would print compiled code with secrets in it";

/** Names without dashes, with what each would do; one that ends with a star stands for all that begin so. */
const revealing: readonly (readonly [name: string, effect: string])[] = [
  ["inspect", "would let a debugger read every secret"],
  ["inspect-brk", "would let a debugger read every secret"],
  ["inspect-wait", "would let a debugger read every secret"],
  ["experimental-network-inspection", "would show requests to a debugger"],
  ["report-*", "would write down what the process knows when it ends badly"],
  ["experimental-report", "would write down what the process knows when it ends badly"],
  ["heapsnapshot-*", "would write every secret to a file"],
  ["tls-keylog", "would write the keys of each connection to a file"],
  ["trace", "would print what each function is called with"],
  ["trace-tls", "would print what is sent"],
  ["trace-event*", "would write down what is requested"],
  ["abort-on-uncaught-exception", "would leave the memory of the process in a file"],
  // V8's own, for its developers: compiled code has the texts in it that its functions always work with.
  ["print-all-exceptions", "would print what functions work with"],
  ["print-*", inCode],
  ["trace-turbo*", inCode],
  ["trace-maglev*", inCode],
  ["trace-heap-broker*", inCode],
  ["trace-compilation-dependencies", inCode],
  ["trace-deopt-verbose", inCode],
  ["trace-wasm-memory", "would print what is received"],
  ["turbo-profiling*", inCode],
  ["log-all", inCode],
  ["log-code-disassemble", inCode],
];

const revealingVariables: readonly (readonly [name: string, effect: string])[] = [
  ["NODE_DEBUG", "would print tokens to standard error"],
  ["NODE_DEBUG_NATIVE", "would print what Node does with secrets"],
];

export interface NodeOptions {
  readonly environment: Readonly<Record<string, string>>;
  /** The switches on Node's own command line. */
  readonly switches: readonly string[];
}

/** The usage failure for the first switch or variable that would show secrets, or null. */
export function revealingSwitch({ environment, switches }: NodeOptions): Failure | null {
  for (const [name, effect] of revealingVariables) {
    if (environment[name] !== undefined) return refusal(name, effect, `unset ${name}`);
  }
  for (const word of splitOptions(environment["NODE_OPTIONS"] ?? "")) {
    const effect = effectOf(word);
    if (effect !== null)
      return refusal(`${nameOf(word)} in NODE_OPTIONS`, effect, `take it out of NODE_OPTIONS`);
  }
  for (const word of switches) {
    const effect = effectOf(word);
    if (effect !== null) return refusal(`node ${nameOf(word)}`, effect, "run grantctl without it");
  }
  return null;
}

/** The usage failure for a debugger that can connect, however that came about. */
export function inspectedFailure(): Failure {
  return refusal(
    "a debugger that is attached to Node",
    "could read every secret",
    "end it, or unset NODE_OPTIONS",
  );
}

function refusal(name: string, effect: string, remedy: string): Failure {
  return usageFailure(`${name} ${effect}`, `${remedy}; --debug shows each request without secrets`);
}

function effectOf(word: string): string | null {
  const name = nameOf(word).replace(/^--?/, "");
  for (const [pattern, effect] of revealing) {
    const isMeant = pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
    if (isMeant) return effect;
  }
  return null;
}

/** `--tls-keylog` of `--tls_keylog=FILE`: Node reads underscores as hyphens, and V8 one hyphen as two. */
function nameOf(word: string): string {
  return (/^-[^=]*/.exec(word)?.[0] ?? "").replaceAll("_", "-");
}

/** The words of `NODE_OPTIONS` as Node splits them: at spaces, with double quotes, in which a backslash escapes. */
function splitOptions(text: string): readonly string[] {
  const words: string[] = [];
  let word = "";
  let isQuoted = false;
  for (let at = 0; at < text.length; at += 1) {
    let character = text.charAt(at);
    if (character === '"') isQuoted = !isQuoted;
    else if (character === " " && !isQuoted) {
      words.push(word);
      word = "";
    } else {
      if (character === "\\" && isQuoted) character = text.charAt((at += 1));
      word += character;
    }
  }
  return [...words, word];
}
