// Parses and validates fields of request bodies.
//
// A field that is absent, null or an empty string counts as not sent. A field of the wrong type results in the
// service's validation error.
//
// Scopes must exist. They are stored in the order of the request, and a broader scope does not replace a narrower one.
// An update changes them in one of three ways: a new list, additions, or removals.
import { documentationUrl, json, Refusal } from "../http/response.ts";
import type { JsonObject } from "../http/request.ts";

/** Null if the field is absent, null or empty. */
export function readText(body: JsonObject, field: string, inError?: ErrorDetails): string | null {
  const value = readField(body, field);
  if (value === null || value === "") return null;
  if (typeof value !== "string") throw fieldRefusal(field, "invalid", inError);
  return value;
}

/** Null if the field is absent or null. */
function readStrings(body: JsonObject, field: string): readonly string[] | null {
  const value = readField(body, field);
  if (value === null) return null;
  if (!Array.isArray(value) || !value.every((item) => typeof item === "string")) {
    throw fieldRefusal(field, "invalid");
  }
  return value;
}

/** Null if the note is absent or null, "" if it is blank. The service's errors call it `description`. */
export function readNote(body: JsonObject): string | null {
  const value = readField(body, "note");
  if (value === null) return null;
  if (typeof value !== "string") throw fieldRefusal("description", "invalid");
  return value.trim() === "" ? "" : value;
}

/** Null if the field is absent. */
function readField(body: JsonObject, field: string): unknown {
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

/** Null if the field was not sent. Throws a Refusal for unknown scopes. */
export function readScopes(body: JsonObject, field: string): readonly string[] | null {
  const scopes = readStrings(body, field);
  const unknown = (scopes ?? []).filter((scope) => !knownScopes.has(scope));
  if (unknown.length > 0) {
    throw fieldRefusal("scopes", "custom", { message: `scopes are invalid: ${unknown.join(", ")}` });
  }
  return scopes;
}

/** The scopes after an update (the specification, 4.6). Throws a Refusal if more than one change is requested. */
export function changeScopes(current: readonly string[], body: JsonObject): readonly string[] {
  const replacement = readScopes(body, "scopes");
  const added = readScopes(body, "add_scopes");
  // Unknown scopes are allowed here: no token has them, so removing them has no effect.
  const removed = readStrings(body, "remove_scopes");
  if ([replacement, added, removed].filter((change) => change !== null).length > 1) {
    throw fieldRefusal("scopes", "custom", {
      message: "only one of scopes, add_scopes, remove_scopes may be sent",
    });
  }
  if (replacement !== null) return replacement;
  const kept = removed === null ? current : current.filter((scope) => !removed.includes(scope));
  return added === null ? kept : [...kept, ...new Set(added.filter((scope) => !kept.includes(scope)))];
}

/** One error of a validation response. Only `custom` has a message. */
interface FieldError {
  readonly resource: "OauthAccess" | "OauthApplication";
  readonly code: "missing_field" | "invalid" | "already_exists" | "custom";
  readonly field: string;
  readonly message?: string;
}

type ErrorDetails = Pick<Partial<FieldError>, "resource" | "message">;

/** The error of an invalid field; its resource defaults to the authorization. */
export function fieldRefusal(field: string, code: FieldError["code"], details: ErrorDetails = {}): Refusal {
  const errors: readonly FieldError[] = [{ resource: "OauthAccess", code, field, ...details }];
  return new Refusal(
    json(422, { message: "Validation Failed", errors, documentation_url: documentationUrl }),
  );
}
