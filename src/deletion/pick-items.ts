// A list to tick in place of ids: reads all of it and asks on the controlling terminal.
import type { Id } from "../api/resources.ts";
import type { ListedThing } from "../bulk/read-items.ts";
import type { Context } from "../run/context.ts";
import { usageFailure } from "../errors/errors.ts";
import type { Paging } from "../http/pages.ts";
import type { Service } from "../http/service.ts";
import { layOutRows, type PickColumn } from "../output/pick-rows.ts";
import { wholeList } from "../lists/paging-options.ts";
import { watchPages } from "../lists/watch-pages.ts";

/** What can be picked from. */
export interface Picking<Item> {
  readonly name: ListedThing;
  readonly list: (service: Service, paging: Paging) => AsyncGenerator<readonly Item[], void, undefined>;
  /** What a row shows of an item; `now` is in milliseconds since the epoch. */
  readonly cells: (item: Item, now: number) => readonly string[];
  readonly columns: readonly PickColumn[];
}

/**
 * The items that somebody ticks, in the list's order; empty where the list is. Throws a usage failure before anything
 * is sent where nobody can be asked, and when nothing is ticked.
 */
export async function pickItems<Item extends { readonly id: Id }>(
  context: Context,
  { name, list, cells, columns }: Picking<Item>,
): Promise<readonly Item[]> {
  const cannotPick = (): Error =>
    usageFailure(
      `there are no ids, and nobody can be asked to pick ${name}s`,
      `grantctl ${name} delete <id>...; or - to read ids from standard input; grantctl ${name} list shows them`,
    );
  await context.prompter.check(cannotPick);
  const { service } = await context.address.accountService();
  const items: Item[] = [];
  for await (const page of list(service, watchPages(wholeList(context.options.concurrency), context))) {
    // One by one: a page may hold more items than a call takes arguments.
    for (const item of page) items.push(item);
  }
  if (items.length === 0) return [];
  const now = context.host.now();
  const rows = layOutRows(
    items.map((item) => cells(item, now)),
    columns,
  );
  const picked = await context.prompter.pick(`Which ${name}s?`, rows, cannotPick);
  if (picked === null) throw usageFailure("cancelled: nothing was deleted");
  return picked.flatMap((index) => items[index] ?? []);
}
