// A token whose scopes the service does not tell (null) gets no successor, which would have none at all.
import type { Authorization } from "../api/resources.ts";
import { Failure, type FailureDetails } from "../errors/errors.ts";
import { toJson } from "../json/exact-json.ts";

/** Throws a `refused` failure with these details for an authorization of unknown scopes. */
export function checkScopesAreTold({ id, scopes }: Authorization, details: FailureDetails): void {
  if (Array.isArray(scopes)) return;
  throw new Failure(
    "refused",
    `the service does not say which scopes authorization ${toJson(id, 0)} has, so a new one would have none`,
    details,
  );
}
