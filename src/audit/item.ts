// An item of an audit: a few fields of a grant, authorization or credential. Never a token's value.
import type { Id } from "../api/resources.ts";
import { textOf } from "../printing/presentation.ts";
import type { Breadth } from "./breadth.ts";

export type Resource = "grant" | "authorization" | "credential";

/** One thing that has access. What the service does not say is null; an empty note or fingerprint is none. */
export interface Item {
  readonly resource: Resource;
  readonly id: Id;
  /** Its name for a person: an application's name, a note, a token's last eight characters, or a member. */
  readonly name: string;
  /** Its application's name and client ID; personal tokens have none. */
  readonly application: string | null;
  readonly clientId: string | null;
  readonly note: string | null;
  /** A hash of the note: equal notes have equal hashes. */
  readonly noteHash: number | null;
  readonly fingerprint: string | null;
  readonly scopes: readonly string[] | null;
  /** How much its scopes allow. */
  readonly breadth: Breadth;
  readonly createdAt: string | null;
  readonly updatedAt: string | null;
  readonly expiresAt: string | null;
  readonly usedAt: string | null;
  /** These four dates in milliseconds since 1970; null also for a text that is not a date. */
  readonly created: number | null;
  readonly updated: number | null;
  readonly expires: number | null;
  readonly used: number | null;
  readonly hash: string | null;
  readonly lastEight: string | null;
}

/** A key by which the same item is recognised in this run and in a snapshot. */
export function keyOf({ resource, id }: Pick<Item, "resource" | "id">): string {
  return `${resource} ${textOf(id)}`;
}

/** A key for an item among those of one list: a number if it keeps every digit, because texts take several times the memory. */
export function keyOfId(id: Id): number | string {
  return typeof id === "number" ? id : textOf(id);
}

/** Compares identifiers by all their digits. */
export function compareIds(first: Id, second: Id): number {
  if (typeof first === "number" && typeof second === "number") return first - second;
  const [one, other] = [BigInt(textOf(first)), BigInt(textOf(second))];
  return one < other ? -1 : one > other ? 1 : 0;
}
