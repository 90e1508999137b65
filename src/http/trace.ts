// One line for each request that goes out, for --debug: method, path template, page, status, sizes, time. Shows the
// template and never the path, the rest of the query, a header value or a body, so that no secret can be in it.
import { Failure } from "../errors/errors.ts";
import type { Layer } from "./request.ts";

/** Hands a line to `write` for each request and its answer or failure. `now` is in milliseconds. */
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

/** Which page of a list it is, and how many items were asked for. Numbers alone, so that they may be shown. */
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
