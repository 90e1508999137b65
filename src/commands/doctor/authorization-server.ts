// What doctor checks at an OAuth 2.0 server: its metadata, and whether it accepts the client's credentials.
import { isFailure } from "../../errors/errors.ts";
import { withoutMarks } from "../../errors/foreign.ts";
import type { Context } from "../../run/context.ts";
import { madeUpToken, metadataLines } from "../auth/oauth-login.ts";
import { findingOf, fine, note, wrong, type Finding } from "./finding.ts";

/** `proofToken` is an active token of the client, to see whether the server shows it; null for none. */
export async function checkAuthorizationServer(
  context: Context,
  proofToken: string | null,
): Promise<readonly Finding[]> {
  try {
    const metadata = await context.address.metadata();
    const text = withoutMarks(metadataLines(metadata).join("; "));
    const finding =
      metadata === null
        ? note("metadata", text, "Set --introspection-path and --revocation-path, or check --base-url.")
        : fine("metadata", text);
    return [finding, ...(await checkClient(context, proofToken))];
  } catch (error) {
    return [findingOf("metadata", error)];
  }
}

async function checkClient(context: Context, proofToken: string | null): Promise<readonly Finding[]> {
  const { address, settings } = context;
  const clientId = settings.clientId?.value;
  const secrets = clientId === undefined ? [] : address.logins.secretSources("client-secret", clientId);
  const source = secrets.find(({ state }) => state === "set");
  if (clientId === undefined || source === undefined || source.source === "prompt")
    return [note("client", "no client ID and secret to try", "Run `grantctl auth login --app`.")];
  try {
    const { service } = await address.applicationService();
    if ((await service.endpoints?.pathOf("introspection")) === null)
      return [note("client", `${clientId}: not verified, because the server has no introspection endpoint`)];
    const { introspectToken, verifyClient } = await import("../../api/standard-tokens.ts");
    await verifyClient(service, clientId, madeUpToken());
    const client = fine("client", `the server accepts the credentials of ${clientId}`);
    if (proofToken === null) return [client];
    try {
      await introspectToken(service, clientId, proofToken);
      return [client, fine("tokens", "the server shows this client its own tokens")];
    } catch (error) {
      if (!isFailure(error, "not-found", "refused")) throw error;
      return [client, wrong("tokens", error.kind, error.message, withoutMarks(error.details.hint ?? ""))];
    }
  } catch (error) {
    return [findingOf("client", error)];
  }
}
