// Describes what a command prints as JSON, for `grantctl schema`. Each command's description stands beside the command.
import { either, list, type JsonSchema, type Schema } from "../output/json-schema.ts";

/** The JSON of a command: the whole document of `--json`, and one line of `--format ndjson`. */
export interface DescribedOutput {
  /** What it is, as the end of a sentence: `the grants, an array`. */
  readonly means: string;
  readonly document: JsonSchema;
  readonly line: JsonSchema;
  /** Always printed whole: --json takes no fields. */
  readonly isWhole?: true;
}

/** A command without JSON of its own, and why. */
export interface NoOutput {
  readonly none: string;
}

/** By the command's words. */
export type Outputs = Readonly<Record<string, DescribedOutput | NoOutput>>;

/** A command that prints a list, or with ndjson an item a line. */
export function printsList<T>(means: string, item: Schema<T>): DescribedOutput {
  return { means, document: list(item), line: item };
}

/** A command that prints one thing. */
export function printsOne<T>(means: string, item: Schema<T>): DescribedOutput {
  return { means, document: item, line: item };
}

/** A command that prints one thing, and always all of it. */
export function printsWhole<T>(means: string, item: Schema<T>): DescribedOutput {
  return { ...printsOne(means, item), isWhole: true };
}

/** A command that prints an object for one item, and an array for several. */
export function printsOneOrMany<T>(means: string, row: Schema<T>): DescribedOutput {
  return { means, document: either(row, list(row)), line: row };
}

export const printsNothing: NoOutput = { none: "it prints nothing on standard output" };
