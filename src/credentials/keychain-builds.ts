// Finds the build in keytar's package that is for this machine. keytar itself tries the one for glibc on every Linux,
// and when that fails, does not say why.

/** What Node reports of itself that tells one C library from another. */
export interface ReportHeader {
  /** Only where that is glibc. */
  readonly glibcVersionRuntime?: string;
}

/**
 * The module that is the build for this machine; `header` is asked for on Linux alone, where it takes a while to make.
 */
export function keytarBuildFor(platform: string, architecture: string, header: () => ReportHeader): string {
  const isMusl = platform === "linux" && header().glibcVersionRuntime === undefined;
  return `keytar/prebuilds/${isMusl ? "linuxmusl" : platform}-${architecture}/keytar.node`;
}
