// The one failure that a start of the sandbox reports: something that it was told to use, or needs, cannot be used.

/** A folder, a port or the database cannot be used. The message is one lower-case line that says which and why. */
export class SandboxUnavailable extends Error {
  override readonly name = "SandboxUnavailable";
  /** What to do about it, where that is known. */
  readonly hint: string | undefined;

  constructor(message: string, { hint, cause }: { readonly hint?: string; readonly cause?: unknown } = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.hint = hint;
  }
}
