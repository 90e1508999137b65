// Entity tags (RFC 9110, 8.8.3): a client that has kept an answer asks whether it has changed, and gets a 304 if not.
// The rule: the tag follows from the body's bytes alone, so that equal answers have equal tags.
import { hash } from "node:crypto";

/** The tag of a body. Weak, as operators have it. */
export function createEntityTag(body: string | Buffer): string {
  return `W/"${hash("sha256", body).slice(0, 32)}"`;
}

/** Whether `If-None-Match` names the tag, among others or as any; strong and weak forms are the same here (13.1.2). */
export function isKnownTag(ifNoneMatch: string | undefined, tag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  const named: readonly string[] = ifNoneMatch.match(/"[^"]*"|\*/g) ?? [];
  return named.includes("*") || named.includes(tag.slice("W/".length));
}
