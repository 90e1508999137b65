// The one failure that a start of the sandbox reports: something that it was told to use, or needs, cannot be used.
//
// The data folder, the store, the server and the seed's credentials throw it. The command line turns it into a usage
// failure, and `doctor` into a finding; both print its message and its hint. Everything else that a start throws is a
// RangeError, for options that contradict each other, or a bug.

/** A folder, a port or the database cannot be used. The message is one lower-case line that says which and why. */
export class SandboxUnavailable extends Error {
  override readonly name = "SandboxUnavailable";
  /** What to do about it; undefined if that is not known. */
  readonly hint: string | undefined;

  constructor(message: string, { hint, cause }: { readonly hint?: string; readonly cause?: unknown } = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.hint = hint;
  }
}
