// The GraphQL API: handles one request. Loaded on first use, because the package graphql is large.
//
//   envelope -> nesting of brackets -> parse -> validate -> size of the operations -> execute -> data and errors
//
// The first step that fails determines the response: 400 for an invalid envelope, and 200 with `data` null for any
// other error. Errors have the format of the specification (7).
//
// Limits exist because a short query can request a lot: the parser recurses for each bracket, and nested lists
// multiply. Brackets and tokens are counted before the document is parsed. The size of a validated document is computed
// from the page sizes of its lists; the maximum counts for a list without one.
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
import type { Call, HandlerContext } from "../operations/operation.ts";
import { formatTime } from "../operations/representations.ts";
import type { Organization } from "../seed/organizations.ts";
import { maxPageSize } from "./fields.ts";
import { createOperations } from "./operations.ts";
import { schemaText } from "./schema-text.ts";

interface Envelope {
  readonly query: string;
  readonly variables: JsonObject;
  readonly operationName: string | null;
}

const maxErrors = 20;

export function createGraphqlHandler(context: HandlerContext): (call: Call<TokenCaller>) => ServiceResponse {
  const schema = buildSchema(schemaText);
  const dateTime = schema.getType("DateTime");
  if (isScalarType(dateTime)) dateTime.serialize = (seconds) => formatTime(seconds as number);

  return ({ caller, body }) => {
    const envelope = readEnvelope(body);
    if (typeof envelope === "string") return errorResponse(400, [new GraphQLError(envelope)]);
    let document: DocumentNode;
    try {
      checkNesting(envelope.query);
      document = parse(envelope.query, { maxTokens });
      const errors = validate(schema, document, undefined, { maxErrors });
      if (errors.length > 0) return errorResponse(200, errors);
      checkSize(document, envelope.variables);
    } catch (error) {
      if (error instanceof GraphQLError) return errorResponse(200, [error]);
      throw error;
    }

    const excluded = new Map<number, Organization>();
    const result = executeSync({
      schema,
      document,
      rootValue: createOperations(context, caller, (organizations) => {
        for (const organization of organizations) excluded.set(organization.id, organization);
      }),
      variableValues: envelope.variables,
      operationName: envelope.operationName,
    });
    return executionResponse(result, context.singleSignOn.partialResultsHeader([...excluded.values()]));
  };
}

/** Returns an error message if the body is invalid. */
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

function executionResponse(
  { data, errors = [] }: ExecutionResult,
  partialResults: Readonly<Record<string, string>>,
): ServiceResponse {
  const refusals = errors.flatMap(({ originalError }) =>
    originalError instanceof Refusal ? [originalError.response] : [],
  );
  // A refusal's approval URL replaces the list of organizations that were left out.
  const headers = Object.assign({}, partialResults, ...refusals.map((refusal) => refusal.headers)) as Record<
    string,
    string
  >;
  const body = { data: data ?? null };
  return json(200, errors.length === 0 ? body : { ...body, errors: errors.map(representError) }, headers);
}

function errorResponse(status: number, errors: readonly GraphQLError[]): ServiceResponse {
  return json(status, { data: null, errors: errors.map(representError) });
}

/** Rethrows an unexpected error, which is a bug of the sandbox, so that the response is a 500. */
function representError({ message, locations = [], path, originalError }: GraphQLError): unknown {
  const isExpected =
    originalError === undefined || originalError instanceof GraphQLError || originalError instanceof Refusal;
  if (!isExpected) throw originalError;
  return {
    message:
      originalError instanceof Refusal
        ? (originalError.response.body as { message: string }).message
        : message,
    locations,
    ...(path === undefined ? {} : { path }),
  };
}

/** No other limit applies before the document is parsed. */
const maxTokens = 5000;
const maxLevels = 20;
/** More than the other limits allow. The parser recurses for each level. */
const maxNesting = 200;
const maxFields = 100_000;

interface Size {
  readonly levels: number;
  readonly fields: number;
}

/** Throws a GraphQLError if brackets are nested too deep, or for a character that begins no token. */
function checkNesting(text: string): void {
  const source = new Source(text);
  const lexer = new Lexer(source);
  let depth = 0;
  for (let token = lexer.advance(); token.kind !== TokenKind.EOF; token = lexer.advance()) {
    if (openingBrackets.has(token.kind)) depth += 1;
    else if (closingBrackets.has(token.kind)) depth -= 1;
    if (depth > maxNesting) {
      throw new GraphQLError(`The query has more than ${maxNesting} brackets in one another.`, {
        source,
        positions: [token.start],
      });
    }
  }
}

const openingBrackets: ReadonlySet<string> = new Set([
  TokenKind.BRACE_L,
  TokenKind.BRACKET_L,
  TokenKind.PAREN_L,
]);
const closingBrackets: ReadonlySet<string> = new Set([
  TokenKind.BRACE_R,
  TokenKind.BRACKET_R,
  TokenKind.PAREN_R,
]);

/** Throws a GraphQLError if an operation has too many levels or could request too many fields. */
function checkSize(document: DocumentNode, variables: Readonly<Record<string, unknown>>): void {
  const fragments = new Map<string, SelectionSetNode>();
  const fragmentSizes = new Map<string, Size>();
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
    // The package graphql limits introspection.
    if (field.name.value.startsWith("__")) return { levels: 1, fields: 1 };
    const below = measure(field.selectionSet);
    return { levels: below.levels + 1, fields: 1 + below.fields * maxRows(field, variables) };
  }

  function measureFragment(name: string): Size {
    const size = fragmentSizes.get(name) ?? measure(fragments.get(name));
    fragmentSizes.set(name, size);
    return size;
  }

  for (const definition of document.definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION) continue;
    const { levels, fields } = measure(definition.selectionSet);
    const nodes = [definition];
    if (levels > maxLevels) {
      throw new GraphQLError(`The query is ${levels} levels deep, and may be ${maxLevels}.`, { nodes });
    }
    if (fields > maxFields) {
      const message = `The query asks for up to ${fields} fields, and may for ${maxFields}.`;
      throw new GraphQLError(message, { nodes });
    }
  }
}

/** How often the fields below this one can occur: for a connection, once for each row of its page. */
function maxRows(field: FieldNode, variables: Readonly<Record<string, unknown>>): number {
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
  if (size === undefined) return maxPageSize;
  // An invalid size is rejected later; until then a negative one must not reduce the sum.
  return Math.min(Math.max(size, 1), maxPageSize);
}
