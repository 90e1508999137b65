// Text that a client chose, on its way into the database and out of it. Keeps every character, NUL and lone
// surrogates included, by storing a JSON string; equal texts have equal forms, so indexes and uniqueness hold.

/** The form that is stored; null stays null. */
export function encodeText(text: string): string;
export function encodeText(text: string | null): string | null;
export function encodeText(text: string | null): string | null {
  return text === null ? null : JSON.stringify(text);
}

/** The text of a form that `encodeText` made. */
export function decodeText(stored: string | null): string | null {
  if (stored === null) return null;
  // Most texts have nothing in them that JSON writes in another way.
  return stored.includes("\\") ? (JSON.parse(stored) as string) : stored.slice(1, -1);
}
