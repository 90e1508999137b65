// Parses and validates the fields of request bodies.
//
// A field that is absent, null or an empty text counts as not sent. A field of the wrong type results in the service's
// validation error. This module does not read stored values.
//
// Scopes must exist. They are stored in the order of the request, and a broader scope does not replace a narrower one.
// An update changes them in one way only: a new list, additions, or removals.
import { documentationUrl, json, Refusal } from "../http/response.ts";
import type { JsonObject } from "../http/request.ts";

/** A text, or null when it is absent, null or empty. */
export function readText(body: JsonObject, field: string): string | null {
  const value = readOwn(body, field);
  if (value === null || value === "") return null;
  if (typeof value !== "string") throw refuseField(field, "invalid");
  return value;
}

/** A list of texts, or null when it is absent or null. */
function readStrings(body: JsonObject, field: string): readonly string[] | null {
  const value = readOwn(body, field);
  if (value === null) return null;
  if (!Array.isArray(value) || !value.every((item) => typeof item === "string")) {
    throw refuseField(field, "invalid");
  }
  return value;
}

/** The note, "" when it is blank, or null when it is absent or null. In errors the service calls it `description`. */
export function readNote(body: JsonObject): string | null {
  const value = readOwn(body, "note");
  if (value === null) return null;
  if (typeof value !== "string") throw refuseField("description", "invalid");
  return value.trim() === "" ? "" : value;
}

/** A field's value; null when it is absent. */
export function readOwn(body: JsonObject, field: string): unknown {
  return Object.hasOwn(body, field) ? (body[field] ?? null) : null;
}

const knownScopes: ReadonlySet<string> = new Set(
  `
  repo repo:status repo:invite repo:deployment repo_deployment public_repo delete_repo security_events
  admin:repo_hook write:repo_hook read:repo_hook
  admin:org write:org read:org admin:org_hook manage_runners:org
  admin:public_key write:public_key read:public_key
  admin:gpg_key write:gpg_key read:gpg_key
  admin:ssh_signing_key write:ssh_signing_key read:ssh_signing_key
  admin:pre_receive_hook admin:enterprise manage_runners:enterprise manage_billing:enterprise read:enterprise
  scim:enterprise site_admin devtools biztools
  gist notifications workflow
  user read:user user:email user:follow user:assets
  project read:project
  write:packages read:packages delete:packages
  write:discussion read:discussion
  codespace codespace:secrets
  copilot manage_billing:copilot
  audit_log read:audit_log
  write:network_configurations read:network_configurations
  openid email profile offline_access
  `.match(/\S+/g),
);

/** The scopes in a field of a body, or null when it was not sent. Throws a Refusal for unknown ones. */
export function readScopes(body: JsonObject, field: string): readonly string[] | null {
  const scopes = readStrings(body, field);
  const unknown = (scopes ?? []).filter((scope) => !knownScopes.has(scope));
  if (unknown.length > 0) {
    throw refuseField("scopes", "custom", { message: `scopes are invalid: ${unknown.join(", ")}` });
  }
  return scopes;
}

/** The scopes after an update (the specification, 4.6). Throws a Refusal if more than one change is requested. */
export function changeScopes(current: readonly string[], body: JsonObject): readonly string[] {
  const replacement = readScopes(body, "scopes");
  const added = readScopes(body, "add_scopes");
  // No token has an unknown scope, so removing one changes nothing and is no error.
  const removed = readStrings(body, "remove_scopes");
  if ([replacement, added, removed].filter((change) => change !== null).length > 1) {
    throw refuseField("scopes", "custom", {
      message: "only one of scopes, add_scopes, remove_scopes may be sent",
    });
  }
  if (replacement !== null) return replacement;
  const kept = removed === null ? current : current.filter((scope) => !removed.includes(scope));
  return added === null ? kept : [...kept, ...new Set(added.filter((scope) => !kept.includes(scope)))];
}

/** One error of a validation response. `custom` has a message of its own. */
interface FieldError {
  readonly resource: "OauthAccess" | "OauthApplication";
  readonly code: "missing_field" | "invalid" | "already_exists" | "custom";
  readonly field: string;
  readonly message?: string;
}

/** A refusal of one field, of an authorization unless `more` names another resource. */
export function refuseField(
  field: string,
  code: FieldError["code"],
  more: Pick<Partial<FieldError>, "resource" | "message"> = {},
): Refusal {
  const errors: readonly FieldError[] = [{ resource: "OauthAccess", code, field, ...more }];
  return new Refusal(
    json(422, { message: "Validation Failed", errors, documentation_url: documentationUrl }),
  );
}
