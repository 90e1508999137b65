// Reads everything that has access, by the lists' own walk: one that breaks off, or ends before the pages that the
// service had announced, is a failure of the whole audit. Of each page only the items are kept, and for JSON what the
// service answered, packed.
import { listAuthorizationsAsSent } from "../api/authorizations.ts";
import { listGrantsAsSent } from "../api/grants.ts";
import type { Id } from "../api/resources.ts";
import { Failure } from "../errors/errors.ts";
import type { JsonItem } from "../json-items.ts";
import { textOf } from "../output/presentation.ts";
import type { Paging } from "../http/pages.ts";
import type { Service } from "../http/service.ts";
import { wholeList } from "../lists/paging-options.ts";
import { watchPages } from "../lists/watch-pages.ts";
import type { Context } from "../run/context.ts";
import { createItemMaker, type Item } from "./item.ts";
import type { Originals } from "./report.ts";
import type { Lists } from "./snapshot.ts";

export interface Access {
  readonly lists: Lists<readonly Item[]>;
  /** What the service answered; empty unless it was wanted. */
  readonly originals: Originals;
}

/** Reads the account's grants and authorizations. `keepOriginals` is for documents that carry the service's data. */
export async function readAccess(
  service: Service,
  context: Context,
  keepOriginals: boolean,
): Promise<Access> {
  const { ofGrant, ofAuthorization } = createItemMaker();
  const keep = keepOriginals ? (await import("./packed-pages.ts")).createPackedPages : createNoPages;
  const [grantPages, authorizationPages] = [keep(), keep()];
  const paging = (subject: string): Paging => ({
    ...watchPages(wholeList(context.options.concurrency), context),
    onEarlyEnd(announced, given) {
      throw new Failure(
        "protocol",
        `${subject} is incomplete: the service announced ${announced} pages and gave ${given}`,
        { hint: "items may have gone meanwhile: run it again" },
      );
    },
  });
  const grants = await collect(
    listGrantsAsSent(service, paging("the list of grants")),
    ofGrant,
    grantPages.add,
  );
  const authorizations = await collect(
    listAuthorizationsAsSent(service, paging("the list of authorizations")),
    ofAuthorization,
    authorizationPages.add,
  );
  return {
    lists: { grants, authorizations, credentials: null },
    originals: {
      grants: grantPages.texts,
      authorizations: authorizationPages.texts,
      credentials: () => [],
    },
  };
}

async function collect<T extends { readonly id: Id }>(
  pages: AsyncIterable<readonly JsonItem<T>[]>,
  toItem: (found: T) => Item,
  keep: (found: readonly JsonItem<T>[]) => void,
): Promise<readonly Item[]> {
  const items: Item[] = [];
  const seen = new Set<number | string>();
  for await (const page of pages) {
    // A list that grows while it is read gives an item once more on the next page.
    const fresh = page.filter(({ value: { id } }) => {
      const key = typeof id === "number" ? id : textOf(id);
      return !seen.has(key) && seen.add(key);
    });
    for (const { value } of fresh) items.push(toItem(value));
    keep(fresh);
  }
  return items;
}

function createNoPages(): { readonly add: () => void; readonly texts: () => readonly string[] } {
  return { add: () => undefined, texts: () => [] };
}
