// Whether a sandbox could start here, for the doctor: everything but its native database is part of grantctl.

/** Why no sandbox can start, and what to do about it; null where it can. */
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
