// Whether a new token has every scope of the old one: a service can grant fewer than it was asked for, and the old
// token must not be deleted for a weaker one.
import { isCovered } from "../../api/fitting.ts";
import type { Authorization } from "../../api/resources.ts";
import { Failure } from "../../errors/errors.ts";
import { foreign } from "../../errors/foreign.ts";
import { toJson } from "../../json/exact-json.ts";
import type { MadeToken } from "../new-value.ts";

/** Throws for a new token that lacks a scope of the old one. Passes an answer that was cut off before its scopes. */
export function refuseWeaker(old: Authorization, made: MadeToken): void {
  if (made.id === null || !Array.isArray(made.scopes)) return;
  const has = new Set(made.scopes);
  const missing = (old.scopes ?? []).filter((scope) => !isCovered(scope, has));
  if (missing.length === 0) return;
  const id = toJson(made.id, 0);
  throw new Failure(
    "protocol",
    `the new token, authorization ${id}, may do less than the old one: it has no ${foreign(missing.join(", "))}; it is not delivered, and the old token is still active`,
    { hint: `grantctl authorization delete ${id}` },
  );
}
