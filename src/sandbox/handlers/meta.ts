// `GET /meta`: what a server says about itself, without credentials. Not every operator has it.
import { json } from "../http/answer.ts";
import { route, type Route } from "../http/routes.ts";
import type { Behaviour } from "../operator.ts";

/** The route of the operator's facts; none for an operator without them. */
export function createMetaRoutes({ meta }: Behaviour): readonly Route<null>[] {
  if (meta === null) return [];
  return [route("GET /meta", () => json(200, meta))];
}
