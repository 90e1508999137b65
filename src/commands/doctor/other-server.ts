// Recognises an answer to the list of grants that the service would not give: a web page, or a redirect to one, where
// the address is that of a web site or of a gateway.
import { readJson } from "../../json/exact-json.ts";
import { isWebPage } from "../../errors/not-found.ts";
import type { HttpAnswer } from "../../http/request.ts";

export const otherAddressHint = "set --base-url to the address that the service really has";

/** What shows that another server answered; null for an answer that the service may give. */
export function signOfOtherServer(answer: HttpAnswer): string | null {
  const { status, body } = answer;
  if (status === 404 && isWebPage(answer))
    return "what answers here is not the service: its 404 is a web page";
  if (status >= 300 && status < 400)
    return `the address redirects elsewhere (status ${status}), and redirects are never followed`;
  return status === 200 && !isList(body) ? "what answers here is not the service: it has no list" : null;
}

function isList(body: Buffer): boolean {
  try {
    return Array.isArray(readJson(body));
  } catch {
    return false;
  }
}
