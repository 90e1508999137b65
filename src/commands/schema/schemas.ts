// The published schemas of all commands: their documents, names and identifiers. The last two never change.
import { capitalised } from "../../errors/capitalised.ts";
import { usageFailure } from "../../errors/errors.ts";
import { createSchemaDocument, type SchemaDocument } from "../../output/schema-document.ts";
import { errorName, outputs, type DescribedOutput } from "../outputs.ts";
import type { SchemaForm, SchemaRow } from "./schema-row.ts";

export interface PublishedSchema {
  /** The words of the command, or `error`. */
  readonly command: string;
  readonly form: SchemaForm;
  readonly document: SchemaDocument;
}

/** All schemas, the two forms of a command next to each other, for reference pages and tests. Made anew each time. */
export function allSchemas(): readonly PublishedSchema[] {
  return described().flatMap(([command]) =>
    (["document", "line"] as const).map((form) => ({ command, form, document: schemaOf(command, form) })),
  );
}

/** A row for each command that has a schema, with the identifier of the schema. */
export function schemaRows(): readonly SchemaRow[] {
  return described().map(([command, { means }]) => ({
    command,
    id: identifierOf(command, "document"),
    means,
  }));
}

/** The schema of one command. Throws a usage failure for one that has none, which says why. */
export function schemaOf(command: string, form: SchemaForm): SchemaDocument {
  const output = outputs[command];
  if (output === undefined || "none" in output) {
    throw usageFailure(
      `${command} has no schema: ${output?.none ?? "it is not a command"}`,
      "grantctl schema lists the commands that have one",
    );
  }
  return createSchemaDocument(output[form], {
    id: identifierOf(command, form),
    title: titleOf(command, form),
    description: `${form === "line" ? `One line each of: ${output.means}` : capitalised(output.means)}. ${forReaders}`,
  });
}

/** The description in every schema. */
const forReaders =
  "There may be other properties than those named here: later versions add some, and so do services. Required is what grantctl, or the specification of the service, promises.";

function described(): readonly (readonly [string, DescribedOutput])[] {
  return Object.entries(outputs).flatMap(([command, output]) =>
    "none" in output ? [] : [[command, output] as const],
  );
}

function identifierOf(command: string, form: SchemaForm): string {
  return `urn:grantctl:schema:${command.replace(" ", ":")}${form === "line" ? ":line" : ""}`;
}

function titleOf(command: string, form: SchemaForm): string {
  if (command === errorName) return "standard error of a command that failed, with --json";
  return `grantctl ${command} ${form === "line" ? "--format ndjson" : "--json"}`;
}
