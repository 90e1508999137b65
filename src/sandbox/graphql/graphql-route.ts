// The GraphQL API: one request from its envelope to its response. Loaded on first use, because the reference
// implementation is large.
//
//   envelope -> nesting of brackets -> parse -> validate -> size of the operations -> execute -> data and errors
//
// The first step that fails decides the response. A bad envelope is a 400; every other failure is a 200 with `data`
// null. Errors have the format of the specification (7): `data` and, for each error, `message` and `locations`.
//
// Limits exist because one short query can request a great deal: the parser recurses for each bracket, and nested lists
// multiply. Before the parser runs, brackets and tokens are counted. Afterwards the size of a validated
// document is computed, with the largest page for each list that names no size.
import {
  buildSchema,
  type DocumentNode,
  executeSync,
  type ExecutionResult,
  type FieldNode,
  GraphQLError,
  isScalarType,
  Kind,
  Lexer,
  parse,
  type SelectionSetNode,
  Source,
  TokenKind,
  validate,
} from "graphql";
import { type ServiceResponse, json, Refusal } from "../http/response.ts";
import type { JsonObject } from "../http/request.ts";
import type { TokenCaller } from "../identity/authentication.ts";
import type { Call, HandlerOptions } from "../operations/operation.ts";
import { formatTime } from "../operations/representations.ts";
import type { Organization } from "../seed/organizations.ts";
import { largestSize } from "./fields.ts";
import { createOperations } from "./operations.ts";
import { schemaText } from "./schema-text.ts";

interface Envelope {
  readonly query: string;
  readonly variables: JsonObject;
  readonly operationName: string | null;
}

/** The most errors to report for one document. */
const mostErrors = 20;

/** Handles one query. A document that cannot be executed also returns 200, with `data` null. */
export function createGraphqlHandler(options: HandlerOptions): (call: Call<TokenCaller>) => ServiceResponse {
  const schema = buildSchema(schemaText);
  const moment = schema.getType("DateTime");
  if (isScalarType(moment)) moment.serialize = (seconds) => formatTime(seconds as number);

  return ({ caller, body }) => {
    const envelope = readEnvelope(body);
    if (typeof envelope === "string") return errorResponse(400, [new GraphQLError(envelope)]);
    const document = orSyntaxError(
      () => checkNesting(envelope.query) ?? parse(envelope.query, { maxTokens: mostTokens }),
    );
    if (document instanceof GraphQLError) return errorResponse(200, [document]);
    const mistakes = validate(schema, document, undefined, { maxErrors: mostErrors });
    if (mistakes.length > 0) return errorResponse(200, mistakes);
    const excess = checkSize(document, envelope.variables);
    if (excess !== null) return errorResponse(200, [excess]);

    const leftOut = new Map<number, Organization>();
    const result = executeSync({
      schema,
      document,
      rootValue: createOperations(options, caller, (organizations) => {
        for (const organization of organizations) leftOut.set(organization.id, organization);
      }),
      variableValues: envelope.variables,
      operationName: envelope.operationName,
    });
    return executionResponse(result, options.singleSignOn.describePartialResults([...leftOut.values()]));
  };
}

/** The query, variables and operation name in a body, or the error about it. */
function readEnvelope({ query, variables = null, operationName = null }: JsonObject): Envelope | string {
  if (typeof query !== "string") return "A query attribute must be specified and must be a string.";
  if (typeof variables !== "object" || Array.isArray(variables)) return "Variables must be an object.";
  if (operationName !== null && typeof operationName !== "string")
    return "The operation's name must be a string.";
  return {
    query,
    variables: (variables ?? {}) as JsonObject,
    operationName: operationName === "" ? null : operationName,
  };
}

function orSyntaxError<Result>(read: () => Result): Result | GraphQLError {
  try {
    return read();
  } catch (error) {
    if (error instanceof GraphQLError) return error;
    throw error;
  }
}

function executionResponse(
  { data, errors = [] }: ExecutionResult,
  partial: Readonly<Record<string, string>>,
): ServiceResponse {
  const refusals = errors.flatMap(({ originalError }) =>
    originalError instanceof Refusal ? [originalError.response] : [],
  );
  // The approval URL of a refusal replaces the list of organizations that were left out.
  const headers = Object.assign({}, partial, ...refusals.map((refusal) => refusal.headers)) as Record<
    string,
    string
  >;
  const shown = data ?? null;
  return json(
    200,
    errors.length === 0 ? { data: shown } : { data: shown, errors: errors.map(describe) },
    headers,
  );
}

function errorResponse(status: number, errors: readonly GraphQLError[]): ServiceResponse {
  return json(status, { data: null, errors: errors.map(describe) });
}

/** An error in the specification's form. Throws an error that is a bug of the sandbox, so that the response is 500. */
function describe({ message, locations = [], path, originalError }: GraphQLError): unknown {
  const isExpected =
    originalError === undefined || originalError instanceof GraphQLError || originalError instanceof Refusal;
  if (!isExpected) throw originalError;
  return {
    message: originalError instanceof Refusal ? messageOf(originalError.response) : message,
    locations,
    ...(path === undefined ? {} : { path }),
  };
}

function messageOf({ body }: ServiceResponse): string {
  return (body as { message: string }).message;
}

/** The most tokens that the parser reads, because nothing limits a document before it is parsed. */
const mostTokens = 5000;
const mostLevels = 20;
/** The deepest nesting of brackets, more than the other limits allow. The parser calls itself for each level. */
const mostBrackets = 200;
const mostFields = 100_000;

interface Size {
  readonly levels: number;
  readonly fields: number;
}

const nothing: Size = { levels: 0, fields: 0 };

/**
 * The error for a text whose brackets are nested too deep, or null. The text is not parsed yet: throws a GraphQLError
 * at the first character that begins no token.
 */
function checkNesting(text: string): GraphQLError | null {
  const source = new Source(text);
  const lexer = new Lexer(source);
  let depth = 0;
  for (let token = lexer.advance(); token.kind !== TokenKind.EOF; token = lexer.advance()) {
    if (opening.has(token.kind)) depth += 1;
    else if (closing.has(token.kind)) depth -= 1;
    if (depth > mostBrackets) {
      return new GraphQLError(`The query has more than ${mostBrackets} brackets in one another.`, {
        source,
        positions: [token.start],
      });
    }
  }
  return null;
}

const opening: ReadonlySet<string> = new Set([TokenKind.BRACE_L, TokenKind.BRACKET_L, TokenKind.PAREN_L]);
const closing: ReadonlySet<string> = new Set([TokenKind.BRACE_R, TokenKind.BRACKET_R, TokenKind.PAREN_R]);

/** The error for a document whose operations go too far, or null. */
function checkSize(
  document: DocumentNode,
  variables: Readonly<Record<string, unknown>>,
): GraphQLError | null {
  const fragments = new Map<string, SelectionSetNode>();
  const measured = new Map<string, Size>();
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION)
      fragments.set(definition.name.value, definition.selectionSet);
  }

  function measure(set: SelectionSetNode | undefined): Size {
    let levels = 0;
    let fields = 0;
    for (const selection of set?.selections ?? []) {
      const size =
        selection.kind === Kind.FIELD
          ? measureField(selection)
          : selection.kind === Kind.INLINE_FRAGMENT
            ? measure(selection.selectionSet)
            : measureFragment(selection.name.value);
      levels = Math.max(levels, size.levels);
      fields += size.fields;
    }
    return { levels, fields };
  }

  function measureField(field: FieldNode): Size {
    // Introspection has limits of its own, in the reference implementation.
    if (field.name.value.startsWith("__")) return { levels: 1, fields: 1 };
    const below = measure(field.selectionSet);
    return { levels: below.levels + 1, fields: 1 + below.fields * mostRows(field, variables) };
  }

  function measureFragment(name: string): Size {
    const size = measured.get(name) ?? measure(fragments.get(name));
    measured.set(name, size);
    return size;
  }

  for (const definition of document.definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION) continue;
    const { levels, fields } =
      definition.selectionSet === undefined ? nothing : measure(definition.selectionSet);
    const excess =
      levels > mostLevels
        ? `is ${levels} levels deep, and may be ${mostLevels}`
        : fields > mostFields
          ? `asks for up to ${fields} fields, and may for ${mostFields}`
          : null;
    if (excess !== null) return new GraphQLError(`The query ${excess}.`, { nodes: [definition] });
  }
  return null;
}

/** How many times the fields below this one can occur: for a connection, once for each row of its page. */
function mostRows(field: FieldNode, variables: Readonly<Record<string, unknown>>): number {
  const isConnection = field.selectionSet?.selections.some(
    (selection) => selection.kind !== Kind.FIELD || ["nodes", "edges"].includes(selection.name.value),
  );
  if (isConnection !== true) return 1;
  const sizes = ["first", "last"].map((name) => {
    const value = field.arguments?.find((argument) => argument.name.value === name)?.value;
    if (value?.kind === Kind.INT) return Number(value.value);
    return value?.kind === Kind.VARIABLE ? variables[value.name.value] : undefined;
  });
  const size = sizes.find((given) => typeof given === "number");
  return size === undefined ? largestSize : rowsOf(size);
}

/**
 * The rows of a page for the limit. An invalid size, rejected later, counts as 1, because a negative one would lower
 * it.
 */
function rowsOf(size: number): number {
  return Math.min(Math.max(size, 1), largestSize);
}
