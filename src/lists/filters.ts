// Filters and sorts the items of a list by the flags of filtered-list.ts.
//
// Invariant: selected items may be piped into a deletion, so a filter never selects an item whose field is missing or
// unreadable. Those without a readable date are counted, and `warnUnmatched` warns about them at the end. It also names
// the applications and scopes that there are if none is the one of --app or --scope.
import type { Authorization, Grant } from "../api/resources.ts";
import { usageFailure } from "../errors/errors.ts";
import { nameTen, typedWord } from "../errors/words.ts";
import type { Notices } from "../output/notices.ts";
import { cellText, checkField, fieldOf, foldCase } from "../output/presentation.ts";
import { parseInstant, type Age } from "./age.ts";

/** The parsed filters; an absent one matches every item. */
export interface FilterOptions {
  readonly app?: string;
  readonly scope?: readonly string[];
  readonly note?: string;
  readonly fingerprint?: string;
  readonly olderThan?: Age;
  readonly notUpdatedFor?: Age;
  readonly expiresWithin?: Age;
}

/** The fields that filters read. Grants have neither note nor fingerprint, and do not expire. */
export type Listed = Pick<Grant, "id" | "app" | "scopes" | "created_at" | "updated_at"> &
  Partial<Pick<Authorization, "note" | "fingerprint" | "expires_at">>;

const filterNames = "app scope note fingerprint olderThan notUpdatedFor expiresWithin".split(" ");

export function hasFilters(options: FilterOptions): boolean {
  return filterNames.some((name) => name in options);
}

export function createFilter(options: FilterOptions, now: number) {
  if (!hasFilters(options)) return null;
  const { app, scope = [], note, fingerprint, olderThan, notUpdatedFor, expiresWithin } = options;
  const isWantedApp = (item: Listed): boolean =>
    item.app?.client_id === app || namesOfApp(item).some((name) => foldCase(name) === foldCase(app ?? ""));
  const searches = [
    ...(app === undefined ? [] : [createWordSearch("no application is named", app, namesOfApp, isWantedApp)]),
    ...scope.map((wanted) =>
      createWordSearch("nothing has the scope", wanted, scopesOf, (item) => scopesOf(item).includes(wanted)),
    ),
  ];
  const wantedNote = note === undefined ? null : foldCase(note);
  const limits = [
    ["created_at", olderThan?.pointBefore(now)],
    ["updated_at", notUpdatedFor?.pointBefore(now)],
    ["expires_at", expiresWithin?.pointAfter(now)],
  ] as const;
  if ([olderThan, notUpdatedFor].some((age) => age !== undefined && age.pointBefore(now) > now))
    throw usageFailure("a date in the future would match everything", "Use an age, such as 90d.");
  let unreadable = 0;

  const isInTime = (item: Listed): boolean => {
    let isReadable = true;
    for (const [field, limit] of limits) {
      if (limit === undefined) continue;
      // Null: it does not expire.
      if (field === "expires_at" && item.expires_at === null) return false;
      const own = parseInstant(item[field]);
      if (own !== null && own >= limit) return false;
      isReadable &&= own !== null;
    }
    if (!isReadable) unreadable += 1;
    return isReadable;
  };
  return {
    isMatch: (item: Listed): boolean =>
      // Every item is seen by the searches, even if another filter leaves it out.
      searches.map((search) => search.see(item)).every(Boolean) &&
      (wantedNote === null || foldCase(cellText(item.note)).includes(wantedNote)) &&
      (fingerprint === undefined || item.fingerprint === fingerprint) &&
      // Dates come last, so that only items that pass all other filters count as unreadable.
      isInTime(item),
    /** Warns about items without a readable date, and names the words there are. */
    warnUnmatched(notices: Notices): void {
      for (const search of searches) search.warnUnmatched(notices);
      const items = unreadable === 1 ? "1 item is" : `${unreadable} items are`;
      if (unreadable > 0) notices.warn(`${items} left out: the server reports no readable date`);
    },
  };
}

function namesOfApp({ app }: Listed): readonly string[] {
  const name = cellText(app?.name);
  return name === "" ? [] : [name];
}

function scopesOf({ scopes }: Listed): readonly string[] {
  return scopes ?? [];
}

/** Collects the words of all items, to name them if the wanted one is not among them. */
function createWordSearch(
  message: string,
  wanted: string,
  wordsOf: (item: Listed) => readonly string[],
  isWanted: (item: Listed) => boolean,
) {
  const seen = new Set<string>();
  let isFound = false;
  return {
    see(item: Listed): boolean {
      const isMatch = isWanted(item);
      isFound ||= isMatch;
      for (const word of wordsOf(item)) seen.add(word);
      return isMatch;
    },
    warnUnmatched(notices: Notices): void {
      if (isFound || seen.size === 0) return;
      notices.warn(`${message} ${typedWord(wanted)}; there are: ${nameTen([...seen])}`);
    },
  };
}

export interface SortOptions {
  readonly sort?: string;
  readonly reverse?: boolean;
}

/**
 * A function that sorts a whole list; null to keep its order. The order is stable, and independent of machine and locale.
 * Items without a readable value come last in both directions. Throws a usage failure for a field that is none of `fields`.
 */
export function createSorter(
  { sort: field, reverse }: SortOptions,
  fields: readonly string[],
): (<T extends object>(items: readonly T[]) => readonly T[]) | null {
  if (field === undefined) return reverse === true ? (items) => items.toReversed() : null;
  checkField(field, fields);
  // A fixed locale; numbers in texts count as numbers, of any length.
  const { compare } = new Intl.Collator("en", { numeric: true });
  const keyOf = (item: object): number | string | null => {
    const value = fieldOf(item, field);
    return field.endsWith("_at") ? parseInstant(value) : cellText(value) || null;
  };
  const direction = reverse === true ? -1 : 1;
  return (items) =>
    items
      .map((item) => ({ item, key: keyOf(item) }))
      .toSorted(({ key: one }, { key: other }) => {
        if (one === null || other === null) return Number(one === null) - Number(other === null);
        const areNumbers = typeof one === "number" && typeof other === "number";
        return direction * (areNumbers ? one - other : compare(`${one}`, `${other}`));
      })
      .map(({ item }) => item);
}
