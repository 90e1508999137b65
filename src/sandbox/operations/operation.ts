// Operations: routes with their handlers, and the parts of the sandbox that handlers use.
//
// `Caller` is the result of authentication, so a handler cannot be called without it. Each authentication method has
// its own table of routes, in which the first match wins.
//
// A handler is synchronous, so that no other request runs between its checks and its writes. It opens the transaction
// for these itself.
import type { ServiceResponse } from "../http/response.ts";
import type { RateLimit } from "../http/rate-limit.ts";
import type { JsonObject, SandboxRequest } from "../http/request.ts";
import type { OneTimePasswords } from "../identity/one-time-passwords.ts";
import type { SingleSignOn } from "../identity/single-sign-on.ts";
import type { Behaviour } from "../operator.ts";
import type { Store } from "../store/store.ts";

export interface Call<Caller> {
  readonly caller: Caller;
  readonly request: SandboxRequest;
  /** The values of the template's variables. */
  readonly variables: Readonly<Record<string, string>>;
  /** Empty if the route ignores bodies; all values of a form are strings. */
  readonly body: JsonObject;
}

export interface Route<Caller> {
  readonly method: string;
  /** The segments of the template; a variable begins with a colon, and matches one non-empty segment. */
  readonly parts: readonly string[];
  readonly body: "object" | "form" | "ignored";
  readonly handle: (call: Call<Caller>) => ServiceResponse;
}

/** `line` is a method and a template, such as `GET /authorizations/:id`. */
export function route<Caller>(
  line: string,
  handle: Route<Caller>["handle"],
  body: Route<Caller>["body"] = "ignored",
): Route<Caller> {
  const [method = "", template = ""] = line.split(" /");
  return { method, parts: template.split("/"), handle, body };
}

/** Returns the first route that matches the request's method and path, and the values of its variables. */
export type FindRoute<Caller> = (
  request: SandboxRequest,
) => (Pick<Call<Caller>, "variables"> & { readonly route: Route<Caller> }) | undefined;

export function createFindRoute<Caller>(routes: readonly Route<Caller>[]): FindRoute<Caller> {
  return ({ method, segments }) => {
    for (const candidate of routes) {
      if (candidate.method !== method || candidate.parts.length !== segments.length) continue;
      const variables = matchParts(candidate.parts, segments);
      if (variables !== null) return { route: candidate, variables };
    }
    return undefined;
  };
}

function matchParts(
  parts: readonly string[],
  segments: readonly (string | null)[],
): Readonly<Record<string, string>> | null {
  const variables: Record<string, string> = {};
  for (const [index, part] of parts.entries()) {
    const segment = segments[index] ?? "";
    if (part.startsWith(":") ? segment === "" : segment !== part) return null;
    if (part.startsWith(":")) variables[part.slice(1)] = segment;
  }
  return variables;
}

export interface HandlerContext {
  readonly store: Store;
  readonly behaviour: Behaviour;
  readonly oneTimePasswords: OneTimePasswords;
  readonly singleSignOn: SingleSignOn;
  /** Without a trailing slash. */
  readonly baseUrl: string;
  readonly rateLimit: Pick<RateLimit, "preview">;
  /** Whole seconds since the epoch. */
  readonly nowInSeconds: () => number;
}

/** Parses an ID in a path; returns 0, which no object has, if it is invalid. */
export function readId(text: string | undefined): number {
  return /^\d{1,15}$/.test(text ?? "") ? Number(text) : 0;
}
