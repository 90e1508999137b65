// The published schemas, read as a stranger to the program reads them: by a validator, in its strict mode, and as a
// list of the fields that they promise.
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { allSchemas, type SchemaForm } from "../../src/commands/schema/schemas.ts";
import type { JsonSchema } from "../../src/output/json-schema.ts";
import type { SchemaDocument } from "../../src/output/schema-document.ts";

/** A validator that refuses what a schema has no business to hold. */
export function createValidator(): Ajv2020 {
  return new Ajv2020({ strict: true, strictTypes: true, validateFormats: false, allErrors: true });
}

export type Complain = (command: string, form: SchemaForm, value: unknown) => readonly string[];

/** What each value breaks of a command's schema; nothing for one that fits. Throws where there is no such schema. */
export function createChecker(): Complain {
  const validator = createValidator();
  const validators = new Map<string, ValidateFunction>();
  for (const { command, form, document } of allSchemas()) {
    validators.set(`${command} ${form}`, validator.compile(document));
  }
  return (command, form, value) => {
    const validate = validators.get(`${command} ${form}`);
    if (validate === undefined) throw new Error(`${command} has no schema`);
    validate(value);
    return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message ?? ""}`);
  };
}

/** By path: the types, in order, with a question mark where it may be missing. */
export type Fields = Readonly<Record<string, string>>;

/** Every field of a document, by its path: `[].app.name`. `isMeant` leaves alternatives out by their title. */
export function fieldsOf(
  document: SchemaDocument,
  isMeant: (title: string | undefined) => boolean = () => true,
): Fields {
  const found = new Map<string, Set<string>>();
  const visit = (schema: JsonSchema, path: string, mayBeMissing: boolean): void => {
    const alternatives = alternativesOf(schema, document).filter(({ title }) => isMeant(title));
    const types = found.get(path) ?? new Set();
    found.set(path, types);
    if (mayBeMissing) types.add("?");
    const objects = alternatives.filter(({ properties }) => properties !== undefined);
    for (const alternative of alternatives) {
      for (const type of [alternative.type ?? []].flat()) types.add(type);
      if (alternative.items !== undefined) visit(alternative.items, `${path}[]`, false);
      for (const [name, property] of Object.entries(alternative.properties ?? {})) {
        const isEverywhere = objects.every(({ required }) => required?.includes(name) === true);
        visit(property, path === "" ? name : `${path}.${name}`, !isEverywhere);
      }
    }
  };
  visit(document, "", false);
  return Object.fromEntries([...found].map(([path, types]) => [path, [...types].toSorted().join(" ")]));
}

function alternativesOf(schema: JsonSchema, document: SchemaDocument): readonly JsonSchema[] {
  if (schema.anyOf !== undefined) return schema.anyOf.flatMap((each) => alternativesOf(each, document));
  if (schema.$ref === undefined) return [schema];
  const target = document.$defs?.[schema.$ref.replace("#/$defs/", "")];
  if (target === undefined) throw new Error(`${schema.$ref} leads nowhere`);
  return alternativesOf(target, document);
}
