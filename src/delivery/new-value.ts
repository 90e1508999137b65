// A new token as it is delivered: its value, with the ID and note by which its receiver can name it.
import type { Authorization, Id } from "../api/resources.ts";
import { lastEight } from "../token-value.ts";
import { readJson, toJson } from "../json/exact-json.ts";
import { valueIn } from "../journal/kept-answer.ts";

export interface NewValue {
  readonly token: string;
  readonly lastEight: string;
  /** Empty where it is not known. */
  readonly id: string;
  readonly note: string;
}

/** A new or reset authorization; the token alone where the service's answer was cut off. */
export type MadeToken = Authorization | { readonly id: null; readonly token: string };

interface Made {
  readonly id: Id | null;
  readonly token: string;
  readonly note?: string | null;
}

/** The value and what is told beside it. */
export function newValueOf({ id, token, note }: Made): NewValue {
  return { token, lastEight: lastEight(token), id: id === null ? "" : toJson(id, 0), note: note ?? "" };
}

/** Reads an answer that an earlier run kept in its journal, in base64; null where it holds no token. */
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
