// Forms on their way back: who may send one. The origin was looked at by the gate; here it is whether the browser says
// that it comes from elsewhere, and the value that only the page itself could show.
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
  // A value is used up by a foreign page's attempt, too: it has become known.
  const isGood = values.redeem(textOf(form, "once"), purpose);
  if (isGood && !isForeign) return null;
  return answerMessage(
    403,
    "This form cannot be used",
    html`It was sent before, is too old, or did not come from its own page. Nothing was changed.`,
    html`Open the page anew and try again.`,
  );
}
