// Finds notes that several authorizations have. Notes are compared as numbers (hashes) first, because most
// notes come once, and a hundred thousand texts take long to compare; what counts in the end is the text.
import type { Item } from "./item.ts";

/** A hash of a text: another text rarely has the same one. */
export function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}

/** How many authorizations share the note of an item; 0 if only this one has it, or if it has no note. */
export function countNotes(items: readonly Item[]): (item: Item) => number {
  const noted = items.filter(({ resource, noteHash }) => resource === "authorization" && noteHash !== null);
  const hashes = new Uint32Array(noted.map(({ noteHash }) => noteHash ?? 0)).toSorted();
  const repeated = new Set(hashes.filter((hash, at) => hash === hashes[at - 1]));
  const counts = new Map<string, number>();
  const mayComeAgain = ({ noteHash }: Item): boolean => noteHash !== null && repeated.has(noteHash);
  for (const item of noted) {
    if (!mayComeAgain(item)) continue;
    const note = item.note ?? "";
    counts.set(note, (counts.get(note) ?? 0) + 1);
  }
  return (item) => {
    const count = mayComeAgain(item) ? (counts.get(item.note ?? "") ?? 0) : 0;
    return count > 1 ? count : 0;
  };
}
