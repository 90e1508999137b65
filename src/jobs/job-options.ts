// --resume, the flag of jobs. Separate from the jobs themselves, because help needs the flag and must not load the code
// that runs a job.
import type { Command } from "commander";

export interface JobOptions {
  readonly resume?: string;
}

export function addJobOptions(command: Command, input = "with the same input"): Command {
  return command.option("--resume <id>", `Continue the interrupted job with this ID (${input})`);
}
