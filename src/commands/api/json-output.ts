// The global output flags where an answer can have any shape: JSON or lines of JSON, and no columns to choose from.
import type { Context } from "../../run/context.ts";
import { usageFailure } from "../../errors/errors.ts";

/** Throws a usage failure for flags that would choose columns. A word behind --json may be the argument itself. */
export function checkJsonOutput({ options: { json, format, jq } }: Context): void {
  if (typeof json === "string")
    throw usageFailure("--json takes no list of fields here", "write --json last, or choose with --jq");
  if (jq === undefined && format !== undefined && format !== "json" && format !== "ndjson")
    throw usageFailure(`an answer has no columns for --format ${format}`, "--format is json or ndjson here");
}
