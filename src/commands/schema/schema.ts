// `grantctl schema`: prints the JSON Schema of the commands' output, for scripts and type generators.
import {
  addExamples,
  explainInherited,
  type Define,
  type Context,
  type CommandTable,
} from "../../command-line/command.ts";
import { usageFailure } from "../../errors/errors.ts";
import { toJson } from "../../json/exact-json.ts";
import { outputs, schemaPresentation } from "../outputs.ts";

export const defineSchema: Define = (command, act, commands) => {
  command
    .description(
      "Show the JSON Schema (draft 2020-12) of a command's --json output, or of one line with --format ndjson. Without a command, list the commands that have a schema. Use `error` for the object printed to standard error when a command fails with --json.",
    )
    .argument("[command...]", "Name of a command, or error")
    .action(
      act((context, words: string[]) => run(context, words, commands), {
        configuration: "unused",
        isPaged: true,
      }),
    );
  explainInherited(command, "--json", "--jq", "--format");
  addExamples(command, [
    "grantctl schema",
    "grantctl schema grant list > grants.schema.json",
    "grantctl schema token reset --format ndjson",
    "grantctl schema error",
  ]);
};

async function run(context: Context, words: readonly string[], commands: CommandTable): Promise<void> {
  const { printer } = context;
  const { schemaOf, schemaRows } = await import("./schemas.ts");
  if (words.length === 0) {
    await printer.printList(schemaRows(), schemaPresentation);
    return;
  }
  const { json, format } = context.options;
  if (typeof json === "string")
    throw usageFailure("a schema has no fields to choose", "Write --json at the end of the command.");
  if (format !== undefined && format !== "json" && format !== "ndjson")
    throw usageFailure("only JSON has a schema", "Use --format json or --format ndjson.");
  const { findCommand } = await import("./schemas.ts");
  const schema = schemaOf(
    await findCommand(words, Object.keys(outputs), commands),
    printer.format === "ndjson" ? "line" : "document",
  );
  await printer.printJson(toJson(schema, printer.format === "ndjson" ? 0 : 2));
}
