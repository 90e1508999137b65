// Builds JSON Schema (draft 2020-12) for the output of commands.
//
// Each builder carries the TypeScript type that it describes, so the compiler rejects a schema that differs from the
// output. `format` is not used: strict validators reject unknown ones. A published schema has an identifier, and each
// titled object appears once, under its definitions (`createSchemaDocument`).
/** The part of JSON Schema that is used here. */
export interface JsonSchema {
  readonly title?: string;
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly (string | null)[];
  readonly minLength?: number;
  readonly minimum?: number;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly $ref?: string;
}

declare const described: unique symbol;

/** A schema for values of exactly this type. The type parameter exists only for the compiler. */
export interface Schema<T> extends JsonSchema {
  readonly [described]?: (value: T) => T;
}

/** A property that may be missing. */
interface Optional<T> {
  readonly optional: Schema<T>;
}

/** A schema for each property of an object type. */
export type Properties<T> = {
  readonly [Key in keyof T]-?: undefined extends T[Key]
    ? Optional<Exclude<T[Key], undefined>>
    : Schema<T[Key]>;
};

export function text(description: string): Schema<string> {
  return { type: "string", description };
}

/** A text that is not empty. */
export function filledText(description: string): Schema<string> {
  return { type: "string", minLength: 1, description };
}

/** One of these texts. */
export function word<W extends string>(description: string, ...words: readonly W[]): Schema<W> {
  return { type: "string", enum: words, description };
}

/** A whole number of at least zero. */
export function wholeNumber(description: string): Schema<number> {
  return { type: "integer", minimum: 0, description };
}

export function truth(description: string): Schema<boolean> {
  return { type: "boolean", description };
}

/** An array of one type of item. */
export function list<T>(items: Schema<T>, description?: string): Schema<readonly T[]> {
  return { type: "array", items, ...(description === undefined ? {} : { description }) };
}

/** Allows null in addition to the schema. */
export function orNull<T>(schema: Schema<T>): Schema<T | null> {
  const plain: JsonSchema = schema;
  const { type, enum: words } = plain;
  if (typeof type !== "string" || plain.title !== undefined) return { anyOf: [plain, { type: "null" }] };
  const nullable: JsonSchema = { ...plain, type: [type, "null"] };
  return words === undefined ? nullable : { ...nullable, enum: [...words, null] };
}

/** A property that may be missing. */
export function optional<T>(schema: Schema<T>): Optional<T> {
  return { optional: schema };
}

/** Each of these properties as one that may be missing. */
export function allOptional<T extends object>(properties: Properties<T>): Properties<Partial<T>> {
  const changed = entriesOf(properties).map(({ name, schema }) => [name, { optional: schema }]);
  return Object.fromEntries(changed) as Properties<Partial<T>>;
}

/**
 * An object with these properties. Others are allowed: the server's own, and those of later versions. A title must
 * always stand for the same schema.
 */
export function object<T extends object>(
  title: string,
  description: string,
  properties: Properties<T>,
): Schema<T> {
  const entries = entriesOf(properties);
  return {
    title,
    description,
    type: "object",
    properties: Object.fromEntries(entries.map(({ name, schema }) => [name, schema])),
    required: entries.filter(({ isRequired }) => isRequired).map(({ name }) => name),
  };
}

/** The type that a schema describes. */
export type TypeOf<Described> = Described extends Schema<infer T> ? T : never;

type SomeProperties = Readonly<Record<string, JsonSchema | { readonly optional: JsonSchema }>>;

type TypeOfProperties<P extends SomeProperties> = {
  readonly [Key in keyof P as P[Key] extends JsonSchema ? Key : never]: TypeOf<P[Key]>;
} & {
  readonly [Key in keyof P as P[Key] extends JsonSchema ? never : Key]?: P[Key] extends Optional<infer T>
    ? T
    : never;
};

/** As `object`, with the type inferred from the properties (`TypeOf`). */
export function objectWith<P extends SomeProperties>(
  title: string,
  description: string,
  properties: P,
): Schema<TypeOfProperties<P>> {
  return object(title, description, properties as unknown as Properties<TypeOfProperties<P>>);
}

/** One of two schemas, distinguished by their content. */
export function either<First, Second>(first: Schema<First>, second: Schema<Second>): Schema<First | Second> {
  const alternatives: readonly JsonSchema[] = [first, second];
  return { anyOf: alternatives.flatMap((schema) => schema.anyOf ?? [schema]) };
}

/**
 * The fields of a schema for `--json`, in its order: each property, and nested ones (`app.name`). Alternatives stand
 * for their first schema, a list for its items.
 */
export function fieldsOf(schema: JsonSchema): readonly string[] {
  return Object.entries(mainPartOf(schema).properties ?? {}).flatMap(([name, property]) => {
    const inside = property.items === undefined ? mainPartOf(property).properties : undefined;
    return [name, ...Object.keys(inside ?? {}).map((inner) => `${name}.${inner}`)];
  });
}

function mainPartOf(schema: JsonSchema): JsonSchema {
  const part = schema.anyOf?.[0] ?? schema.items;
  return part === undefined ? schema : mainPartOf(part);
}

interface Entry {
  readonly name: string;
  readonly schema: JsonSchema;
  readonly isRequired: boolean;
}

function entriesOf(properties: object): readonly Entry[] {
  return Object.entries(properties as SomeProperties).map(([name, property]) =>
    "optional" in property
      ? { name, schema: property.optional, isRequired: false }
      : { name, schema: property, isRequired: true },
  );
}

/** A whole JSON Schema document. */
export interface SchemaDocument extends JsonSchema {
  readonly $schema: string;
  readonly $id: string;
  readonly $defs?: Readonly<Record<string, JsonSchema>>;
}

/** The document of a schema; `id` is a stable URI. Throws an Error if two different objects have the same title, which is a bug. */
export function createSchemaDocument(
  schema: JsonSchema,
  { id, title, description }: { readonly id: string; readonly title: string; readonly description: string },
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

  const replaceInside = (part: JsonSchema): JsonSchema => {
    const { properties, items, anyOf } = part;
    const replaced = Object.entries(properties ?? {}).map(([name, each]) => [name, replaceTitled(each)]);
    return {
      ...part,
      ...(properties && { properties: Object.fromEntries(replaced) }),
      ...(items && { items: replaceTitled(items) }),
      ...(anyOf && { anyOf: anyOf.map(replaceTitled) }),
    };
  };

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
