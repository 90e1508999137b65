// The routes of an application: its tokens, and the grants of their accounts. The token is in the path, or, at GitHub, in
// the body. A token that has expired or belongs to another application is 404, like one that never existed. Also
// reports of leaked tokens, which github.com takes from anybody.
import type { Context } from "hono";
import { authorizationJson } from "./account.ts";
import { activeToken } from "./auth.ts";
import { found, invalid, readBody, readText, refuse, userJson } from "./responses.ts";
import { makeToken } from "./seed.ts";
import type { Env, Handler, Routes, World } from "./service.ts";
import type { Token } from "./store.ts";

export function tokenRoutes(world: World): Routes {
  const { store } = world;

  function valueIn(c: Context<Env>): string {
    const value = world.isGithub ? readText(readBody(c), "access_token") : (c.req.param("token") ?? "");
    if (value === null) throw invalid("access_token", "missing_field");
    return value;
  }

  function find(c: Context<Env>): Token {
    const token = activeToken(world, valueIn(c));
    return found(token?.application === c.get("application") && token);
  }

  const withUser = (token: Token, value: string): object => ({
    ...authorizationJson(world, token, value),
    user: userJson(world, world.account),
  });

  const check: Handler = (c) => c.json(withUser(find(c), valueIn(c)));
  const reset: Handler = (c) => {
    const token = find(c);
    const value = makeToken(world.serverType, "access");
    store.reset(token, value);
    return c.json(withUser(token, value));
  };
  const revoke: Handler = (c) => {
    store.remove(find(c));
    return c.body(null, 204);
  };
  const revokeGrant: Handler = (c) => {
    for (const token of store.ofOwner(find(c).application)) store.remove(token);
    return c.body(null, 204);
  };

  if (!world.isGithub)
    return {
      "GET /applications/:client_id/tokens/:token": check,
      "POST /applications/:client_id/tokens/:token": reset,
      "DELETE /applications/:client_id/tokens/:token": revoke,
      "DELETE /applications/:client_id/grants/:token": revokeGrant,
    };
  return {
    "POST /applications/:client_id/token": check,
    "PATCH /applications/:client_id/token": reset,
    "DELETE /applications/:client_id/token": revoke,
    "DELETE /applications/:client_id/grant": revokeGrant,
  };
}

export function reportRoutes({ store }: World): Routes {
  return {
    /** The response does not reveal which tokens were active. */
    "POST /credentials/revoke": (c) => {
      if (c.req.header("Authorization") !== undefined)
        throw refuse(403, "Credentials are reported without credentials");
      const { credentials } = readBody(c);
      if (!Array.isArray(credentials) || credentials.length === 0 || credentials.length > 1000)
        throw refuse(422, "Validation Failed");
      for (const value of credentials) {
        const token = store.findByValue(String(value));
        if (token !== undefined) store.remove(token);
      }
      return c.json({}, 202);
    },
  };
}
