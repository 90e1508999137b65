// Checks for `doctor` whether a sandbox can start on this machine.
//
// Only the sandbox's native database can be missing: npm leaves it out with --omit=optional, and some platforms have
// none. The check loads it and opens nothing.
//
// It stands here because only these commands may load the sandbox.

/** Why no sandbox can start, and what to do about it; null if one can. */
export async function findSandboxTrouble(): Promise<{
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
