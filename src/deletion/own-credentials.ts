// The credentials that this machine itself uses: the question before a deletion says if it would end one of them.
import { isFailure } from "../errors/errors.ts";
import type { Context } from "../run/context.ts";

export interface OwnCredentials {
  /** The tokens that commands send, and where each is found, as in "GRANTCTL_TOKEN". */
  readonly tokens: readonly { readonly value: string; readonly where: string }[];
  /** The client ID with which commands act as an application; null where none is configured. */
  readonly clientId: string | null;
}

/** The token in the environment, the stored one for this address, and the client ID in use. */
export async function ownCredentials({ address: { logins }, settings }: Context): Promise<OwnCredentials> {
  const tokens: { value: string; where: string }[] = [];
  if (settings.token !== undefined) tokens.push({ value: settings.token.value, where: "GRANTCTL_TOKEN" });
  for (const { source, state, read } of logins.secretSources("token", logins.tokenUser() ?? "")) {
    if ((source !== "keychain" && source !== "file") || state !== "set") continue;
    try {
      const where = source === "file" ? "the file of stored secrets" : "the keychain";
      tokens.push({ value: await read(), where });
    } catch (error) {
      // A store that does not answer must not prevent the deletion.
      if (!isFailure(error)) throw error;
    }
  }
  return { tokens, clientId: settings.clientId?.value ?? null };
}
