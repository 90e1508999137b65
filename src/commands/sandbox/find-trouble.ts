// Finds out for the doctor whether a sandbox can start here. Only its native database may be missing.

/** Why no sandbox can start, and what to do about it; null where one can. */
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
