// Filters the items of a list by the flags of list-options.ts.
//
// Invariant: selected items may be piped into a deletion, so a filter never selects an item whose field is missing or
// unreadable. Such items are counted, and `report` warns about them at the end. `report` also suggests names that are
// similar to an unknown --app.
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
interface ReportingFilter<Sought> {
  readonly isMatch: (sought: Sought) => boolean;
  readonly report: (notices: Notices) => void;
}

/**
 * A filter for one run. Its report names items omitted because of an unreadable field, and names similar to that of
 * --app. `now` is in milliseconds since 1970. Throws a usage failure for an age in the future, which would select
 * everything.
 */
export function createFilter(options: FilterOptions, now: number): ReportingFilter<Listed> {
  const { app, scope = [], note, fingerprint } = options;
  const search = app === undefined ? null : createAppSearch(app);
  const wantedNote = note === undefined ? null : foldText(note);
  const ages = [
    { field: "created_at", point: ageThreshold("--older-than", options.olderThan, now) },
    { field: "updated_at", point: ageThreshold("--not-updated-for", options.notUpdatedFor, now) },
  ] as const;
  const expiryEnd = expiryLimit(options.expiresWithin, now);
  const expiry = expiryEnd === null ? null : createExpirySearch(expiryEnd);
  let unreadable = 0;

  const isOldEnough = (item: Listed): boolean => {
    let isReadable = true;
    for (const { field, point } of ages) {
      if (point === null) continue;
      const own = parseInstant(item[field]);
      if (own === null) isReadable = false;
      else if (own >= point) return false;
    }
    if (!isReadable) unreadable += 1;
    return isReadable;
  };

  return {
    isMatch: (item) =>
      (search === null || search.isMatch(item.app)) &&
      scope.every((one) => (item.scopes ?? []).includes(one)) &&
      (wantedNote === null || foldText(cellText(item.note)).includes(wantedNote)) &&
      (fingerprint === undefined || item.fingerprint === fingerprint) &&
      // Dates come last, so that only items that pass all other filters count as unreadable.
      isOldEnough(item) &&
      (expiry === null || expiry.isMatch(item)),
    report(notices) {
      search?.report(notices);
      expiry?.report(notices);
      if (unreadable > 0) {
        const [which, whom] = unreadable === 1 ? ["1 item is", "it"] : [`${unreadable} items are`, "them"];
        notices.warn(`${which} left out: the server reports no readable date for ${whom}`);
      }
    },
  };
}

function ageThreshold(flag: string, age: Age | undefined, now: number): number | null {
  if (age === undefined) return null;
  const point = age.pointBefore(now);
  if (point > now) {
    throw usageFailure(
      `${flag} ${age.text} is in the future: everything would match`,
      `Use an age such as ${flag} 90d.`,
    );
  }
  return point;
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

/** Finds items that expire before a point in time, and counts those whose expiry the service does not report. */
function createExpirySearch(end: number): ReportingFilter<Listed> {
  let withoutExpiry = 0;
  return {
    isMatch({ expires_at: expires }) {
      if (expires === null) return false;
      const own = parseInstant(expires);
      if (own === null) withoutExpiry += 1;
      return own !== null && own <= end;
    },
    report(notices) {
      if (withoutExpiry === 0) return;
      notices.warn(
        withoutExpiry === 1
          ? "1 item is left out: the server does not report when it expires"
          : `${withoutExpiry} items are left out: the server does not report when they expire`,
      );
    },
  };
}

/** The maximum number of similar names to suggest: more would not fit into one line. */
const mostNames = 5;

/** Finds an application by its client ID or full name, and collects similar names. */
function createAppSearch(wanted: string): ReportingFilter<App | null> {
  const folded = foldCase(wanted);
  const searched = foldText(wanted);
  const similar = new Set<string>();
  let isFound = false;
  return {
    isMatch(app) {
      const name = cellText(app?.name);
      const isMatch = app?.client_id === wanted || (name !== "" && foldCase(name) === folded);
      if (isMatch) isFound = true;
      else if (similar.size < mostNames && foldText(name).includes(searched)) similar.add(name);
      return isMatch;
    },
    report(notices) {
      if (isFound) return;
      const meant = similar.size === 0 ? "" : `; similar: ${[...similar].join(", ")}`;
      notices.note(`no application here has the name or client ID ${wanted}${meant}`);
    },
  };
}
