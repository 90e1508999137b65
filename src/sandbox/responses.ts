// Errors, pages of lists, node IDs and users, as every operation sends them; and the bodies of requests.
import type { Context } from "hono";
import { HTTPException } from "hono/http-exception";
import type { User } from "../api/resources.ts";
import type { Env, World } from "./service.ts";

export const documentationUrl = "https://developer.example.com/v3/oauth_authorizations/";

type Headers = Readonly<Record<string, string>>;

/** An error to throw: hono sends its response. */
export function failure(status: number, body: object, headers: Headers = {}, message = ""): HTTPException {
  const res = Response.json(body, { status, headers });
  return new HTTPException(status as HTTPException["status"], { res, message });
}

/** An error in the format of the service. */
export function refuse(status: number, message: string, headers?: Headers): HTTPException {
  return failure(status, { message, documentation_url: documentationUrl }, headers, message);
}

/** Throws a 404 for undefined, null and false. */
export function found<T>(value: T | undefined | null | false): T {
  if (value === undefined || value === null || value === false) throw refuse(404, "Not Found");
  return value;
}

/** A field of a request that is wrong. */
export function invalid(
  field: string,
  code: "missing_field" | "invalid" | "already_exists" | "custom",
  message?: string,
): HTTPException {
  const errors = [{ resource: "OauthAccess", code, field, message }];
  return failure(422, { message: "Validation Failed", errors, documentation_url: documentationUrl });
}

/** One page of a list, with the `Link` header if there are others. A wrong number counts as not sent. */
export function page<Row>(
  c: Context,
  { baseUrl }: World,
  rows: readonly Row[],
  toJson: (row: Row) => unknown,
): Response {
  const read = (name: string, otherwise: number): number =>
    Math.max(0, Number.parseInt(c.req.query(name) ?? "", 10)) || otherwise;
  const size = Math.min(read("per_page", 30), 100);
  const current = read("page", 1);
  const last = Math.ceil(rows.length / size);
  const query = new URLSearchParams(new URL(c.req.url).search);
  const link = (rel: string, number: number): string => {
    query.set("page", String(number));
    return `<${baseUrl}${encodeURI(c.req.path)}?${query.toString()}>; rel="${rel}"`;
  };
  if (current < last) c.header("Link", `${link("next", current + 1)}, ${link("last", last)}`);
  return c.json(rows.slice((current - 1) * size, current * size).map((row) => toJson(row)));
}

/** The opaque ID of an object in GraphQL, and `node_id` in REST. */
export function nodeId(type: string, key: number): string {
  return btoa(`0${type.length}:${type}${key}`);
}

export interface Person {
  readonly id: number;
  readonly login: string;
}

/** A user, with the eighteen fields of the specification. */
export function userJson({ baseUrl }: World, { id, login }: Person): User {
  const url = `${baseUrl}/users/${login}`;
  return {
    login,
    id,
    node_id: nodeId("User", id),
    avatar_url: `https://avatars.example.com/u/${id}`,
    gravatar_id: "",
    url,
    html_url: `${baseUrl}/${login}`,
    followers_url: `${url}/followers`,
    following_url: `${url}/following{/other_user}`,
    gists_url: `${url}/gists{/gist_id}`,
    starred_url: `${url}/starred{/owner}{/repo}`,
    subscriptions_url: `${url}/subscriptions`,
    organizations_url: `${url}/orgs`,
    repos_url: `${url}/repos`,
    events_url: `${url}/events{/privacy}`,
    received_events_url: `${url}/received_events`,
    type: "User",
    site_admin: false,
  };
}

export type Body = Readonly<Record<string, unknown>>;

/** A body is a JSON object, whatever its content type; an empty one is {}. */
export function readBody(c: Context<Env>): Body {
  const text = c.get("body");
  if (text === "") return {};
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    throw refuse(400, "Problems parsing JSON");
  }
  if (typeof body !== "object" || body === null || Array.isArray(body))
    throw refuse(400, "Body should be a JSON object");
  return body as Body;
}

/** Null if the field is absent, null or empty. */
export function readText(body: Body, field: string): string | null {
  const value = body[field] ?? "";
  if (typeof value !== "string") throw invalid(field, "invalid");
  return value === "" ? null : value;
}
