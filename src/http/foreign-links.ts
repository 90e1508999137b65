// For --debug, says that the link to the next page names another host or path than the request. A service behind a
// proxy may do so in good faith; the address in the link is never used.
import { parseUrl } from "../parse-url.ts";
import { nextAddress } from "./link.ts";
import type { Layer } from "./request.ts";

/** Writes one line for each such host or path; `root` is the origin that requests go to. */
export function foreignLinksLayer(root: string, write: (line: string) => void): Layer {
  const told = new Set<string>();
  return (next) => async (request) => {
    const answer = await next(request);
    const address = nextAddress(answer.headers["link"] ?? "");
    const place = address === null ? null : foreignPlace(address, `${root}${request.target.path}`);
    if (place !== null && !told.has(place)) {
      told.add(place);
      write(`the link to the next page names ${place}; only its page number is used`);
    }
    return answer;
  };
}

/** The other host, or words for another path, which is not shown; null where host and path are the same. */
function foreignPlace(address: string, asked: string): string | null {
  const here = new URL(asked);
  const there = parseUrl(address, asked);
  if (there === null) return "no address";
  if (there.protocol !== here.protocol || there.host !== here.host) {
    return `${there.protocol}//${there.host.slice(0, 100)}`;
  }
  return there.pathname === here.pathname ? null : "another path";
}
