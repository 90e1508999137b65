// Makes the request of `grantctl api` from its arguments and flags.
import { toJson } from "../../json/exact-json.ts";
import { usageFailure } from "../../errors/errors.ts";
import type { Context } from "../../run/context.ts";
import type { Method } from "../../http/request.ts";
import type { RawCall } from "../../http/service.ts";
import { readFields, readText, type FieldOptions } from "./fields.ts";
import { isGraphql, withVariables } from "./graphql-path.ts";

export interface RequestOptions extends FieldOptions {
  readonly method?: string;
  readonly input?: string;
}

const methods: readonly Method[] = ["GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"];

/**
 * The request. Fields become the body, or the query of a GET; with --input they become the query, too. Throws a usage
 * failure.
 */
export async function requestOf(path: string, options: RequestOptions, context: Context): Promise<RawCall> {
  const fields = await readFields(options, context);
  const hasBody = fields !== null || options.input !== undefined;
  const method = methodOf(options.method ?? (hasBody ? "POST" : "GET"));
  const input = options.input === undefined ? null : await readText(options.input, "the body", context);
  const isQuery = method === "GET" || method === "HEAD" || input !== null;
  const sent = fields === null || !isGraphql({ method, path }) ? fields : withVariables(fields);
  const body = input ?? (sent === null || isQuery ? null : toJson(sent, 0));
  return {
    method,
    path,
    query: fields === null || !isQuery ? [] : queryOf(fields),
    headers: body === null ? {} : { "Content-Type": "application/json; charset=utf-8" },
    body,
    subject: `${method} ${subjectOf(path)}`,
  };
}

function methodOf(word: string): Method {
  const method = methods.find((known) => known === word.toUpperCase());
  if (method === undefined) throw usageFailure(`--method is one of ${methods.join(", ")}`);
  return method;
}

function queryOf(fields: Readonly<Record<string, unknown>>): readonly (readonly [string, string])[] {
  return Object.entries(fields).flatMap(([name, value]): [string, string][] => {
    if (Array.isArray(value)) return value.map((item) => [`${name}[]`, textOf(name, item)]);
    return [[name, textOf(name, value)]];
  });
}

function textOf(name: string, value: unknown): string {
  if (typeof value === "string") return value;
  // A query cannot hold null.
  if (value === null) return "";
  if (typeof value === "object" && !("isLosslessNumber" in value)) {
    throw usageFailure(`the field ${name} cannot be part of a query`);
  }
  return toJson(value, 0);
}

/** The path for messages: without its query, and without segments that may be tokens. */
function subjectOf(path: string): string {
  const [before = ""] = path.replace(/^https?:\/\/[^/?]*/i, "").split("?");
  return `/${before.replace(/^\/+/, "").replaceAll(/[A-Za-z0-9_-]{20,}/g, "…")}`;
}
