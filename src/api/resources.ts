// The JSON types of the server's resources, which checks.ts validates. Field names are the server's, so that output can
// use them unchanged.
import type { LosslessNumber } from "lossless-json";

/** An ID; beyond 2^53 a LosslessNumber, so that no digit is lost. */
export type Id = number | LosslessNumber;

/** An ID in decimal digits; empty if it is not known. */
export function idText(id: Id | null): string {
  return id === null ? "" : String(id);
}

/** The application a grant or an authorization belongs to. `client_id` has 20 characters. */
export interface App {
  readonly url: string;
  readonly name: string;
  readonly client_id: string;
}

export type ResourceName = "grant" | "authorization";

/** An application's access to the account, with the scopes of all its tokens. */
export interface Grant {
  readonly id: Id;
  readonly url: string;
  readonly app: App | null;
  readonly created_at: string;
  readonly updated_at: string;
  readonly scopes: readonly string[];
  /** The owner of the grant; only some server types send it. */
  readonly user?: User | null;
}

/** The account of a token, in the responses of check and reset. */
export interface User extends Readonly<Record<string, unknown>> {
  readonly login: string;
}

/**
 * A token with its metadata. `token` contains the value only in the responses to create, a new get-or-create, check and
 * reset; otherwise it is empty. Servers send null for an absent note, note URL or fingerprint.
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
  /** Null for a token that does not expire; absent if the server type does not report it. */
  readonly expires_at?: string | null;
  readonly user?: User;
}

/** True for a personal access token, which belongs to no application. */
export function isPersonal({ app }: Pick<Authorization, "app">): boolean {
  // Without an application, servers send no `app`, null, or a client ID that is empty or all zeros.
  return /^0*$/.test(app?.client_id ?? "");
}
