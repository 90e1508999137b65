// The one failure that a start of the sandbox reports: the place it was told to use cannot be used.

/** A folder or a port cannot be used. The message is one lower-case line that says which and why. */
export class SandboxUnavailable extends Error {
  override readonly name = "SandboxUnavailable";
}
