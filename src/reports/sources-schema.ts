// The schema of `sources`, the places where a report found a token.
import {
  list,
  objectWith,
  orNull,
  text,
  wholeNumber,
  word,
  type JsonSchema,
  type Schema,
  type TypeOf,
} from "../schema/json-schema.ts";

const sourceSchema = objectWith(
  "Source",
  "One place where a scanner found the token; null for what its report does not say.",
  {
    tool: word<string>("whose report it is, as --from calls it", "trufflehog", "gitleaks", "github-alerts"),
    rule: orNull(text("what the tool calls this kind of secret")),
    file: orNull(text("the file")),
    line: orNull(wholeNumber("the line in the file, counted from 1")),
    commit: orNull(text("the commit")),
    url: orNull(text("the address of the place or of the alert")),
  },
);

export type Source = TypeOf<typeof sourceSchema>;

/** A row that may have the places where a report found its token. */
export type Placed<T> = T & {
  readonly sources?: readonly Source[];
  readonly sources_omitted?: number;
};

const sourcesSchema = list(
  sourceSchema,
  "where the report found the token; absent where the tokens came as a list",
);

const omittedSchema = wholeNumber("how many further places are not in sources; absent if there are none");

/** The schema of a row that may have the places where a report found its token. */
export function placed<T extends object>(schema: Schema<T>): Schema<Placed<T>> {
  const plain: JsonSchema = schema;
  return {
    ...plain,
    properties: { ...plain.properties, sources: sourcesSchema, sources_omitted: omittedSchema },
  };
}
