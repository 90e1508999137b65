// Rejects switches and variables of Node that would reveal secrets, such as debuggers, heap snapshots and TLS key logs.
//
// They write or show memory or traffic of the process, so grantctl could not keep its promises about secrets. Switches
// that only tune Node, or that log function names without values, are allowed, and so is preloaded code (`--require`,
// `--import`): it is the user's own.
import { usageFailure, type Failure } from "../errors/errors.ts";

const inCode = "would print compiled code with secrets in it";

/** Names without dashes, and their effects; a star at the end matches any suffix. */
const revealing: readonly (readonly [name: string, effect: string])[] = [
  ["inspect", "would let a debugger read every secret"],
  ["inspect-brk", "would let a debugger read every secret"],
  ["inspect-wait", "would let a debugger read every secret"],
  ["experimental-network-inspection", "would show requests to a debugger"],
  ["report-*", "would write the state of the process to a file after a crash"],
  ["experimental-report", "would write the state of the process to a file after a crash"],
  ["heapsnapshot-*", "would write every secret to a file"],
  ["tls-keylog", "would write the keys of each connection to a file"],
  ["trace", "would print the arguments of each function"],
  ["trace-tls", "would print the traffic"],
  ["trace-event*", "would log requests to a file"],
  ["abort-on-uncaught-exception", "would write the memory of the process to a file"],
  // Debugging switches of V8. Compiled code contains the constant texts of its functions.
  ["print-all-exceptions", "would print the values that functions process"],
  ["print-*", inCode],
  ["trace-turbo*", inCode],
  ["trace-maglev*", inCode],
  ["trace-heap-broker*", inCode],
  ["trace-compilation-dependencies", inCode],
  ["trace-deopt-verbose", inCode],
  ["trace-wasm-memory", "would print received data"],
  ["turbo-profiling*", inCode],
  ["log-all", inCode],
  ["log-code-disassemble", inCode],
];

const revealingVariables: readonly (readonly [name: string, effect: string])[] = [
  ["NODE_DEBUG", "would print tokens to standard error"],
  ["NODE_DEBUG_NATIVE", "would print internal operations on secrets"],
];

export interface NodeOptions {
  readonly environment: Readonly<Record<string, string>>;
  /** The switches on Node's own command line. */
  readonly switches: readonly string[];
}

/** The usage failure for the first switch or variable that would show secrets, or null. */
export function revealingSwitch({ environment, switches }: NodeOptions): Failure | null {
  for (const [name, effect] of revealingVariables) {
    if (environment[name] !== undefined) return refusal(name, effect, `Unset ${name}.`);
  }
  for (const word of splitOptions(environment["NODE_OPTIONS"] ?? "")) {
    const effect = revealingEffect(word);
    if (effect !== null)
      return refusal(`${switchName(word)} in NODE_OPTIONS`, effect, "Remove it from NODE_OPTIONS.");
  }
  for (const word of switches) {
    const effect = revealingEffect(word);
    if (effect !== null) return refusal(`node ${switchName(word)}`, effect, "Run grantctl without it.");
  }
  return null;
}

/** The usage failure for an open debugger port, whatever opened it. */
export function inspectedFailure(): Failure {
  return refusal(
    "a debugger that is attached to Node",
    "could read every secret",
    "Stop it, or unset NODE_OPTIONS.",
  );
}

function refusal(name: string, effect: string, remedy: string): Failure {
  return usageFailure(`${name} ${effect}`, `${remedy} Use --debug to log each request without secrets.`);
}

function revealingEffect(word: string): string | null {
  const name = switchName(word).replace(/^--?/, "");
  for (const [pattern, effect] of revealing) {
    const isMatch = pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
    if (isMatch) return effect;
  }
  return null;
}

/** `--tls-keylog` of `--tls_keylog=FILE`: Node reads underscores as hyphens, and V8 one hyphen as two. */
function switchName(word: string): string {
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
