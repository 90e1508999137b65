// The operating system's keychain.
//
// keytar runs in a helper process, because its calls can hang. The helper is started with the first call and killed at
// the end of the run. Each call has a time limit; after a timeout, the keychain is not called again. There is one entry
// per profile, base URL, type of secret and name. Each type of problem has its own message; grantctl never falls back to another
// store.
import { spawn } from "node:child_process";
import type { SecretKey } from "../config/configuration.ts";
import { Failure, type FailureKind } from "../errors/errors.ts";
import { parseOrNull } from "../json/exact-json.ts";
import {
  keychainProblems,
  type KeychainResponse,
  type KeychainRequest,
  type KeychainProblem,
  readLines,
  readyLine,
} from "./keychain-protocol.ts";
import type { SecretStore } from "./file-store.ts";

interface KeychainOptions {
  /** The command line of the helper: executable and arguments. */
  readonly helper: readonly [string, ...string[]];
  readonly environment: Readonly<Record<string, string>>;
}

export type KeychainResult =
  | { readonly secret: string | null }
  | { readonly problem: KeychainProblem | "timed-out"; readonly reason: string };

export interface Keychain {
  /** Makes one call; calls are serialised. Never rejects. */
  call(request: KeychainRequest): Promise<KeychainResult>;
  close(): void;
}

/**
 * Time limits in milliseconds. `start`: until the helper has loaded keytar, which takes long on a busy machine. `call`:
 * for each call, including the time for a person to unlock the keychain.
 */
export interface KeychainLimits {
  readonly start: number;
  readonly call: number;
}

const keychainLimits: KeychainLimits = { start: 30_000, call: 5000 };

/** The keychain of this machine. The first call starts the helper. */
export function createKeychain(options: KeychainOptions, limits = keychainLimits): Keychain {
  let helper: ReturnType<typeof startHelper> | null = null;
  let last: Promise<unknown> = Promise.resolve();
  let timedOut: KeychainResult | null = null;
  return {
    call(request) {
      const result = last.then(async () => {
        if (timedOut !== null) return timedOut;
        helper ??= startHelper(options);
        const response = await helper.ask(request, limits);
        if ("problem" in response && response.problem === "timed-out") timedOut = response;
        return response;
      });
      last = result;
      return result;
    },
    close() {
      helper?.kill();
    },
  };
}

/** Parses a response; null if the line is not valid. */
function parseResponse(line: string): KeychainResponse | null {
  const value = parseOrNull(line);
  if (typeof value !== "object" || value === null) return null;
  if ("secret" in value) {
    const { secret } = value;
    return secret === null || typeof secret === "string" ? { secret } : null;
  }
  if (!("problem" in value) || !("reason" in value)) return null;
  const problem = keychainProblems.find((known) => known === value.problem);
  return problem !== undefined && typeof value.reason === "string" ? { problem, reason: value.reason } : null;
}

function startHelper({ helper: [program, ...words], environment }: KeychainOptions) {
  // NODE_* variables could make the helper print something else.
  const helperEnvironment = Object.fromEntries(
    Object.entries(environment).filter(([name]) => !name.startsWith("NODE_")),
  );
  const child = spawn(program, words, {
    env: helperEnvironment,
    stdio: ["pipe", "pipe", "ignore"],
    windowsHide: true,
  });
  let settle: ((result: KeychainResult) => void) | null = null;
  let isReady = false;
  let onReady: (() => void) | null = null;
  let ended: KeychainResult | null = null;
  const end = (reason: string): void => {
    ended ??= { problem: "failed", reason };
    settle?.(ended);
  };
  readLines(child.stdout, (line) => {
    if (!isReady && line === readyLine) {
      isReady = true;
      onReady?.();
      return;
    }
    const response = parseResponse(line);
    if (response !== null) settle?.(response);
    else {
      // After an invalid line, later lines could be matched with the wrong calls.
      end("the keychain helper sent an invalid response");
      kill();
    }
  });
  child.stdin.on("error", () => undefined);
  child.on("error", () => {
    end("the keychain helper could not be run");
  });
  child.on("exit", () => {
    end("the keychain helper ended without a response");
  });
  const kill = (): void => {
    child.kill("SIGKILL");
    child.stdin.destroy();
    child.stdout.destroy();
    child.unref();
  };
  return {
    ask(request: KeychainRequest, limits: KeychainLimits): Promise<KeychainResult> {
      if (ended !== null) return Promise.resolve(ended);
      return new Promise((resolve) => {
        const limit = (milliseconds: number, silence: string): NodeJS.Timeout =>
          setTimeout(() => {
            kill();
            settle?.({ problem: "timed-out", reason: `${silence} within ${milliseconds / 1000} s` });
          }, milliseconds);
        const limitCall = (): NodeJS.Timeout => limit(limits.call, "it did not respond");
        let timer = isReady ? limitCall() : limit(limits.start, "its helper did not start");
        onReady = () => {
          clearTimeout(timer);
          timer = limitCall();
        };
        settle = (result) => {
          clearTimeout(timer);
          resolve(result);
        };
        child.stdin.write(`${JSON.stringify(request)}\n`);
      });
    },
    kill,
  };
}

/** Names of profiles and kinds contain no colon, so different keys have different entries. */
function keychainEntry({ profile, baseUrl, kind, name }: SecretKey): {
  readonly service: string;
  readonly account: string;
} {
  return { service: `grantctl:${profile}:${baseUrl}`, account: `${kind}:${name}` };
}

/** Stores secrets in the keychain. Every method throws a failure with a hint if the keychain does not work. */
export function createKeychainStore(keychain: Keychain): SecretStore {
  return {
    async get(key) {
      const secret = secretIn(await keychain.call({ call: "get", ...keychainEntry(key) }), "authentication");
      if (secret !== null) return secret;
      // A locked keychain also reports no entry. The probe detects that, because it cannot store anything there.
      secretIn(await probe(keychain), "authentication");
      return null;
    },
    async set(key, secret) {
      secretIn(await keychain.call({ call: "set", ...keychainEntry(key), secret }), "usage");
    },
    async delete(key) {
      if (secretIn(await keychain.call({ call: "delete", ...keychainEntry(key) }), "usage") !== null)
        return true;
      secretIn(await probe(keychain), "usage");
      return false;
    },
  };
}

/** Throws a usage failure if the keychain does not work. */
export async function checkKeychain(keychain: Keychain): Promise<void> {
  secretIn(await probe(keychain), "usage");
}

function probe(keychain: Keychain): Promise<KeychainResult> {
  return keychain.call({ call: "probe", service: "grantctl", account: "probe" });
}

/** The secret in a result; throws a failure of this kind if the call failed. */
function secretIn(result: KeychainResult, kind: FailureKind): string | null {
  if ("secret" in result) return result.secret;
  throw keychainFailure(result, kind);
}

function keychainFailure(
  { problem, reason }: Extract<KeychainResult, { problem: unknown }>,
  kind: FailureKind,
): Failure {
  const message = {
    absent: `no keychain is available: ${reason}`,
    locked: `the keychain is locked: ${reason}`,
    "timed-out": `the keychain cannot be used: ${reason}`,
    failed: `the keychain does not work: ${reason}`,
  }[problem];
  const hint = {
    absent:
      "Run `grantctl auth login --store file` to keep the secret in a file that only you can read, or set password_command to a command that prints it.",
    locked:
      "Unlock it and try again, or run `grantctl auth login --store file` to keep the secret in a file that only you can read.",
    "timed-out": "If a window prompts you to unlock it, do that and try again.",
    failed: "Run `grantctl auth login --store file` to keep the secret in a file that only you can read.",
  }[problem];
  return new Failure(kind, message, { hint });
}
