// The operating system's keychain: one entry per profile, base URL, kind and name. Each call is a helper process of its
// own (keychain-helper.ts), killed after a time limit, which includes the time for a person to unlock the keychain. There
// is no other store to fall back to.
import { execFile } from "node:child_process";
import type { SecretKey } from "../config/configuration.ts";
import { Failure, type FailureKind } from "../errors/errors.ts";
import { parseOrNull } from "../json.ts";
import type { SecretStore } from "./file-store.ts";
import type { KeychainRequest, KeychainResponse } from "./keychain-helper.ts";

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
    kind: FailureKind = "usage",
  ): Promise<string | null> => {
    const entry = key === null ? { service: "grantctl", account: "probe" } : entryOf(key);
    const response = await callHelper(helper, environment, { ...request, ...entry });
    if ("secret" in response) return response.secret;
    const { isAbsent, reason } = response;
    throw isAbsent
      ? new NoKeychain(kind, `no keychain is available: ${reason}`, {
          hint: `Run ${toFile}, or set password_command to a command that prints it.`,
        })
      : new Failure(kind, `the keychain cannot be used: ${reason}`, {
          hint: `If it is locked, unlock it and try again, or run ${toFile}.`,
        });
  };
  return {
    get: (key) => call({ call: "get" }, key, "authentication"),
    async set(key, secret) {
      await call({ call: "set", secret }, key);
    },
    delete: async (key) => (await call({ call: "delete" }, key)) !== null,
    async check() {
      await call({ call: "check" }, null);
    },
  };
}

const toFile = "`grantctl auth login --store file` to keep the secret in a file that only you can read";

/** Names of profiles and kinds contain no colon, so different keys have different entries. */
export function entryOf({ profile, base_url: baseUrl, kind, name }: SecretKey): {
  readonly service: string;
  readonly account: string;
} {
  return { service: `grantctl:${profile}:${baseUrl}`, account: `${kind}:${name}` };
}

/** Runs the helper once; the secret is on its standard input and output. Never rejects. */
function callHelper(
  [program, ...words]: readonly [string, ...string[]],
  environment: Readonly<Record<string, string>>,
  request: KeychainRequest,
): Promise<KeychainResponse> {
  return new Promise((resolve) => {
    const options = { env: environment, timeout: limitMs, killSignal: "SIGKILL", windowsHide: true } as const;
    const child = execFile(program, words, options, (_, stdout) => {
      // The helper kills itself after its response, since the keychain's threads may hang.
      const response = parseOrNull(stdout) as KeychainResponse | null;
      const reason = child.killed
        ? `it did not respond within ${limitMs / 1000} s`
        : "its helper ended without a response";
      resolve(response ?? { isAbsent: false, reason });
    });
    child.stdin?.on("error", () => undefined);
    child.stdin?.end(JSON.stringify(request));
  });
}
