// `grantctl authorization create --dry-run`: finds out by reading how the run itself would end, and says what would be
// created. Changes nothing.
import type { Context } from "../../run/context.ts";
import { refuseUsedNames, type WantedNames } from "../../delivery/token-names.ts";

/** Says what would be created. Throws the failure with which the run would end, as far as reads can tell. */
export async function planCreation(
  names: WantedNames & { readonly note: string },
  scopes: readonly string[],
  context: Context,
): Promise<void> {
  const { clientId, note } = names;
  const { service } = await context.address.accountService();
  if (clientId !== null) await context.address.applicationCredentials(clientId);
  await (await context.journals()).checkCanCreate();
  await refuseUsedNames(names, null, service, context);
  // Standard output stays empty, because a script could take any line for a token; JSON cannot be mistaken.
  if (context.printer.isJson) await context.printer.printObject({ status: "would-create" });
  const kind = clientId === null ? "personal token" : `token of application ${clientId}`;
  context.notices.note(
    `would create a ${kind} "${note}" with ${scopes.length === 0 ? "no scopes" : scopes.join(", ")} at ${context.address.origin().href}`,
  );
}
