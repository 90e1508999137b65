// The messages between grantctl and its keychain helper, one JSON object per line in both directions; and the build in
// keytar's package for this machine. keytar itself tries the one for glibc on every Linux, and hides why that fails.
import type { Readable } from "node:stream";

export interface KeychainRequest {
  /** set reads back what it set; delete looks whether it is gone; probe does both with an entry to throw away. */
  readonly call: "get" | "set" | "delete" | "probe";
  /** The entry's two names. */
  readonly service: string;
  readonly account: string;
  /** Only for set. */
  readonly secret?: string;
}

/** absent: no keychain can be reached. locked: it is there, and closed. failed: anything else. */
export const keychainProblems = ["absent", "locked", "failed"] as const;
export type KeychainProblem = (typeof keychainProblems)[number];

export type KeychainResponse =
  /** The secret that get found; for delete, true if there was one; null for nothing. */
  { readonly secret: string | null } | { readonly problem: KeychainProblem; readonly reason: string };

/** The helper's first line: it has loaded, and the next line is the response to the first request. */
export const readyLine = '{"ready":true}';

/**
 * Calls back for each line of a stream, without its end. Only a line feed ends one: Node's own reader of lines stops,
 * from some version on, at U+2028 too, which JSON may hold as it is.
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
  /** Only where that is glibc. */
  readonly glibcVersionRuntime?: string;
}

/**
 * The module that is the build for this machine; `header` is only called on Linux, because it takes a while.
 */
export function keytarBuildFor(platform: string, architecture: string, header: () => ReportHeader): string {
  const isMusl = platform === "linux" && header().glibcVersionRuntime === undefined;
  return `keytar/prebuilds/${isMusl ? "linuxmusl" : platform}-${architecture}/keytar.node`;
}
