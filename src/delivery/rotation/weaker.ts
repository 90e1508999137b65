// Whether a new token may do what the old one may: a service can grant less than it was asked for, and the old token is
// not to be deleted for a weaker one.
import type { Authorization } from "../../api/resources.ts";
import { Failure } from "../../errors/errors.ts";
import { foreign } from "../../errors/foreign.ts";
import { toJson } from "../../json/exact-json.ts";
import type { MadeToken } from "../new-value.ts";

/** Throws for a new token without a scope that the old one has. Of an answer that was cut off, nothing is known. */
export function refuseWeaker(old: Authorization, made: MadeToken): void {
  if (made.id === null || !Array.isArray(made.scopes)) return;
  const has = new Set(made.scopes);
  const missing = (old.scopes ?? []).filter((scope) => !isCovered(scope, has));
  if (missing.length === 0) return;
  const id = toJson(made.id, 0);
  throw new Failure(
    "protocol",
    `the new token, authorization ${id}, may do less than the old one: it has no ${foreign(missing.join(", "))}; it is not delivered, and the old token is alive`,
    { hint: `grantctl authorization delete ${id}` },
  );
}

/** Scopes that a broader one holds without being named like it. */
const ofRepo = new Set(["public_repo", "repo_deployment", "security_events"]);

/**
 * Whether these scopes hold one, by itself or within a broader one: services leave out what another scope holds, as
 * `user:email` and `read:user` beside `user`, and `read:org` beside `admin:org`.
 */
function isCovered(scope: string, has: ReadonlySet<string>): boolean {
  const [first = "", rest = ""] = scope.split(":");
  const broader = [scope, first];
  if (first === "read") broader.push(rest, `write:${rest}`, `admin:${rest}`);
  if (first === "write") broader.push(`admin:${rest}`);
  if (ofRepo.has(scope)) broader.push("repo");
  return broader.some((one) => has.has(one));
}
