// Errors, pages of lists, times, node IDs and users, as every operation sends them; and the bodies of requests.
import type { Context } from "hono";
import type { User } from "../api/resources.ts";
import type { Env, World } from "./service.ts";

export const documentationUrl = "https://developer.example.com/v3/oauth_authorizations/";

/** Thrown to send this error. */
export class Refusal extends Error {
  readonly status: number;
  readonly body: object;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, body: object, headers: Readonly<Record<string, string>> = {}) {
    super(`status ${status}`);
    this.status = status;
    this.body = body;
    this.headers = headers;
  }

  toResponse(): Response {
    return Response.json(this.body, { status: this.status, headers: this.headers });
  }
}

export function refuse(
  status: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): Refusal {
  return new Refusal(status, { message, documentation_url: documentationUrl }, headers);
}

/** Throws a 404 for undefined or null. */
export function found<T>(value: T | undefined | null): T {
  if (value === undefined || value === null) throw refuse(404, "Not Found");
  return value;
}

/** A field of a request that is wrong. */
export function invalid(
  field: string,
  code: "missing_field" | "invalid" | "already_exists" | "custom",
  details: { readonly resource?: string; readonly message?: string } = {},
): Refusal {
  return new Refusal(422, {
    message: "Validation Failed",
    errors: [{ resource: "OauthAccess", code, field, ...details }],
    documentation_url: documentationUrl,
  });
}

const defaultPerPage = 30;
const maxPerPage = 100;

/** One page of a list, with the `Link` header of the specification (4) if there are others. A wrong number counts as not sent. */
export function page<Row>(
  c: Context,
  { baseUrl }: World,
  rows: readonly Row[],
  toJson: (row: Row) => unknown,
): Response {
  const read = (name: string, otherwise: number): number => {
    const number = Number.parseInt(c.req.queries(name)?.at(-1) ?? "", 10);
    return number > 0 ? Math.min(number, 2 ** 40) : otherwise;
  };
  const size = Math.min(read("per_page", defaultPerPage), maxPerPage);
  const current = read("page", 1);
  const last = Math.ceil(rows.length / size);
  const query = new URLSearchParams(new URL(c.req.url).search);
  const link = (rel: string, number: number): string => {
    query.set("page", String(number));
    return `<${baseUrl}${encodeURI(c.req.path)}?${query.toString()}>; rel="${rel}"`;
  };
  const links = [
    ...(current < last ? [link("next", current + 1), link("last", last)] : []),
    ...(current > 1 && last > 1 ? [link("first", 1), link("prev", Math.min(current - 1, last))] : []),
  ];
  if (links.length > 0) c.header("Link", links.join(", "));
  return c.json(rows.slice((current - 1) * size, current * size).map((row) => toJson(row)));
}

/** `2026-11-20T19:02:04Z`, of seconds since the epoch. */
export function isoTime(seconds: number): string {
  return new Date(seconds * 1000).toISOString().replace(".000", "");
}

/** The opaque ID of an object in GraphQL, and `node_id` in REST (the specification, 9.2). */
export function nodeId(type: string, key: number): string {
  return btoa(`0${type.length}:${type}${key}`);
}

export interface Person {
  readonly id: number;
  readonly login: string;
}

/** A user, with the eighteen fields of the specification (2.4). */
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
  // Without a prototype, so that a field is never one of Object's.
  return Object.assign(Object.create(null) as Body, body);
}

/** Null if the field is absent, null or empty. */
export function readText(
  body: Body,
  field: string,
  details: { readonly resource?: string } = {},
): string | null {
  const value = body[field] ?? "";
  if (typeof value !== "string") throw invalid(field, "invalid", details);
  return value === "" ? null : value;
}
