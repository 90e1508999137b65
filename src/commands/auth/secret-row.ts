// The row of `grantctl auth status` for a secret: where it would come from, and whether its store still has it. The secret
// itself is never in a row.
import type { SecretKind } from "../../config/configuration.ts";
import { isFailure } from "../../errors/errors.ts";
import type { Context } from "../../run/context.ts";
import { keptState, type StatusRow } from "./status-row.ts";

/** The row; `user` is whose secret it would be, absent where that is not known. */
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

/** Whether a store still has what it was given. */
async function stateOf(read: () => Promise<string>): Promise<string> {
  try {
    await read();
    return keptState;
  } catch (error) {
    if (!isFailure(error)) throw error;
    return error.message;
  }
}
