// The application that a body or a path names, proven by its secret, for an account that wants a token for it
// (the specification, 4.3 and 4.4).
import type { JsonObject } from "../http/request-body.ts";
import { hashToken, isSameText } from "../identity/secrets.ts";
import type { ApplicationRecord } from "../store/application-store.ts";
import type { Store } from "../store/store.ts";
import { readApplicationText, refuseApplication } from "./fields.ts";

/** The application of `client_id` in the body, or null when there is none. Throws a Refusal when it is not proven. */
export function authenticateNamedApplication(store: Store, body: JsonObject): ApplicationRecord | null {
  const clientId = readApplicationText(body, "client_id");
  if (clientId !== null) return proveApplication(store, clientId, body);
  // A secret without a client ID shows that an application's token was meant, so no personal one is created.
  if (readApplicationText(body, "client_secret") !== null)
    throw refuseApplication("client_id", "missing_field");
  return null;
}

/** The application of a client ID whose secret the body holds. Throws a Refusal that does not tell which is wrong. */
export function proveApplication(store: Store, clientId: string, body: JsonObject): ApplicationRecord {
  const secret = readApplicationText(body, "client_secret");
  if (secret === null) throw refuseApplication("client_secret", "missing_field");
  const application = store.applications.findByClientId(clientId);
  const isRight = isSameText(application?.clientSecretHash ?? "", hashToken(secret));
  if (application === undefined || !isRight) throw refuseApplication("client_secret", "invalid");
  return application;
}
