// The protocol between grantctl and its keychain helper: one JSON object per line in both directions. Also selects the
// keytar build for this machine, because keytar tries its glibc build on every Linux and hides the reason for a
// failure.
import type { Readable } from "node:stream";

export interface KeychainRequest {
  /** set reads the value back; delete verifies the deletion; probe does both with a throwaway entry. */
  readonly call: "get" | "set" | "delete" | "probe";
  /** `service` and `account` together identify the entry. */
  readonly service: string;
  readonly account: string;
  /** Only for set. */
  readonly secret?: string;
}

/** absent: no keychain can be reached. locked: the keychain must be unlocked first. failed: anything else. */
export const keychainProblems = ["absent", "locked", "failed"] as const;
export type KeychainProblem = (typeof keychainProblems)[number];

export type KeychainResponse =
  /** For get, the secret, or null; for delete, the deleted secret, or null if there was none; otherwise null. */
  { readonly secret: string | null } | { readonly problem: KeychainProblem; readonly reason: string };

/** The helper's first line: it has loaded, and the next line is the response to the first request. */
export const readyLine = '{"ready":true}';

/**
 * Calls back for each line, without its line feed. Node's readline is not used, because newer versions also split at
 * U+2028, which JSON may contain unescaped.
 */
export function readLines(stream: Readable, onLine: (line: string) => void): void {
  let rest = "";
  stream.setEncoding("utf8").on("data", (text: string) => {
    const lines = `${rest}${text}`.split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) onLine(line);
  });
}

/** The part of Node's report that distinguishes C libraries. */
export interface ReportHeader {
  /** Absent if the C library is not glibc. */
  readonly glibcVersionRuntime?: string;
}

/**
 * The module path of the build for this machine. `header` is called only on Linux, because the report takes a while.
 */
export function keytarBuildFor(platform: string, architecture: string, header: () => ReportHeader): string {
  const isMusl = platform === "linux" && header().glibcVersionRuntime === undefined;
  return `keytar/prebuilds/${isMusl ? "linuxmusl" : platform}-${architecture}/keytar.node`;
}
