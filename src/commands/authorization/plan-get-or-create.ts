// `grantctl authorization get-or-create --dry-run`: says whether the authorization exists, and what would be done.
// Changes nothing.
import type { Authorization } from "../../api/resources.ts";
import { toJson } from "../../json/exact-json.ts";
import { watchWholeList } from "../../lists/paging.ts";
import { printWhileRead } from "../../printing/output-stream.ts";
import type { Context } from "../../run/context.ts";
import {
  anotherFailure,
  checkCanReplace,
  existsFailure,
  type ExistingOptions,
} from "./existing-authorization.ts";
import { inWords } from "./in-words.ts";

/**
 * Looks for the authorization and says what would be done. Throws the failure with which the run itself would end: that
 * it exists, or that there is another one where it is replaced.
 */
export async function planGetOrCreate(
  fingerprint: string | null,
  options: ExistingOptions & { readonly scope?: readonly string[] },
  context: Context,
): Promise<void> {
  const { service } = await context.address.accountService();
  const { clientId } = await context.address.applicationCredentials(null);
  await (await context.journals()).checkCanCreate();
  const { listAuthorizations } = await import("../../api/authorizations.ts");
  const isMeant = ({ app, fingerprint: own }: Authorization): boolean =>
    app?.client_id === clientId && (fingerprint === null || fingerprint === own);
  // Without a fingerprint any authorization of the application is found (the specification, 4.4), one without first.
  const isFirst = ({ fingerprint: own }: Authorization): boolean =>
    fingerprint !== null || own === null || own === "";
  const paging = watchWholeList(context);
  let existing: Authorization | undefined;
  let count = 0;
  for await (const page of listAuthorizations(service, paging)) {
    const meant = page.filter(isMeant);
    count += meant.length;
    if (existing === undefined || !isFirst(existing)) existing = meant.find(isFirst) ?? existing ?? meant[0];
  }
  if (existing !== undefined && options.replaceExisting === true) checkCanReplace(existing, options.scope);
  const deed =
    existing === undefined
      ? "would-create"
      : options.replaceExisting === true
        ? "would-replace"
        : "would-find";
  if (context.printer.isJson) {
    const plan = { status: deed, id: existing?.id ?? null };
    await printWhileRead(() => context.printer.printObject(plan));
  }
  const what = existing === undefined ? `a token of application ${clientId}` : inWords(existing);
  context.notices.note(`${deed.replace("-", " ")} ${what} at ${context.address.origin().href}`);
  if (existing !== undefined && deed === "would-replace" && count > 1)
    throw anotherFailure(`authorization ${toJson(existing.id, 0)} would be deleted, but another one exists`);
  if (existing !== undefined && deed === "would-find" && options.allowExisting !== true)
    throw existsFailure(existing);
}
