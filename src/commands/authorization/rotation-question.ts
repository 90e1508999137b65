// The question before a rotation: which authorizations, by their notes or else their applications, at which address,
// and whether the old tokens will be deleted.
import type { Authorization } from "../../api/resources.ts";
import { foreign } from "../../errors/foreign.ts";
import { textOf } from "../../output/presentation.ts";
import { sanitise } from "../../output/sanitise.ts";
import { shorten } from "../../output/shorten.ts";

/** The most items to name. */
const mostNamed = 10;
const longestName = 40;

/** The question, with the names of those that are known, at most as many as can be read. */
export function rotationQuestion(
  ids: readonly string[],
  known: ReadonlyMap<string, Authorization>,
  keepsOld: boolean,
  address: string,
): string {
  const names = ids.slice(0, mostNamed).map((id) => {
    const { note, app } = known.get(id) ?? {};
    const name = textOf(note) || textOf(app?.name);
    return name === "" ? id : `"${foreign(shorten(sanitise(name), longestName))}"`;
  });
  const more = ids.length - names.length;
  const isSaid = names.every((name, index) => name === ids[index]);
  const named = isSaid ? "" : ` (${names.join(", ")}${more === 0 ? "" : `, and ${more} more`})`;
  const what = ids.length === 1 ? `authorization ${ids[0] ?? ""}` : `${ids.length} authorizations`;
  const old = ids.length === 1 ? "the old token" : "the old tokens";
  return `Rotate ${what}${named} at ${address}, so that ${keepsOld ? `${old} stay${ids.length === 1 ? "s" : ""} beside the new` : `${old} end${ids.length === 1 ? "s" : ""} when the new ${ids.length === 1 ? "one works" : "ones work"}`}?`;
}
