// A standard output that nobody opened: what is only printed would be lost, and the run end with 0.
import { usageFailure } from "../errors/errors.ts";
import type { Host } from "../host/host.ts";

/** Throws a usage failure where standard output is closed, as far as that can be told from the null device. */
export function refuseClosedOutput({ stdout }: Host): void {
  if (!stdout.isClosed) return;
  throw usageFailure(
    "standard output is closed, so the result would be lost",
    "to see only how it ends, send it to the null device: > /dev/null",
  );
}
