// The flags of jobs. Separate from the jobs themselves, because help needs the flags and must not load the code that runs
// a job.
import type { Command } from "commander";

export interface JobOptions {
  readonly resume?: string;
  readonly dryRun?: true;
}

export function addJobOptions(command: Command, input = "with the same input"): Command {
  return command
    .option("--resume <id>", `Continue the interrupted job with this ID (${input})`)
    .option("--dry-run", "Show what would be done, without changing anything");
}
