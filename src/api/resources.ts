// The types of the service's resources in JSON. Their checks are in checks.ts. Field names are those of the service, so
// that output can carry them unchanged.
import type { LosslessNumber } from "lossless-json";

/** An identifier. One beyond 2^53 keeps every digit as a LosslessNumber. */
export type Id = number | LosslessNumber;

/** The application a grant or an authorization belongs to. `client_id` has 20 characters. */
export interface App {
  readonly url: string;
  readonly name: string;
  readonly client_id: string;
}

/** The access of one application to the account; its scopes are those of all the application's tokens. */
export interface Grant {
  readonly id: Id;
  readonly url: string;
  readonly app: App | null;
  readonly created_at: string;
  readonly updated_at: string;
  readonly scopes: readonly string[];
  /** The owner of the grant, if the operator tells it. */
  readonly user?: User | null;
}

/** The account of a token, in the responses of check and reset. */
export interface User {
  readonly login: string;
  readonly id: Id;
  readonly node_id: string;
  readonly avatar_url: string;
  readonly gravatar_id: string;
  readonly url: string;
  readonly html_url: string;
  readonly followers_url: string;
  readonly following_url: string;
  readonly gists_url: string;
  readonly starred_url: string;
  readonly subscriptions_url: string;
  readonly organizations_url: string;
  readonly repos_url: string;
  readonly events_url: string;
  readonly received_events_url: string;
  readonly type: string;
  readonly site_admin: boolean;
}

/**
 * One token with its metadata. `token` is the value only where the service shows it (create, a new get-or-create,
 * check, reset) and an empty string elsewhere. Operators send null for an absent note, note URL or fingerprint.
 */
export interface Authorization {
  readonly id: Id;
  readonly url: string;
  readonly app: App | null;
  readonly token: string;
  readonly hashed_token: string | null;
  readonly token_last_eight: string | null;
  readonly note: string | null;
  readonly note_url: string | null;
  readonly created_at: string;
  readonly updated_at: string;
  readonly scopes: readonly string[];
  readonly fingerprint: string | null;
  /** Null for a token that does not expire; absent if the operator does not say. */
  readonly expires_at?: string | null;
  /** The installation of an application that can be installed. */
  readonly installation?: Readonly<Record<string, unknown>> | null;
  readonly user?: User;
}

/**
 * A credential that a member of an organization approved for it: a token, or a key, which has no scopes. Operators
 * send null for what is not known, or leave it out.
 */
export interface CredentialAuthorization {
  readonly login: string;
  readonly credential_id: Id;
  readonly credential_type: string;
  readonly token_last_eight?: string | null;
  readonly credential_authorized_at: string;
  /** When it was last used for the organization; null for never. */
  readonly credential_accessed_at: string | null;
  readonly authorized_credential_expires_at?: string | null;
  readonly scopes?: readonly string[] | null;
}
