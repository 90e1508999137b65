// Filters the items of a list by the flags of list-options.ts.
//
// Invariant: selected items may be piped into a deletion, so a filter never selects an item whose field is missing or
// unreadable. Such items are counted, and `report` warns about them at the end. It also names the applications and scopes
// that there are if none is the one of --app or --scope.
import type { App, Authorization, Id } from "../api/resources.ts";
import { foldCase, foldText } from "../output/fold-text.ts";
import { usageFailure } from "../errors/errors.ts";
import type { Notices } from "../output/notices.ts";
import { cellText } from "../output/presentation.ts";
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
export interface Listed extends Partial<Pick<Authorization, "note" | "fingerprint" | "expires_at">> {
  readonly id: Id;
  readonly app: App | null;
  readonly scopes: readonly string[];
  readonly created_at: string;
  readonly updated_at: string;
}

/** A filter with a report at the end. */
interface ReportingFilter {
  readonly isMatch: (item: Listed) => boolean;
  readonly report: (notices: Notices) => void;
}

/** A filter for one run. Throws a usage failure for an age in the future, which would select everything. */
export function createFilter(options: FilterOptions, now: number): ReportingFilter {
  const { app, scope = [], note, fingerprint } = options;
  const apps =
    app === undefined ? [] : [{ wanted: app, search: createWordSearch("no application is named", app) }];
  const scopes = scope.map((wanted) => ({
    wanted,
    search: createWordSearch("nothing has the scope", wanted),
  }));
  const wantedNote = note === undefined ? null : foldText(note);
  const ages = [
    { field: "created_at", point: ageThreshold("--older-than", options.olderThan, now) },
    { field: "updated_at", point: ageThreshold("--not-updated-for", options.notUpdatedFor, now) },
  ] as const;
  const expiryEnd = expiryLimit(options.expiresWithin, now);
  let unreadable = 0;
  let withoutExpiry = 0;

  const isOldEnough = (item: Listed): boolean => {
    const limited = ages.flatMap(({ field, point }) =>
      point === null ? [] : [{ point, own: parseInstant(item[field]) }],
    );
    if (limited.some(({ own, point }) => own !== null && own >= point)) return false;
    const isReadable = limited.every(({ own }) => own !== null);
    if (!isReadable) unreadable += 1;
    return isReadable;
  };
  const expiresSoon = ({ expires_at: expires }: Listed): boolean => {
    if (expiryEnd === null) return true;
    if (expires === null) return false;
    const own = parseInstant(expires);
    if (own === null) withoutExpiry += 1;
    return own !== null && own <= expiryEnd;
  };
  // Every item is seen by the searches, even if another filter leaves it out.
  const hasWords = (item: Listed): boolean => {
    const own = item.scopes ?? [];
    const matches = [
      ...apps.map(({ wanted, search }) => search.see([cellText(item.app?.name)], isApp(item.app, wanted))),
      ...scopes.map(({ wanted, search }) => search.see(own, own.includes(wanted))),
    ];
    return matches.every(Boolean);
  };
  return {
    isMatch: (item) =>
      hasWords(item) &&
      (wantedNote === null || foldText(cellText(item.note)).includes(wantedNote)) &&
      (fingerprint === undefined || item.fingerprint === fingerprint) &&
      // Dates come last, so that only items that pass all other filters count as unreadable.
      isOldEnough(item) &&
      expiresSoon(item),
    report(notices) {
      for (const { search } of [...apps, ...scopes]) search.report(notices);
      warnLeftOut(withoutExpiry, "expiration date", notices);
      warnLeftOut(unreadable, "readable date", notices);
    },
  };
}

function warnLeftOut(count: number, what: string, notices: Notices): void {
  const items = count === 1 ? "1 item is" : `${count} items are`;
  if (count > 0) notices.warn(`${items} left out: the server reports no ${what}`);
}

/** True for the application with this client ID or full name. */
function isApp(app: App | null, wanted: string): boolean {
  const name = cellText(app?.name);
  return app?.client_id === wanted || (name !== "" && foldCase(name) === foldCase(wanted));
}

function ageThreshold(flag: string, age: Age | undefined, now: number): number | null {
  if (age === undefined) return null;
  const point = age.pointBefore(now);
  if (point <= now) return point;
  throw usageFailure(
    `${flag} ${age.text} is in the future: everything would match`,
    `Use an age such as ${flag} 90d.`,
  );
}

function expiryLimit(age: Age | undefined, now: number): number | null {
  if (age === undefined) return null;
  const point = age.pointAfter(now);
  if (point >= now) return point;
  throw usageFailure(
    `--expires-within ${age.text} is in the past`,
    "Use an age such as --expires-within 30d.",
  );
}

/** More would not fit into a few lines. */
const mostWords = 10;
const mostSeen = 1000;

/** Collects the words of all items, to name them if the wanted one is not among them. */
function createWordSearch(message: string, wanted: string) {
  const seen = new Set<string>();
  let isFound = false;
  return {
    /** Returns `isMatch`, which says whether these are the words of an item that matches. */
    see(words: readonly string[], isMatch: boolean): boolean {
      isFound ||= isMatch;
      for (const word of words) if (word !== "" && seen.size < mostSeen) seen.add(word);
      return isMatch;
    },
    report(notices: Notices): void {
      if (isFound || seen.size === 0) return;
      const similar = [...seen].filter((word) => foldText(word).includes(foldText(wanted)));
      const [which, words] = similar.length > 0 ? ["similar", similar] : ["there are", [...seen]];
      notices.note(`${message} ${wanted}; ${which}: ${words.slice(0, mostWords).join(", ")}`);
    },
  };
}
