// A schema as it is published: with an identifier, and each titled object once, among its definitions.
import type { JsonSchema } from "./json-schema.ts";

/** A whole JSON Schema document. */
export interface SchemaDocument extends JsonSchema {
  readonly $schema: string;
  readonly $id: string;
  readonly $defs?: Readonly<Record<string, JsonSchema>>;
}

export interface DocumentHead {
  /** Any URI that stays the same. */
  readonly id: string;
  readonly title: string;
  readonly description: string;
}

/** The document of a schema. Throws an Error where two different objects have one title, which is a mistake of ours. */
export function createSchemaDocument(
  schema: JsonSchema,
  { id, title, description }: DocumentHead,
): SchemaDocument {
  const definitions = new Map<string, JsonSchema>();

  const replaceTitled = (part: JsonSchema): JsonSchema => {
    const { title: name } = part;
    const replaced = replaceInside(part);
    if (name === undefined) return replaced;
    const known = definitions.get(name);
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(replaced)) {
      throw new Error(`two schemas are called ${name}`);
    }
    definitions.set(name, replaced);
    return { $ref: `#/$defs/${name}` };
  };

  const replaceInside = (part: JsonSchema): JsonSchema => ({
    ...part,
    ...(part.properties === undefined
      ? {}
      : {
          properties: Object.fromEntries(
            Object.entries(part.properties).map(([name, property]) => [name, replaceTitled(property)]),
          ),
        }),
    ...(part.items === undefined ? {} : { items: replaceTitled(part.items) }),
    ...(part.anyOf === undefined ? {} : { anyOf: part.anyOf.map(replaceTitled) }),
  });

  const whole = replaceTitled(schema);
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    $id: id,
    title,
    description,
    ...whole,
    ...(definitions.size === 0 ? {} : { $defs: Object.fromEntries(definitions) }),
  };
}
