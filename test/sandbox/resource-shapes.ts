// Expected responses: field names in order, and error bodies. Written from the specification, not from the code.
import { expect } from "vitest";
import type { Reply } from "./sandbox-client.ts";

export interface AuthorizationJson {
  id: number;
  url: string;
  app: { url: string; name: string; client_id: string };
  token: string;
  hashed_token: string;
  token_last_eight: string;
  note: string | null;
  note_url: string | null;
  created_at: string;
  updated_at: string;
  scopes: string[];
  fingerprint: string;
  expires_at?: string | null;
  user?: Record<string, unknown>;
}

export interface GrantJson {
  id: number;
  url: string;
  app: { url: string; name: string; client_id: string };
  created_at: string;
  updated_at: string;
  scopes: string[];
}

export const authorizationFields = [
  "id",
  "url",
  "app",
  "token",
  "hashed_token",
  "token_last_eight",
  "note",
  "note_url",
  "created_at",
  "updated_at",
  "scopes",
  "fingerprint",
];

export const userFields = [
  "login",
  "id",
  "node_id",
  "avatar_url",
  "gravatar_id",
  "url",
  "html_url",
  "followers_url",
  "following_url",
  "gists_url",
  "starred_url",
  "subscriptions_url",
  "organizations_url",
  "repos_url",
  "events_url",
  "received_events_url",
  "type",
  "site_admin",
];

export function authorizationOf(reply: Reply): AuthorizationJson {
  return reply.json() as AuthorizationJson;
}

export function authorizationsOf(reply: Reply): AuthorizationJson[] {
  return reply.json() as AuthorizationJson[];
}

export function grantsOf(reply: Reply): GrantJson[] {
  return reply.json() as GrantJson[];
}

export function rowsOf(reply: Reply): { id: number }[] {
  return reply.json() as { id: number }[];
}

/** The compared parts of a response that is not a resource. */
export interface Outcome {
  readonly status: number;
  readonly type: string | null;
  /** Null if there is no body. */
  readonly body: unknown;
  /** The one-time password header. */
  readonly challenge: Readonly<Record<string, string>>;
  readonly wwwAuthenticate: string | null;
}

export function outcomeOf(reply: Reply): Outcome {
  const otpHeader = Object.keys(reply.headers).find((name) => name.endsWith("-otp"));
  return {
    status: reply.status,
    type: reply.headers["content-type"] ?? null,
    body: reply.text === "" ? null : reply.json(),
    challenge: otpHeader === undefined ? {} : { [otpHeader]: reply.headers[otpHeader] ?? "" },
    wwwAuthenticate: reply.headers["www-authenticate"] ?? null,
  };
}

export const noContent: Outcome = {
  status: 204,
  type: null,
  body: null,
  challenge: {},
  wwwAuthenticate: null,
};

export function failure(status: number, message: string, more: object = {}): Outcome {
  return {
    status,
    type: "application/json",
    body: { message, documentation_url: expect.stringMatching(/^https:/) as unknown, ...more },
    challenge: {},
    wwwAuthenticate: null,
  };
}

export const notFound: Outcome = failure(404, "Not Found");

export function invalid(
  code: string,
  field: string,
  more: { message?: string; resource?: string } = {},
): Outcome {
  return failure(422, "Validation Failed", { errors: [{ resource: "OauthAccess", code, field, ...more }] });
}

export function challenge(mode: string): Outcome {
  const refusal = failure(401, "Must specify two-factor authentication OTP code.");
  return { ...refusal, challenge: { "x-service-otp": `required; ${mode}` } };
}
