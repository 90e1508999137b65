// The row of `grantctl auth status` for a secret: where it would come from, and whether its store still has it. A row
// never holds the secret itself.
import type { SecretKind } from "../../config/configuration.ts";
import { isFailure } from "../../errors/errors.ts";
import type { Context } from "../../run/context.ts";
import { keptState, type StatusRow } from "./status-row.ts";

/** The row; `user` is the owner of the secret, absent where that is not known. */
export async function secretRow(
  kind: SecretKind,
  user: string | undefined,
  context: Context,
): Promise<StatusRow> {
  const title = kind.replace("-", "_");
  const sources = context.address.logins.secretSources(kind, user ?? "");
  const winner = sources.find(({ state }) => state === "set");
  const isStored = winner?.source === "keychain" || winner?.source === "file";
  return {
    setting: title,
    value: null,
    source: winner?.source ?? null,
    state: isStored ? await stateOf(winner.read) : null,
    chain: sources.map(({ source, name, state }) => ({ source, name, state })),
  };
}

/** The state of a stored secret: whether its store still has it. */
async function stateOf(read: () => Promise<string>): Promise<string> {
  try {
    await read();
    return keptState;
  } catch (error) {
    if (!isFailure(error)) throw error;
    return error.message;
  }
}
