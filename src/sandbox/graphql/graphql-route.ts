// The GraphQL API: one request from its envelope to its answer. Owns the form of errors (the specification, 7): `data`
// and, for each error, `message` and `locations`. Loaded on first use, because the reference implementation is large.
import {
  buildSchema,
  executeSync,
  GraphQLError,
  isScalarType,
  parse,
  validate,
  type ExecutionResult,
} from "graphql";
import type { HandlerOptions } from "../handlers/handler-options.ts";
import { formatTime } from "../handlers/representations.ts";
import { json, Refusal, type Answer } from "../http/answer.ts";
import type { JsonObject } from "../http/request-body.ts";
import type { Call } from "../http/routes.ts";
import type { TokenCaller } from "../identity/authentication.ts";
import type { Organization } from "../fixtures/organizations.ts";
import { checkNesting, checkSize, mostTokens } from "./limits.ts";
import { createOperations } from "./operations.ts";
import { schemaText } from "./schema-text.ts";

interface Envelope {
  readonly query: string;
  readonly variables: JsonObject;
  readonly operationName: string | null;
}

/** The most errors to report for one document. */
const mostErrors = 20;

/** Answers one query. A document that cannot be carried out is answered 200 too, with `data` null. */
export function createGraphqlHandler(options: HandlerOptions): (call: Call<TokenCaller>) => Answer {
  const schema = buildSchema(schemaText);
  const moment = schema.getType("DateTime");
  if (isScalarType(moment)) moment.serialize = (seconds) => formatTime(seconds as number);

  return ({ caller, body }) => {
    const envelope = readEnvelope(body);
    if (typeof envelope === "string") return answerErrors(400, [new GraphQLError(envelope)]);
    const document = orSyntaxError(
      () => checkNesting(envelope.query) ?? parse(envelope.query, { maxTokens: mostTokens }),
    );
    if (document instanceof GraphQLError) return answerErrors(200, [document]);
    const mistakes = validate(schema, document, undefined, { maxErrors: mostErrors });
    if (mistakes.length > 0) return answerErrors(200, mistakes);
    const excess = checkSize(document, envelope.variables);
    if (excess !== null) return answerErrors(200, [excess]);

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
    return answerResult(result, options.singleSignOn.describePartialResults([...leftOut.values()]));
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

function answerResult(
  { data, errors = [] }: ExecutionResult,
  partial: Readonly<Record<string, string>>,
): Answer {
  const refusals = errors.flatMap(({ originalError }) =>
    originalError instanceof Refusal ? [originalError.answer] : [],
  );
  // The approval address of a refusal replaces the list of organizations that were left out.
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

function answerErrors(status: number, errors: readonly GraphQLError[]): Answer {
  return json(status, { data: null, errors: errors.map(describe) });
}

/** An error in the specification's form. Throws an error that is a bug of the sandbox, so that the answer is 500. */
function describe({ message, locations = [], path, originalError }: GraphQLError): unknown {
  const isForeseen =
    originalError === undefined || originalError instanceof GraphQLError || originalError instanceof Refusal;
  if (!isForeseen) throw originalError;
  return {
    message: originalError instanceof Refusal ? messageOf(originalError.answer) : message,
    locations,
    ...(path === undefined ? {} : { path }),
  };
}

function messageOf({ body }: Answer): string {
  return (body as { message: string }).message;
}
