// Describes the machine of the measurements.
import { cpus, release, totalmem, type } from "node:os";

export interface Machine {
  /** The date in ISO 8601. */
  readonly date: string;
  readonly node: string;
  readonly system: string;
  readonly processors: string;
  readonly memory: string;
}

/** This machine, at this time. */
export function machineOf(now: Date): Machine {
  const processors = cpus();
  return {
    date: now.toISOString().slice(0, 10),
    node: process.versions.node,
    system: `${type()} ${release()}`,
    processors: `${processors.length} × ${processors[0]?.model.trim() ?? "unknown"}`,
    memory: `${Math.round(totalmem() / 1024 ** 3)} GB`,
  };
}
