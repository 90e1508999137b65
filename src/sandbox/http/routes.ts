// A table of routes and the search in it. `Caller` is what authentication found out, so a handler cannot be reached
// without it; each area of the service has a table of its own.
import type { Answer } from "./answer.ts";
import type { JsonObject } from "./request-body.ts";
import type { SandboxRequest } from "./sandbox-request.ts";

export interface Call<Caller> {
  readonly caller: Caller;
  readonly request: SandboxRequest;
  /** The path's variables by the names in the template. */
  readonly variables: Readonly<Record<string, string>>;
  /** Empty where the route ignores bodies; of a form all values are texts. */
  readonly body: JsonObject;
}

export interface Route<Caller> {
  readonly method: string;
  /** `/authorizations/:id`; a variable is one segment that is not empty. */
  readonly template: string;
  readonly body: "object" | "form" | "ignored";
  /** Synchronous, so that nothing comes between its checks and its writes. */
  readonly handle: (call: Call<Caller>) => Answer;
}

export interface Match<Caller> {
  readonly route: Route<Caller>;
  readonly variables: Readonly<Record<string, string>>;
}

/** The first route for a method and path, or undefined. */
export function findRoute<Caller>(
  routes: readonly Route<Caller>[],
  request: SandboxRequest,
): Match<Caller> | undefined {
  for (const route of routes) {
    if (route.method !== request.method) continue;
    const variables = matchTemplate(route.template, request.segments);
    if (variables !== null) return { route, variables };
  }
  return undefined;
}

function matchTemplate(
  template: string,
  segments: readonly (string | null)[],
): Readonly<Record<string, string>> | null {
  const parts = template.slice(1).split("/");
  if (parts.length !== segments.length) return null;
  const variables: Record<string, string> = {};
  for (const [index, part] of parts.entries()) {
    const segment = segments[index] ?? "";
    if (part.startsWith(":") ? segment === "" : segment !== part) return null;
    if (part.startsWith(":")) variables[part.slice(1)] = segment;
  }
  return variables;
}
