// Refuses to run a command that only prints when standard output is closed: its result would be lost, and it would
// exit with 0 all the same.
import { usageFailure } from "../errors/errors.ts";
import type { Host } from "../host/host.ts";

/** Throws a usage failure where standard output is closed, as far as a closed one differs from the null device. */
export function refuseClosedOutput({ stdout }: Host): void {
  if (!stdout.isClosed) return;
  throw usageFailure(
    "standard output is closed, so the result would be lost",
    "Redirect it to /dev/null if you only need the exit code.",
  );
}
