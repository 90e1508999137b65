// Finds identifiers that come twice. Most lists are sorted, and as long as one is, nothing has to be looked up: a
// hundred thousand identifiers in a set take several megabytes.
import type { Id } from "../api/resources.ts";
import { compareIds, keyOfId } from "./item.ts";

/** Takes one identifier after the other, and returns whether it came before. */
export function watchIds(): (id: Id) => boolean {
  const inOrder: Id[] = [];
  let seen: Set<number | string> | null = null;
  return (id) => {
    const last = inOrder.at(-1);
    if (seen === null && (last === undefined || compareIds(last, id) < 0)) {
      inOrder.push(id);
      return false;
    }
    seen ??= new Set(inOrder.map(keyOfId));
    const key = keyOfId(id);
    return seen.has(key) || !seen.add(key);
  };
}
