// Operations 11 to 14: an application and its tokens (the specification, 4.8 to 4.11). The token is in the path, or, at
// GitHub, in the body. A token that has expired or belongs to another application is 404, like one that never existed. Also
// reports of leaked tokens, which github.com takes from anybody.
import type { Context } from "hono";
import { authorizationJson } from "./account.ts";
import { activeToken } from "./auth.ts";
import { found, invalid, readBody, readText, refuse, userJson } from "./responses.ts";
import type { Env, World } from "./service.ts";
import type { Token } from "./store.ts";

const maxReported = 1000;

export function tokenHandlers(world: World) {
  const { store, seconds, isGithub, lies } = world;

  function find(c: Context<Env>): { readonly token: Token; readonly value: string } {
    const value = isGithub ? readText(readBody(c), "access_token") : (c.req.param("token") ?? "");
    if (value === null) throw invalid("access_token", "missing_field");
    const token = activeToken(world, value);
    return { token: found(token?.application === c.get("application") ? token : undefined), value };
  }

  const withUser = (token: Token, value: string): object => ({
    ...authorizationJson(world, token, value),
    user: userJson(world, world.account),
  });

  return {
    check: (c: Context<Env>): Response => {
      const { token, value } = find(c);
      return c.json(withUser(found(lies.hides(token) ? null : token), value));
    },
    reset: (c: Context<Env>): Response => {
      const { token } = find(c);
      const value = world.makeToken("access");
      store.reset(token, value, seconds());
      return c.json(withUser(token, value));
    },
    revoke: (c: Context<Env>): Response => {
      const { token } = find(c);
      if (!lies.keeps(token)) store.remove(token, seconds());
      return c.body(null, 204);
    },
    revokeGrant: (c: Context<Env>): Response => {
      const { token } = find(c);
      if (!lies.keeps(token)) store.removeGrant(c.get("application"), seconds());
      return c.body(null, 204);
    },
    /** The response does not reveal which tokens were active. */
    report: (c: Context<Env>): Response => {
      if (c.req.header("Authorization") !== undefined)
        throw refuse(403, "Credentials are reported without credentials");
      const { credentials } = readBody(c);
      if (!isReport(credentials)) throw refuse(422, "Validation Failed");
      for (const value of credentials) {
        const token = store.findByValue(value);
        if (token !== undefined) store.remove(token, seconds());
      }
      return c.json({}, 202);
    },
  };
}

function isReport(values: unknown): values is readonly string[] {
  return (
    Array.isArray(values) &&
    values.length > 0 &&
    values.length <= maxReported &&
    values.every((value) => typeof value === "string" && value !== "")
  );
}
