// The expected failure of a start: something that the sandbox needs or was configured with is unusable.
//
// The store and the server throw it. The command line turns it into a usage
// failure, and `doctor` into a finding; both print its message and its hint. A start also throws RangeError for
// contradictory options; anything else is a bug.

/** The message is one lower-case line with the reason. */
export class SandboxUnavailable extends Error {
  override readonly name = "SandboxUnavailable";
  readonly hint: string | undefined;

  constructor(message: string, { hint, cause }: { readonly hint?: string; readonly cause?: unknown } = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.hint = hint;
  }
}
