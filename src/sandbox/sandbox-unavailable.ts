// The only failure that the start of a sandbox reports: something that it needs, or was configured with, is unusable.
//
// The data folder, the store, the server and the seed's credentials throw it. The command line turns it into a usage
// failure, and `doctor` into a finding; both print its message and its hint. Everything else that a start throws is a
// RangeError, for options that contradict each other, or a bug.

/** A folder, a port or the database cannot be used. The message is one lower-case line with the reason. */
export class SandboxUnavailable extends Error {
  override readonly name = "SandboxUnavailable";
  /** A hint; undefined if there is none. */
  readonly hint: string | undefined;

  constructor(message: string, { hint, cause }: { readonly hint?: string; readonly cause?: unknown } = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.hint = hint;
  }
}
