// The single sign-on layer (the specification, section 5.5): `X-<Word>-SSO: required; url=…` on a refusal becomes an
// `sso` failure with the approval address; `partial-results; organizations=…` is reported and the answer passes.
import { hints } from "../errors/hints.ts";
import { Failure } from "../errors/errors.ts";
import { parseUrl } from "../parse-url.ts";
import { isLoopback } from "./origin.ts";
import type { Layer } from "./request.ts";

/** Reads the SSO header; `onPartialResults` gets the IDs of the organizations whose data is left out, if it has any. */
export function singleSignOnLayer(
  headerWord: string,
  onPartialResults: (organizationIds: readonly string[]) => void,
): Layer {
  const name = `x-${headerWord.toLowerCase()}-sso`;
  return (next) => async (request) => {
    const answer = await next(request);
    const header = answer.headers[name];
    if (header === undefined) return answer;
    // A 5xx is no refusal: the request may have taken effect.
    const isRefusal =
      request.isRefusedWithAnyStatus === true
        ? answer.status < 500
        : answer.status >= 400 && answer.status < 500;
    if (isRefusal && isApprovalRequired(header)) {
      const url = approvalUrl(header);
      throw new Failure("sso", "an organization requires approval of this token by single sign-on", {
        status: answer.status,
        received: answer,
        ...(url === null
          ? { hint: "The service did not provide a safe URL. Ask an owner of the organization for it." }
          : { url, hint: hints.approval }),
      });
    }
    if (/^\s*partial-results\s*(?:;|$)/i.test(header)) onPartialResults(partialOrganizations(header));
    return answer;
  };
}

function isApprovalRequired(header: string): boolean {
  return /^\s*required\s*(?:;|$)/i.test(header);
}

/** The approval address, if it may be shown: https or loopback, in plain ASCII. */
function approvalUrl(header: string): string | null {
  const text = /^\s*required\s*;\s*url=(\S+)\s*$/i.exec(header)?.[1] ?? "";
  const url = text.length > 2048 || !/^[\x21-\x7e]+$/.test(text) ? null : parseUrl(text);
  if (url === null) return null;
  return url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url.hostname))
    ? url.href
    : null;
}

function partialOrganizations(header: string): readonly string[] {
  const list = /;\s*organizations=([^;]*)/i.exec(header)?.[1] ?? "";
  return list
    .split(",")
    .map((id) => id.trim())
    .filter((id) => /^\d{1,20}$/.test(id));
}
