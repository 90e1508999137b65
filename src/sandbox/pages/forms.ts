// Forms of the sandbox's pages, and their protection against cross-site request forgery.
//
// A page puts a hidden value into each of its forms, so that only a browser that was shown the form can send it back.
// A value is valid once, for one purpose and some minutes, and cannot be guessed. Values are in memory alone.
//
// The service has checked the `Origin` of a form before. This module also checks `Sec-Fetch-Site`, which browsers send,
// and the value. An attempt from a foreign page invalidates the value, because it has become known.
import { randomBytes } from "node:crypto";
import type { ServiceResponse } from "../http/response.ts";
import type { JsonObject, SandboxRequest } from "../http/request.ts";
import { html, messagePage } from "./layout.ts";

export type Forms = ReturnType<typeof createForms>;

const lifetimeMs = 15 * 60_000;
const mostValues = 10_000;

/** `now` is in milliseconds since the epoch. */
export function createForms(now: () => number) {
  const issued = new Map<string, { readonly purpose: string; readonly expiresAt: number }>();

  /** True if the value is valid for this purpose. Afterwards it is no longer valid. */
  function redeem(value: string, purpose: string): boolean {
    const found = issued.get(value);
    issued.delete(value);
    return found !== undefined && found.purpose === purpose && found.expiresAt > now();
  }

  return {
    /** A new value for a form; the purpose names the action, and its object. */
    issue: (purpose: string): string => {
      const value = randomBytes(32).toString("base64url");
      issued.set(value, { purpose, expiresAt: now() + lifetimeMs });
      const [oldest] = issued.keys();
      if (issued.size > mostValues && oldest !== undefined) issued.delete(oldest);
      return value;
    },
    /** The refusal of a form that was not sent from its page, or was sent before; null for a valid one. */
    refuse: (request: SandboxRequest, form: JsonObject, purpose: string): ServiceResponse | null => {
      const site = request.header("sec-fetch-site");
      const isForeign = site !== undefined && site !== "same-origin";
      const isValid = redeem(formText(form, "once"), purpose);
      if (isValid && !isForeign) return null;
      return messagePage(
        403,
        "This form cannot be used",
        html`It was sent before, is too old, or did not come from its own page. Nothing was changed.`,
        html`Load the page again and retry.`,
      );
    },
  };
}

/** A field of a form, or "" when it was not sent. */
export function formText(form: JsonObject, field: string): string {
  const value = Object.hasOwn(form, field) ? form[field] : "";
  return typeof value === "string" ? value : "";
}
