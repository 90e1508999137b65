// Protection of the pages' forms against cross-site request forgery.
//
// Each form contains a hidden nonce, so that only a browser that was shown the form can send it back. A nonce is valid
// once, for one purpose and some minutes, and cannot be guessed. Nonces are kept only in memory.
//
// The service has already checked the `Origin` of a form. This module also checks `Sec-Fetch-Site`, which browsers
// send. A request from a foreign page invalidates the nonce, because it must have leaked.
import { randomBytes } from "node:crypto";
import type { JsonObject } from "../http/request.ts";
import { Refusal } from "../http/response.ts";
import type { Call } from "../operations/operation.ts";
import { html, messagePage } from "./layout.ts";

export type Forms = ReturnType<typeof createForms>;

const lifetimeMs = 15 * 60_000;
const maxNonces = 10_000;

/** `now` is in milliseconds since the epoch. */
export function createForms(now: () => number) {
  const issued = new Map<string, { readonly purpose: string; readonly expiresAt: number }>();

  /** True if the nonce is valid for this purpose. Invalidates it in any case. */
  function redeem(nonce: string, purpose: string): boolean {
    const found = issued.get(nonce);
    issued.delete(nonce);
    return found !== undefined && found.purpose === purpose && found.expiresAt > now();
  }

  return {
    /** Returns a nonce for a form. `purpose` names the action and its object. */
    issue: (purpose: string): string => {
      const nonce = randomBytes(32).toString("base64url");
      issued.set(nonce, { purpose, expiresAt: now() + lifetimeMs });
      const [oldest] = issued.keys();
      if (issued.size > maxNonces && oldest !== undefined) issued.delete(oldest);
      return nonce;
    },
    /** Throws a Refusal with a page if the form was sent before, expired, or was not sent from its page. */
    check: ({ request, body }: Call<null>, purpose: string): void => {
      const site = request.header("sec-fetch-site");
      const isForeign = site !== undefined && site !== "same-origin";
      const isValid = redeem(formText(body, "once"), purpose);
      if (isValid && !isForeign) return;
      const page = messagePage(
        403,
        "This form cannot be used",
        html`It was sent before, is too old, or did not come from its own page. Nothing was changed.`,
        html`Load the page again and retry.`,
      );
      throw new Refusal(page);
    },
  };
}

/** "" if the field was not sent. */
export function formText(form: JsonObject, field: string): string {
  const value = Object.hasOwn(form, field) ? form[field] : "";
  return typeof value === "string" ? value : "";
}
