// A login on its way from the question to the store: which kind is meant, whose secret was taken, where it belongs.
import type { SecretKind } from "../../config/configuration.ts";
import type { OperatorName } from "../../operators.ts";
import type { Address } from "../../run/address.ts";

/** What kind of credentials is meant; by default the account's user name and password. */
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
