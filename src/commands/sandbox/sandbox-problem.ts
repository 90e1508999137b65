// Checks for `doctor` whether a sandbox can start on this machine.
//
// Only the native database can be missing: npm skips it with --omit=optional, and some platforms are not supported. The
// check loads it and opens nothing. It is here because only these commands may load the sandbox.

/** The reason why no sandbox can start, with a remedy; null if one can. */
export async function findSandboxProblem(): Promise<{
  readonly message: string;
  readonly hint: string | undefined;
} | null> {
  const { loadStore, SandboxUnavailable } = await import("../../sandbox/sandbox.ts");
  try {
    await loadStore();
    return null;
  } catch (error) {
    if (error instanceof SandboxUnavailable) return error;
    throw error;
  }
}
