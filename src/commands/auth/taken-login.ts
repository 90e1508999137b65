// The types of a login between its question and its storage: the kind of credentials, the secret with its owner, and
// the place to store it.
import type { SecretKind } from "../../config/configuration.ts";
import type { OperatorName } from "../../operators.ts";
import type { Address } from "../../run/address.ts";

/** The flags for the kind of credentials; by default the account's user name and password. */
export interface LoginKind {
  readonly app?: true;
  readonly withToken?: true;
}

export const storeChoices = ["keychain", "file", "none"] as const;
export type StoreChoice = (typeof storeChoices)[number];

export interface Login {
  readonly kind: SecretKind;
  /** The user name, or the client ID. */
  readonly user: string;
  readonly secret: string;
  readonly isProven: boolean;
}

export interface LoginPlace {
  readonly store: StoreChoice;
  readonly address: Address;
  /** The operator to write into the profile; null for none. */
  readonly operator: OperatorName | null;
}
