// What must hold for every line of every script, whatever it does. A new promise of this kind is one more rule here.
import type { ServedRequest } from "../serve.ts";

/** What a line did. */
export interface Outcome {
  readonly line: string;
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  /** What it sent to its terminal; empty without one. */
  readonly sent: string;
  /** Those that a double of a server got. */
  readonly requests: readonly ServedRequest[];
  /** Passwords, client secrets and the tokens that the line was given. */
  readonly secrets: readonly string[];
}

const exitCodes = new Set([0, 1, 2, 3, 4, 6, 8, 9, 10, 12, 13, 14, 130]);

/** Requests that only read, although they are no GET: checks and introspection of a token, and GraphQL queries. */
const reads = /^(?:GET|HEAD) |^POST \S*\/(?:token|introspect|graphql)$/;

/** The rules that the line breaks. */
export function faultsOf(outcome: Outcome): readonly string[] {
  const { line, code, stdout, stderr, sent, requests, secrets } = outcome;
  const faults: string[] = [];
  const shown = stderr + sent;
  if (shown.includes("this is a bug in grantctl")) faults.push("ends with a bug");
  const startsProgram =
    / (?:run|start)\b/.test(line) || !/^(?:\w+=\S* |echo .* \| |printf .* \| )*grantctl /.test(line);
  if (!startsProgram && !exitCodes.has(code)) faults.push(`exits with ${code}, which no table names`);
  const leaked = secrets.filter((secret) => shown.includes(secret));
  if (leaked.length > 0) faults.push(`shows a secret on standard error: …${leaked[0]?.slice(-4)}`);
  const printsTokens = / (?:create|get-or-create|reset|rotate|show|api|sandbox|run)\b/.test(line);
  if (!startsProgram && !printsTokens && secrets.some((secret) => stdout.includes(secret)))
    faults.push("prints a secret on standard output");
  // csv has the line ends of its standard.
  const plain = line.includes("FORCE_COLOR")
    ? (stderr + stdout).replaceAll(/\u001b\[[\d;]*m/g, "")
    : stderr + stdout;
  if (/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/.test(plain))
    faults.push("writes a control character");
  const writes = requests.filter(({ method, path }) => !reads.test(`${method} ${path.split("?")[0] ?? ""}`));
  if (line.includes("--dry-run") && writes.length > 0) faults.push("--dry-run sends a write");
  // After a 429 nothing was done, after a 401 a one-time password is added, and get-or-create's 200 tells what is there.
  const done = writes.filter(
    ({ method, status }) => status !== 429 && status !== 401 && !(method === "PUT" && status === 200),
  );
  const sentWrites = done.map(({ method, path, body }) => `${method} ${path} ${body}`);
  if (new Set(sentWrites).size < sentWrites.length) faults.push("sends a write twice");
  // Whether a jq program can take what the server answers shows only then, and a full disk when the result is written.
  const asked = line.includes("--jq") || line.includes("/dev/full") ? writes : requests;
  if (code === 2 && asked.some(({ path }) => !/\/meta$|\/\.well-known\//.test(path)))
    faults.push("exits with 2 after a request");
  return faults;
}
