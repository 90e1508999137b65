// The operations that have a record, and the traits in which their records differ.

interface OperationTraits {
  /** True if the record keeps the new tokens of responses. */
  readonly keepsValues: boolean;
  /** The type of the items. A record keeps IDs, so that --resume needs no input; of anything else it keeps hashes. */
  readonly items: "tokens" | "ids" | "creation";
  readonly isResumable: boolean;
  /** True if the delivery of a value is followed by further steps. */
  readonly hasLaterSteps?: true;
}

const ofTokens = { keepsValues: false, items: "tokens", isResumable: true } as const;
const ofIds = { ...ofTokens, items: "ids" } as const;
const ofOne = { keepsValues: true, items: "creation", isResumable: false } as const;

const table = {
  create: ofOne,
  "get-or-create": ofOne,
  reset: { ...ofTokens, keepsValues: true },
  revoke: ofTokens,
  "revoke-grant": ofTokens,
  "delete-grant": ofIds,
  "delete-authorization": ofIds,
  rotate: { ...ofIds, keepsValues: true, hasLaterSteps: true },
  run: { ...ofOne, keepsValues: false },
} satisfies Record<string, OperationTraits>;

export type Operation = keyof typeof table;

export const operations = Object.keys(table) as readonly Operation[];

export function traitsOf(operation: Operation): OperationTraits {
  return table[operation];
}
