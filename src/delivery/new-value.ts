// A new token as it is delivered: its value, and the id and the note by which its receiver can name it.
import type { Authorization, Id } from "../api/resources.ts";
import { lastEight } from "../api/last-eight.ts";
import { readJson, toJson } from "../json/exact-json.ts";
import { valueIn } from "../journal/intent.ts";

export interface NewValue {
  readonly token: string;
  readonly lastEight: string;
  /** Empty where it is not known. */
  readonly id: string;
  readonly note: string;
}

/** A new or reset authorization as the service answered it; of an answer that was cut off, only the token is known. */
export type MadeToken = Authorization | { readonly id: null; readonly token: string };

interface Made {
  readonly id: Id | null;
  readonly token: string;
  readonly note?: string | null;
}

export function newValueOf({ id, token, note }: Made): NewValue {
  return { token, lastEight: lastEight(token), id: id === null ? "" : toJson(id, 0), note: note ?? "" };
}

/** Reads the answer that an earlier run kept in its journal, in base64; null where no token is in it. */
export async function readMadeToken(body: string | undefined): Promise<MadeToken | null> {
  if (body === undefined) return null;
  const { checkAuthorizationWithValue } = await import("../api/checks.ts");
  try {
    return checkAuthorizationWithValue(readJson(Buffer.from(body, "base64")));
  } catch {
    const token = valueIn(body);
    return token === null ? null : { id: null, token };
  }
}
