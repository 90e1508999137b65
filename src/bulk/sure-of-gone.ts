// A 404 to a write says that the item is gone, or that the server lacks this operation alone: operators took operations
// away one by one, and a gateway may let only reads pass. Then the item lives on, and must not be reported as gone.
import { Failure } from "../errors/errors.ts";
import { isFound, saysNotFound } from "../errors/not-found.ts";
import type { Proof } from "./proof.ts";

/** What is known of one item: how it is read, and its name in messages. */
interface Item {
  readonly proof: Proof;
  readonly read: (item: string) => Promise<unknown>;
  readonly nameOf: (item: string) => string;
}

export interface SureOfGone<Rest extends readonly unknown[], Result> {
  /** The action, which reads what it did not find with proven credentials, until it has succeeded once. */
  readonly act: (item: string, ...rest: Rest) => Promise<Result>;
  /** Reads an item that was not found, unless that is known to be no mistake. Throws a refusal where it is there. */
  readonly confirm: (item: string) => Promise<void>;
}

export function sureOfGone<Rest extends readonly unknown[], Result>(
  { proof, read, nameOf }: Item,
  act: (item: string, ...rest: Rest) => Promise<Result>,
): SureOfGone<Rest, Result> {
  let isKnownToWork = false;
  const confirmed = new Set<string>();
  const confirm = async (item: string): Promise<void> => {
    if (isKnownToWork || confirmed.has(item)) return;
    if (await isFound(read(item))) {
      throw new Failure(
        "refused",
        `${nameOf(item)} is still there, and the server answers 404 to this operation alone: it may lack it`,
        { status: 404, hint: "what the server is: grantctl doctor" },
      );
    }
    confirmed.add(item);
  };
  return {
    confirm,
    async act(item, ...rest) {
      try {
        const result = await act(item, ...rest);
        isKnownToWork = true;
        return result;
      } catch (error) {
        if (proof.isGiven() && saysNotFound(error)) await confirm(item);
        throw error;
      }
    },
  };
}
