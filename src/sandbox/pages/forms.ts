// Checks forms that come back. The gate has checked their origin; this checks whether the browser reports another site
// (Sec-Fetch-Site), and the single-use value that only the page itself shows.
import type { Answer } from "../http/answer.ts";
import type { JsonObject } from "../http/request-body.ts";
import type { SandboxRequest } from "../http/sandbox-request.ts";
import type { SingleUseValues } from "../identity/single-use-values.ts";
import { html } from "./html.ts";
import { answerMessage } from "./layout.ts";

/** A field of a form, or "" when it was not sent. */
export function textOf(form: JsonObject, field: string): string {
  const value = Object.hasOwn(form, field) ? form[field] : "";
  return typeof value === "string" ? value : "";
}

/** The refusal of a form that was not sent from its page, or was sent before; null for one that is good. */
export function refuseForm(
  request: SandboxRequest,
  form: JsonObject,
  values: SingleUseValues,
  purpose: string,
): Answer | null {
  const site = request.header("sec-fetch-site");
  const isForeign = site !== undefined && site !== "same-origin";
  // An attempt of a foreign page uses the value up, too, because the value has become known.
  const isGood = values.redeem(textOf(form, "once"), purpose);
  if (isGood && !isForeign) return null;
  return answerMessage(
    403,
    "This form cannot be used",
    html`It was sent before, is too old, or did not come from its own page. Nothing was changed.`,
    html`Load the page again and retry.`,
  );
}
