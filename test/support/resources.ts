// Grants and authorizations in the service's format, for test servers.
import { createHash } from "node:crypto";

/** A grant; `changes` replaces or adds fields. */
export function grantJson(changes: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return {
    id: 42,
    url: "https://service.test/applications/grants/42",
    app: { url: "https://tidewatch.test/", name: "Tidewatch CI", client_id: "0123456789abcdef0123" },
    created_at: "2024-11-20T19:02:04Z",
    updated_at: "2025-02-03T04:05:06Z",
    scopes: ["repo", "user"],
    ...changes,
  };
}

/**
 * An authorization; `changes` replaces or adds fields. If it contains a token value, the hash and the last characters
 * match it; by default there is none.
 */
export function authorizationJson(changes: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  const { token } = changes;
  const ofToken =
    typeof token !== "string" || token === ""
      ? {}
      : { hashed_token: createHash("sha256").update(token).digest("hex"), token_last_eight: token.slice(-8) };
  return {
    id: 42,
    url: "https://service.test/authorizations/42",
    app: { url: "https://tidewatch.test/", name: "Tidewatch CI", client_id: "0123456789abcdef0123" },
    token: "",
    hashed_token: "d5b8e2a4c1f03967a8bb1e0c4d7f5a6923e1c0b9f8d7a6e5c4b3a2918070f6e5",
    token_last_eight: "12ab34cd",
    note: "nightly backup",
    note_url: "https://notes.test/7",
    created_at: "2024-11-20T19:02:04Z",
    updated_at: "2025-02-03T04:05:06Z",
    scopes: ["repo", "user"],
    fingerprint: "",
    ...ofToken,
    ...changes,
  };
}

/** An authorization in the response of check and reset: with token value and user. */
export function checkedJson(
  token: string,
  changes: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  return authorizationJson({ token, user: { login: "octavia", id: 1, site_admin: false }, ...changes });
}

/** A token of 40 characters; the last eight are different for each number. */
export function tokenValue(number: number): string {
  return String(number).padStart(8, "0").padStart(40, "ab");
}
