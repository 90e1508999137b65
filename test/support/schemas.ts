// The published schemas, without knowledge of the program: with a validator in strict mode, and as a list of the
// documented fields.
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { allSchemas } from "../../src/commands/schema/schema.ts";
import type { SchemaForm } from "../../src/commands/outputs.ts";
import type { JsonSchema, SchemaDocument } from "../../src/schema/json-schema.ts";

/** A validator in strict mode, which rejects unknown keywords. */
export function createValidator(): Ajv2020 {
  return new Ajv2020({ strict: true, strictTypes: true, validateFormats: false, allErrors: true });
}

export type Complain = (command: string, form: SchemaForm, value: unknown) => readonly string[];

/**
 * Returns a function that lists a value's violations of a command's schema. Properties that are not in the schema are
 * violations here, although readers must accept them. Throws if there is no such schema.
 */
export function createChecker(): Complain {
  const validator = createValidator();
  const validators = new Map<string, ValidateFunction>();
  for (const { command, form, document } of allSchemas()) {
    validators.set(`${command} ${form}`, validator.compile(closed(document)));
  }
  return (command, form, value) => {
    const validate = validators.get(`${command} ${form}`);
    if (validate === undefined) throw new Error(`${command} has no schema`);
    validate(value);
    return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message ?? ""}`);
  };
}

function closed(document: SchemaDocument): object {
  const definitions = Object.entries(document.$defs ?? {}).map(([name, definition]) => [
    name,
    { ...definition, additionalProperties: false },
  ]);
  return { ...document, $defs: Object.fromEntries(definitions) as object };
}

/**
 * The paths of properties outside of lists, in the syntax of `--json`: `app.name`. Leaves out the alternative
 * `without`.
 */
export function pathsOf(document: SchemaDocument, without: string): readonly string[] {
  const paths = new Set<string>();
  const visit = (schema: JsonSchema, before: string): void => {
    for (const { title, properties } of alternativesOf(schema, document)) {
      if (title === without) continue;
      for (const [name, property] of Object.entries(properties ?? {})) {
        paths.add(`${before}${name}`);
        visit(property, `${before}${name}.`);
      }
    }
  };
  visit(document, "");
  return [...paths].toSorted();
}

function alternativesOf(schema: JsonSchema, document: SchemaDocument): readonly JsonSchema[] {
  if (schema.anyOf !== undefined) return schema.anyOf.flatMap((each) => alternativesOf(each, document));
  if (schema.$ref === undefined) return [schema];
  const target = document.$defs?.[nameOf(schema.$ref)];
  if (target === undefined) throw new Error(`${schema.$ref} leads nowhere`);
  return alternativesOf(target, document);
}

/** The types of a schema's properties by path, with `missing` for optional ones. */
export type Promises = Readonly<Record<string, string>>;

/** The type of the document and of every property of its objects. */
export function promisesOf(document: SchemaDocument): Promises {
  const properties = Object.entries(document.$defs ?? {}).flatMap(([name, definition]) =>
    Object.entries(definition.properties ?? {}).map(([property, schema]) => {
      const isRequired = definition.required?.includes(property) === true;
      return [`${name}.${property}`, [...typesOf(schema), ...(isRequired ? [] : ["missing"])].join(" | ")];
    }),
  );
  return { "": typesOf(document).join(" | "), ...(Object.fromEntries(properties) as Promises) };
}

function typesOf({ anyOf, $ref, type, items }: JsonSchema): readonly string[] {
  if (anyOf !== undefined) return anyOf.flatMap(typesOf);
  if ($ref !== undefined) return [nameOf($ref)];
  const inside = items === undefined ? "" : ` of ${typesOf(items).join(" or ")}`;
  return [type ?? []].flat().map((each) => (each === "array" ? `array${inside}` : each));
}

function nameOf(reference: string): string {
  return reference.replace("#/$defs/", "");
}
