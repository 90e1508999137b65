// Requests, responses and services for tests of single layers.
import { encodeBasic } from "../../src/http/authentication.ts";
import { createLimitWaits } from "../../src/http/waiting.ts";
import { parseOrigin } from "../../src/http/urls.ts";
import type { RawResponse, HttpRequest, Send } from "../../src/http/request.ts";
import { defaultServerType } from "../../src/server-types.ts";
import { createService, type Service } from "../../src/http/service.ts";

export const root = "https://service.test";

export const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;
export const writes = ["POST", "PUT", "PATCH", "DELETE"] as const;

/** A read of one grant; the test can override any field. */
export function makeRequest(overrides: Partial<HttpRequest> = {}): HttpRequest {
  return {
    method: "GET",
    target: { path: "/applications/grants/1", template: "/applications/grants/:grant_id" },
    subject: "grant 1",
    headers: {},
    body: null,
    ...overrides,
  };
}

/** A response; strings and bytes become the body unchanged, anything else becomes JSON. */
export function makeAnswer(
  status: number,
  body: unknown = {},
  headers: Readonly<Record<string, string>> = {},
): RawResponse {
  const bytes = Buffer.isBuffer(body)
    ? body
    : Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
  return { status, headers, body: bytes };
}

/** A service with every layer over this transport: an account with two-factor authentication off. */
export function connectTo(send: Send, overrides: Partial<Parameters<typeof createService>[0]> = {}): Service {
  return createService(
    {
      origin: parseOrigin(root, false),
      serverType: defaultServerType,
      headerWord: "Service",
      headers: {},
      authorization: encodeBasic({ name: "octo", secret: "a password" }),
      onPartialResults: () => undefined,
      trace: () => undefined,
      now: () => 0,
      waits: createLimitWaits(() => Promise.resolve()),
      ...overrides,
    },
    send,
  );
}
