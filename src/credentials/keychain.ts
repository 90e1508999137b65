// The operating system's keychain: one entry per profile, base URL, kind and name. Each call is a helper process of its
// own (keychain-helper.ts), killed after a time limit, which includes the time for a person to unlock the keychain. Each
// kind of problem has its own message; there is no other store to fall back to.
import { execFile } from "node:child_process";
import type { SecretKey } from "../config/configuration.ts";
import { Failure, type FailureKind } from "../errors/errors.ts";
import { parseOrNull } from "../json.ts";
import type { SecretStore } from "./file-store.ts";
import type { KeychainProblem, KeychainRequest, KeychainResponse } from "./keychain-helper.ts";

const limitMs = 10_000;

/** The failure for a machine without a keychain: the only one after which another store may be offered. */
export class NoKeychain extends Failure {}

/** `helper` is the command line of the helper. Every method throws a failure with a hint if the keychain does not work. */
export function createKeychain(
  helper: readonly [string, ...string[]],
  environment: Readonly<Record<string, string>>,
): SecretStore {
  const call = async (
    request: Pick<KeychainRequest, "call" | "secret">,
    key: SecretKey | null,
    kind: FailureKind,
  ): Promise<string | null> => {
    const entry = key === null ? { service: "grantctl", account: "probe" } : entryOf(key);
    const response = await callHelper(helper, environment, { ...request, ...entry });
    if ("secret" in response) return response.secret;
    const Problem = response.problem === "absent" ? NoKeychain : Failure;
    throw new Problem(kind, messages[response.problem](response.reason), { hint: hints[response.problem] });
  };
  return {
    get: (key) => call({ call: "get" }, key, "authentication"),
    async set(key, secret) {
      await call({ call: "set", secret }, key, "usage");
    },
    delete: async (key) => (await call({ call: "delete" }, key, "usage")) !== null,
    async check() {
      await call({ call: "check" }, null, "usage");
    },
  };
}

/** Names of profiles and kinds contain no colon, so different keys have different entries. */
export function entryOf({ profile, baseUrl, kind, name }: SecretKey): {
  readonly service: string;
  readonly account: string;
} {
  return { service: `grantctl:${profile}:${baseUrl}`, account: `${kind}:${name}` };
}

type Problem = KeychainProblem | "timed-out";
type Result = KeychainResponse | { readonly problem: Problem; readonly reason: string };

/** Runs the helper once; the secret is on its standard input and output. Never rejects. */
function callHelper(
  [program, ...words]: readonly [string, ...string[]],
  environment: Readonly<Record<string, string>>,
  request: KeychainRequest,
): Promise<Result> {
  return new Promise((resolve) => {
    const options = { env: environment, timeout: limitMs, killSignal: "SIGKILL", windowsHide: true } as const;
    const child = execFile(program, words, options, (error, stdout) => {
      const response = parseResponse(stdout);
      // The helper kills itself after its response, since the keychain's threads may hang.
      if (response !== null) resolve(response);
      else if (child.killed)
        resolve({ problem: "timed-out", reason: `it did not respond within ${limitMs / 1000} s` });
      else if (typeof error?.code === "string")
        resolve({ problem: "failed", reason: "its helper could not be run" });
      else resolve({ problem: "failed", reason: "its helper ended without a response" });
    });
    child.stdin?.on("error", () => undefined);
    child.stdin?.end(JSON.stringify(request));
  });
}

function parseResponse(text: string): KeychainResponse | null {
  const value = parseOrNull(text);
  if (typeof value !== "object" || value === null) return null;
  if ("secret" in value) {
    const { secret } = value;
    return secret === null || typeof secret === "string" ? { secret } : null;
  }
  if (!("problem" in value) || !("reason" in value) || typeof value.reason !== "string") return null;
  const problem = (["absent", "locked", "failed"] as const).find((known) => known === value.problem);
  return problem === undefined ? null : { problem, reason: value.reason };
}

const messages: Readonly<Record<Problem, (reason: string) => string>> = {
  absent: (reason) => `no keychain is available: ${reason}`,
  locked: (reason) => `the keychain is locked: ${reason}`,
  "timed-out": (reason) => `the keychain cannot be used: ${reason}`,
  failed: (reason) => `the keychain does not work: ${reason}`,
};

const toFile = "Run `grantctl auth login --store file` to keep the secret in a file that only you can read";

const hints: Readonly<Record<Problem, string>> = {
  absent: `${toFile}, or set password_command to a command that prints it.`,
  locked: `Unlock it and try again, or run${toFile.slice(3)}.`,
  "timed-out": "If a window prompts you to unlock it, do that and try again.",
  failed: `${toFile}.`,
};
