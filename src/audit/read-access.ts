// Reads everything that has access. A list that breaks off, or ends before the last page that the service announced,
// fails the whole audit. Of each page only the items stay in memory, and what the document makes of it.
import { listAuthorizationsAsSent } from "../api/authorizations.ts";
import { listCredentialAuthorizationsAsSent } from "../api/credential-authorizations.ts";
import { listGrantsAsSent } from "../api/grants.ts";
import type { Id } from "../api/resources.ts";
import { Failure } from "../errors/errors.ts";
import type { JsonItem } from "../json/items.ts";
import type { Paging } from "../http/pages.ts";
import type { Service } from "../http/service.ts";
import { watchWholeList } from "../lists/paging.ts";
import type { Context } from "../run/context.ts";
import { createItemMaker } from "./item-maker.ts";
import { keepItems, type Draft } from "./item-page.ts";
import type { Item } from "./item.ts";
import { watchIds } from "./watch-ids.ts";
import type { KeepPage } from "./documents/document.ts";
import type { Lists, SnapshotList } from "./snapshot.ts";

/** Where each list is read from; null for lists that are not read. */
export interface Sources {
  /** The service with the account's credentials, for its grants and authorizations. */
  readonly account: Service | null;
  /** The organization whose credential authorizations are wanted, and the service to ask for them. */
  readonly organization: { readonly name: string; readonly service: Service } | null;
}

/** Reads everything in the sources. `keep` takes each page for the document, if the document needs it. */
export async function readAccess(
  { account, organization }: Sources,
  context: Context,
  keep: KeepPage | undefined,
): Promise<Lists<readonly Item[]>> {
  const maker = createItemMaker();
  const paging = (subject: string): Paging => ({
    ...watchWholeList(context),
    onEarlyEnd(announced, given) {
      throw new Failure(
        "protocol",
        `${subject} is incomplete: the service announced ${announced} pages and gave ${given}`,
        { hint: "items may have been deleted meanwhile: run it again" },
      );
    },
  });
  // The organization first, so that the run fails at once for a user who may not read it.
  let credentials = null;
  if (organization !== null) {
    const { service, name } = organization;
    const allPages = paging("the list of credential authorizations");
    const sent = listCredentialAuthorizationsAsSent(service, name, allPages);
    credentials = await collect("credentials", sent, (one) => one.credential_id, maker.ofCredentials, keep);
  }
  if (account === null) return { grants: null, authorizations: null, credentials };

  const allGrants = listGrantsAsSent(account, paging("the list of grants"));
  const grants = await collect("grants", allGrants, ({ id }) => id, maker.ofGrants, keep);

  const tokens = listAuthorizationsAsSent(account, paging("the list of authorizations"));
  const authorizations = await collect(
    "authorizations",
    tokens,
    ({ id }) => id,
    maker.ofAuthorizations,
    keep,
  );
  return { grants, authorizations, credentials };
}

async function collect<T>(
  list: SnapshotList,
  pages: AsyncIterable<readonly JsonItem<T>[]>,
  idOf: (found: T) => Id,
  toDrafts: (found: readonly T[]) => readonly Draft[],
  keep: KeepPage | undefined,
): Promise<readonly Item[]> {
  const items: Item[] = [];
  const isRepeated = watchIds();
  for await (const page of pages) {
    // If a list grows while it is read, the next page repeats an item.
    const fresh = page.filter(({ value }) => !isRepeated(idOf(value)));
    const drafts = toDrafts(fresh.map(({ value }) => value));
    for (const item of keepItems(drafts)) items.push(item);
    keep?.(list, drafts, fresh);
  }
  return items;
}
