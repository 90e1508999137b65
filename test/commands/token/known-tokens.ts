// The server's responses about an application's tokens, for tests in which only some exist.
import { credentials, type Answer } from "../../support/recording-server.ts";
import { checkedJson } from "../../support/resources.ts";

/** The path of a token. */
export function pathOf(token: string): string {
  return `/applications/${credentials.clientId}/tokens/${token}`;
}

/** Returns these tokens, and 404 for all others. */
export function knows(...tokens: readonly string[]): Answer {
  return (request) => {
    const token = tokens.find((known) => request.path === pathOf(known));
    return token === undefined
      ? { status: 404, body: { message: "Not Found" } }
      : { status: 200, body: checkedJson(token) };
  };
}
