// Seals the secret field of entries before they are written, and opens it again. Knows which field is secret; vault.ts
// does the sealing.
import { Failure } from "../errors/errors.ts";
import { lastEight } from "../token-value.ts";
import type { Contents, Entry } from "./entries.ts";
import { valueIn } from "./kept-answer.ts";
import type { Vault } from "./vault.ts";

/** Whether an entry holds a sealed answer, which has to be opened before it can be read. */
export function isSealed({ state, body, sealed }: Entry): boolean {
  return state === "answered" && body === undefined && sealed !== undefined;
}

/** An entry as it is written to disk: sealed where there is a vault. */
export function toSealed(entry: Entry, vault: Vault | null): Entry {
  if (entry.body === undefined || vault === null) return entry;
  const { body, ...rest } = entry;
  const value = valueIn(body);
  const told = value === null ? {} : { new_last_eight: lastEight(value) };
  return { ...rest, ...told, sealed: vault.seal(body, entry.item) };
}

/** The entries with their sealed answers opened. Throws an authentication failure where one cannot be opened. */
export function openSealed(items: Contents["items"], vault: Vault | null): Contents["items"] {
  return new Map(
    [...items].map(([item, entry]) => {
      const { sealed, new_last_eight: _, ...rest } = entry;
      if (sealed === undefined || entry.body !== undefined) return [item, rest];
      const body = vault?.open(sealed, item) ?? null;
      // A token that was delivered can be missed.
      if (!isSealed(entry)) return [item, body === null || entry.state !== "done" ? rest : { ...rest, body }];
      if (body === null) {
        throw new Failure(
          "authentication",
          vault === null
            ? "a token's value was kept sealed, and its key in the keychain is not available"
            : "a token's value was kept sealed with another key than the one in the keychain",
          { hint: "grantctl doctor" },
        );
      }
      return [item, { ...rest, body }];
    }),
  );
}
