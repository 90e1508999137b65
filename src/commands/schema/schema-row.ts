// One schema in the table of `grantctl schema`.
import { objectWith, text, type TypeOf } from "../../schema/json-schema.ts";
import { column, present } from "../../printing/presentation.ts";

/** The whole document of `--json`, or one line of `--format ndjson`. */
export type SchemaForm = "document" | "line";

export const schemaRowSchema = objectWith("CommandSchema", "A command whose JSON has a schema.", {
  command: text("the command's words; error for what every command writes to standard error when it fails"),
  id: text("the identifier of the schema of its --json"),
  means: text("what the command prints"),
});

export type SchemaRow = TypeOf<typeof schemaRowSchema>;

export const schemaPresentation = present(schemaRowSchema, [
  column("COMMAND", "command", { minimum: 27 }),
  column("PRINTS", "means"),
]);
