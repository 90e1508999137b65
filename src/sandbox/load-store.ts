// Loads the store when it is first needed. Its database is native, with a package of its own for each platform, which
// may be missing: npm leaves it out where it was told to leave out what is optional, and some platforms have none.
import { SandboxUnavailable } from "./sandbox-unavailable.ts";
import type * as Store from "./store/store.ts";

/** The store's module. Throws SandboxUnavailable where the database's native part cannot be loaded. */
export async function loadStore(): Promise<typeof Store> {
  try {
    return await import("./store/store.ts");
  } catch (error) {
    throw new SandboxUnavailable(`the sandbox's database cannot be loaded: ${whyNotLoaded(error)}`, {
      cause: error,
      hint: "install grantctl again without --omit=optional; everything but the sandbox works without it",
    });
  }
}

function whyNotLoaded(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const [, missing] = /^Cannot find (?:module|package) '([^']+)'/.exec(message) ?? [];
  return missing === undefined ? (message.split("\n")[0] ?? "") : `the package ${missing} is not installed`;
}
