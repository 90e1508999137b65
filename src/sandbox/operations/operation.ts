// An operation: a route with its handler, and the parts of the sandbox that handlers use.
//
// `Caller` is the result of authentication, so a handler cannot be called without it. Each way to authenticate has a
// table of routes of its own. In a table the first route that matches decides. A template is parsed once.
//
// A handler is synchronous, so that no other request runs between its checks and its writes. It opens a transaction for
// these itself.
import type { ServiceResponse } from "../http/response.ts";
import type { Deviation } from "../http/faults.ts";
import type { RateLimit } from "../http/rate-limit.ts";
import type { JsonObject, SandboxRequest } from "../http/request.ts";
import type { OneTimePasswords } from "../identity/passwords.ts";
import type { SingleSignOn } from "../identity/single-sign-on.ts";
import type { Behaviour } from "../operator.ts";
import type { Store } from "../store/store.ts";
import type { OwnerNotices } from "./control.ts";

export interface Call<Caller> {
  readonly caller: Caller;
  readonly request: SandboxRequest;
  /** The path's variables by the names in the template. */
  readonly variables: Readonly<Record<string, string>>;
  /** Empty if the route ignores bodies; of a form all values are texts. */
  readonly body: JsonObject;
  readonly deviation: Deviation;
}

export interface Route<Caller> {
  readonly method: string;
  /** `/authorizations/:id`; a variable is one segment that is not empty. */
  readonly template: string;
  readonly body: "object" | "form" | "ignored";
  /** Synchronous, so that no other request runs between its checks and its writes. */
  readonly handle: (call: Call<Caller>) => ServiceResponse;
}

/** A route for a line such as `GET /authorizations/:id`, with how a request's body is read. */
export function route<Caller>(
  line: string,
  handle: Route<Caller>["handle"],
  body: Route<Caller>["body"] = "ignored",
): Route<Caller> {
  const [method = "", template = ""] = line.split(" ");
  return { method, template, handle, body };
}

interface Match<Caller> {
  readonly route: Route<Caller>;
  readonly variables: Readonly<Record<string, string>>;
}

/** Returns the first route for a request's method and path, or undefined. */
export type FindRoute<Caller> = (request: SandboxRequest) => Match<Caller> | undefined;

/** Finds the route of a request; each template is parsed once. */
export function createFindRoute<Caller>(routes: readonly Route<Caller>[]): FindRoute<Caller> {
  const split = routes.map((one) => ({ one, parts: one.template.slice(1).split("/") }));
  return ({ method, segments }) => {
    for (const { one, parts } of split) {
      if (one.method !== method || parts.length !== segments.length) continue;
      const variables = matchParts(parts, segments);
      if (variables !== null) return { route: one, variables };
    }
    return undefined;
  };
}

function matchParts(
  parts: readonly string[],
  segments: readonly (string | null)[],
): Readonly<Record<string, string>> | null {
  const variables: Record<string, string> = {};
  for (let index = 0; index < parts.length; index += 1) {
    const part = parts[index] ?? "";
    const segment = segments[index] ?? "";
    if (part.startsWith(":") ? segment === "" : segment !== part) return null;
    if (part.startsWith(":")) variables[part.slice(1)] = segment;
  }
  return variables;
}

export interface HandlerOptions {
  readonly store: Store;
  readonly behaviour: Behaviour;
  readonly oneTimePasswords: OneTimePasswords;
  readonly singleSignOn: SingleSignOn;
  /** Without a slash at its end. */
  readonly baseUrl: string;
  readonly perPage: number;
  /** The notices to the owners of reported tokens. */
  readonly notices: OwnerNotices;
  readonly rateLimit: Pick<RateLimit, "foresee">;
  /** Whole seconds since the epoch. */
  readonly nowInSeconds: () => number;
}

/** An ID in a path; 0, which no object has, for anything else. */
export function readId(text: string | undefined): number {
  return /^\d{1,15}$/.test(text ?? "") ? Number(text) : 0;
}
