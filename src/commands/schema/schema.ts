// `grantctl schema`: prints the JSON Schema of the commands' output, for scripts and type generators; without a command,
// the table of the schemas. The reference pages and the tests read all schemas from here.
import {
  addExamples,
  explainInherited,
  type Define,
  type Context,
  type CommandTable,
} from "../../command-line/command.ts";
import { isFailure, usageFailure } from "../../errors/errors.ts";
import { capitalised } from "../../errors/words.ts";
import { toJson } from "../../json/exact-json.ts";
import { createSchemaDocument, type SchemaDocument } from "../../schema/json-schema.ts";
import { errorName, outputs, schemaPresentation, type DescribedOutput, type SchemaForm } from "../outputs.ts";

export const defineSchema: Define = (command, act, commands) => {
  command
    .description(
      "Show the JSON Schema (draft 2020-12) of a command's --json output or, with --format ndjson, of one line of its output. Without a command, list the commands that have a schema. Use `error` for the object printed to standard error when a command fails with --json.",
    )
    .argument("[command...]", "Name of a command, or the word `error`")
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
  if (words.length === 0) {
    const rows = described().map(([command, { means }]) => {
      return { command, id: identifierOf(command, "document"), means };
    });
    await printer.printList(rows, schemaPresentation);
    return;
  }
  const { json, format } = context.options;
  if (typeof json === "string")
    throw usageFailure("a schema has no fields to choose", "Write --json at the end of the command.");
  if (format !== undefined && format !== "json" && format !== "ndjson")
    throw usageFailure("only JSON has a schema", "Use --format json or --format ndjson.");
  const isLines = printer.format === "ndjson";
  const schema = schemaOf(await findCommand(words, commands), isLines ? "line" : "document");
  await printer.printJson(toJson(schema, isLines ? 0 : 2));
}

interface PublishedSchema {
  /** The words of the command, or `error`. */
  readonly command: string;
  readonly form: SchemaForm;
  readonly document: SchemaDocument;
}

/** All schemas, with the two forms of each command adjacent, for reference pages and tests. Not cached. */
export function allSchemas(): readonly PublishedSchema[] {
  return described().flatMap(([command]) =>
    (["document", "line"] as const).map((form) => ({ command, form, document: schemaOf(command, form) })),
  );
}

/** The schema of one command. Throws a usage failure with the reason for one that has none. */
function schemaOf(command: string, form: SchemaForm): SchemaDocument {
  const output = outputs[command];
  if (output === undefined || "none" in output) {
    throw usageFailure(
      `${command} has no schema: ${output?.none ?? "it is not a command"}`,
      "Run `grantctl schema` to list the commands that have one.",
    );
  }
  return createSchemaDocument(output[form], {
    id: identifierOf(command, form),
    title: titleOf(command, form),
    description: `${form === "line" ? `One line each of: ${output.means}` : capitalised(output.means)}. ${forReaders}`,
  });
}

const forReaders =
  "Other properties may be present: later versions and services add some. `required` lists the properties that grantctl or the specification of the service guarantees.";

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

/** The full name of the command, with aliases resolved. Throws a usage failure with a suggestion. */
async function findCommand(words: readonly string[], commands: CommandTable): Promise<string> {
  const known = Object.keys(outputs);
  const plain = await withoutAliases(words, commands);
  if (known.includes(plain.join(" "))) return plain.join(" ");
  const [noun = "", verb = ""] = plain;
  const verbs = known.filter((name) => name.startsWith(`${noun} `));
  if (plain.length === 1 && verbs.length > 0) {
    throw usageFailure(
      `${noun} is a group of commands`,
      verbs.map((name) => `grantctl schema ${name}`).join(", "),
    );
  }
  const help = "Run `grantctl schema --help` for usage.";
  const names =
    verbs.length > 0
      ? verbs.map((name) => name.slice(noun.length + 1))
      : known.map((name) => name.split(" ")[0] ?? "");
  const wrong = verbs.length > 0 ? verb : noun;
  if (names.includes(wrong)) throw usageFailure("too many arguments", help);
  const { unknownNameFailure } = await import("../../command-line/usage-errors.ts");
  throw unknownNameFailure(wrong, names, help);
}

/** The words with aliases resolved, as far as they lead to a command. */
async function withoutAliases(words: readonly string[], commands: CommandTable): Promise<readonly string[]> {
  const plain: string[] = [];
  for (const word of words) {
    const command = await commands.find([...plain, word]).catch((error: unknown) => {
      if (!isFailure(error, "usage")) throw error;
      return null;
    });
    plain.push(command?.name() ?? word);
  }
  return plain;
}
