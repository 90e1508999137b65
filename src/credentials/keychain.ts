// The operating system's keychain, called through a helper process with a time limit for each call: started with the
// first one, killed at the end. A call that hangs is answered like any other trouble.
import { spawn } from "node:child_process";
import { parseOrNull } from "../json/parse-or-null.ts";
import {
  keychainTroubles,
  type KeychainAnswer,
  type KeychainRequest,
  type KeychainTrouble,
  readLines,
} from "./keychain-protocol.ts";

export interface KeychainOptions {
  /** How to start the helper: executable and arguments. */
  readonly helper: readonly [string, ...string[]];
  readonly environment: Readonly<Record<string, string>>;
}

/** The result of a call: a secret, none, or the trouble. */
export type KeychainResult =
  | { readonly secret: string | null }
  | { readonly trouble: KeychainTrouble | "timed-out"; readonly reason: string };

export interface Keychain {
  /** Makes one call; calls are made one after the other. Never rejects. */
  call(request: KeychainRequest): Promise<KeychainResult>;
  close(): void;
}

/** How long a call may take; a person who is asked to unlock the keychain has to answer within it. */
export const keychainLimitMs = 5000;

/** The keychain of this machine. Starts nothing by itself. */
export function createKeychain(options: KeychainOptions, limitMs = keychainLimitMs): Keychain {
  let helper: Helper | null = null;
  let last: Promise<unknown> = Promise.resolve();
  // A keychain that did not answer once is not asked again.
  let isGone: KeychainResult | null = null;
  return {
    call(request) {
      const result = last.then(async () => {
        if (isGone !== null) return isGone;
        helper ??= startHelper(options);
        const answer = await helper.ask(request, limitMs);
        if ("trouble" in answer && answer.trouble === "timed-out") isGone = answer;
        return answer;
      });
      last = result;
      return result;
    },
    close() {
      helper?.kill();
    },
  };
}

interface Helper {
  ask(request: KeychainRequest, limitMs: number): Promise<KeychainResult>;
  kill(): void;
}

/** The answer in a line; null for one that is none. */
function answerIn(line: string): KeychainAnswer | null {
  const value = parseOrNull(line);
  if (typeof value !== "object" || value === null) return null;
  if ("secret" in value) {
    const { secret } = value;
    return secret === null || typeof secret === "string" ? { secret } : null;
  }
  if (!("trouble" in value) || !("reason" in value)) return null;
  const trouble = keychainTroubles.find((known) => known === value.trouble);
  return trouble !== undefined && typeof value.reason === "string" ? { trouble, reason: value.reason } : null;
}

function startHelper({ helper: [program, ...words], environment }: KeychainOptions): Helper {
  // Node's own variables could make the helper print something else.
  const quiet = Object.fromEntries(Object.entries(environment).filter(([name]) => !name.startsWith("NODE_")));
  const child = spawn(program, words, {
    env: quiet,
    stdio: ["pipe", "pipe", "ignore"],
    windowsHide: true,
  });
  let settle: ((result: KeychainResult) => void) | null = null;
  let ended: KeychainResult | null = null;
  const end = (reason: string): void => {
    ended ??= { trouble: "failed", reason };
    settle?.(ended);
  };
  readLines(child.stdout, (line) => {
    const answer = answerIn(line);
    if (answer !== null) settle?.(answer);
    else {
      // After a line that is no answer, later lines might be taken for the answers to other calls.
      end("the keychain helper made no sense");
      kill();
    }
  });
  child.stdin.on("error", () => undefined);
  child.on("error", () => {
    end("the keychain helper could not be run");
  });
  child.on("exit", () => {
    end("the keychain helper ended without an answer");
  });
  const kill = (): void => {
    child.kill("SIGKILL");
    child.stdin.destroy();
    child.stdout.destroy();
    child.unref();
  };
  return {
    ask(request, limitMs) {
      if (ended !== null) return Promise.resolve(ended);
      return new Promise((resolve) => {
        const timer = setTimeout(() => {
          kill();
          settle?.({ trouble: "timed-out", reason: `it did not answer within ${limitMs / 1000} s` });
        }, limitMs);
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
