// Fields of request bodies: their types, and what counts as not sent. Throws a Refusal with the service's own
// validation answer; knows nothing of what is already stored.
import { failure, Refusal, refuseField, validationFailed, type FieldError } from "../http/answer.ts";
import type { JsonObject } from "../http/request-body.ts";

/** A text, or null when it is absent, null or empty. */
export function readText(body: JsonObject, field: string): string | null {
  const value = readOwn(body, field);
  if (value === null || value === "") return null;
  if (typeof value !== "string") throw refuseField(field, "invalid");
  return value;
}

/** A list of texts, or null when it is absent or null. */
export function readStrings(body: JsonObject, field: string): readonly string[] | null {
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

/** A client ID or client secret, or null when it is absent, null or empty. */
export function readApplicationText(body: JsonObject, field: "client_id" | "client_secret"): string | null {
  const value = readOwn(body, field);
  if (value === null || value === "") return null;
  if (typeof value !== "string") throw refuseApplication(field, "invalid");
  return value;
}

/** A refusal of the application that a body names. */
export function refuseApplication(field: "client_id" | "client_secret", code: FieldError["code"]): Refusal {
  return new Refusal(validationFailed({ resource: "OauthApplication", code, field }));
}

/** Throws a Refusal that names every key that is not permitted; an empty or null one counts as not sent. */
export function refuseOtherKeys(body: JsonObject, permitted: readonly string[]): void {
  const others = Object.keys(body).filter(
    (key) => !permitted.includes(key) && body[key] !== null && body[key] !== "",
  );
  if (others.length === 0) return;
  const lines = others.map((key) => `${JSON.stringify(key)} is not a permitted key.`);
  throw new Refusal(failure(422, `Invalid request.\n\n${lines.join("\n")}`));
}

function readOwn(body: JsonObject, field: string): unknown {
  return Object.hasOwn(body, field) ? (body[field] ?? null) : null;
}
