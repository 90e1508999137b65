// Writes one line for each request, for --debug: method, path template, page, status, sizes, time. It never shows the
// path itself, the rest of the query, a header value or a body, so that no secret can be in the line.
import { Failure } from "../errors/errors.ts";
import type { Layer } from "./request.ts";

/** Calls `write` for each request with its answer or failure. `now` is in milliseconds. */
export function traceLayer(write: (line: string) => void, now: () => number): Layer {
  return (next) => async (request) => {
    const started = now();
    const sent = Buffer.byteLength(request.body ?? "");
    const line = (outcome: string): string =>
      `${request.method} ${request.target.template}${pagingIn(request.target.path)} → ${outcome}, sent ${sent} B, ${Math.round(now() - started)} ms`;
    try {
      const answer = await next(request);
      write(line(`${answer.status}, received ${answer.body.length} B`));
      return answer;
    } catch (error) {
      const reason = error instanceof Failure ? error.details.noAnswer : undefined;
      write(line(reason === undefined ? "no answer" : `no answer: ${reason}`));
      throw error;
    }
  };
}

/** The `page` and `per_page` of a path's query, only where they are numbers, which are no secrets. */
function pagingIn(path: string): string {
  const at = path.indexOf("?");
  if (at === -1) return "";
  const query = new URLSearchParams(path.slice(at));
  return ["page", "per_page"]
    .map((name) => [name, query.get(name) ?? ""] as const)
    .filter(([, value]) => /^\d{1,9}$/.test(value))
    .map(([name, value]) => ` ${name}=${value}`)
    .join("");
}
