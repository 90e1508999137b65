// Interactive selection of the items to delete, instead of typing IDs: reads every item that matches the filters, and
// shows them on the controlling terminal.
import { layOutRows } from "../output/pick-rows.ts";
import { usageFailure } from "../errors/errors.ts";
import type { ListOperation } from "../http/pages.ts";
import type { ListedThing } from "../jobs/read-items.ts";
import { createFilter, type FilterOptions, type Listed } from "../lists/filters.ts";
import { hasFilters } from "../lists/list-options.ts";
import { watchWholeList } from "../lists/paging.ts";
import type { Presentation } from "../output/presentation.ts";
import type { Context } from "../run/context.ts";

export interface Picking<Item extends object> {
  readonly name: ListedThing;
  readonly list: ListOperation<Item>;
  /** The presentation of `list`. The search covers every column except dates. */
  readonly presentation: Presentation<Item>;
}

/**
 * The selected items, in list order; none if the list is empty. Throws a usage failure if nothing is selected, and
 * before any request if there is no terminal.
 */
export async function pickItems<Item extends Listed>(
  context: Context,
  filters: FilterOptions,
  { name, list, presentation }: Picking<Item>,
): Promise<readonly Item[]> {
  const cannotPick = (): Error =>
    usageFailure(
      `no IDs given, and no terminal to select ${name}s on`,
      `Run \`grantctl ${name} list\` with the same filters, and pipe its lines into \`grantctl ${name} delete -\`.`,
    );
  await context.prompter.checkPick(cannotPick);
  const now = context.host.now();
  const filter = hasFilters(filters) ? createFilter(filters, now) : null;
  const { service } = await context.server.accountService();
  const items: Item[] = [];
  const paging = watchWholeList(context);
  for await (const page of list(service, paging, filter?.isMatch)) {
    // Not push(...page): a page may hold more items than a call takes arguments.
    for (const item of page) items.push(item);
  }
  filter?.report(context.notices);
  if (items.length === 0) return [];
  const rows = layOutRows(items, presentation.columns, now);
  const picked = await context.prompter.pick(`Select ${name}s to delete`, rows, cannotPick);
  if (picked === null) throw usageFailure("cancelled: nothing was deleted");
  return picked.flatMap((index) => items[index] ?? []);
}
