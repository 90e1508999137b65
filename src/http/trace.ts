// One line for each request that goes out, for --debug: method, path template, status, sizes, time. Shows the
// template and never the path, a header value or a body, so that no secret can be in it.
import type { Layer } from "./request.ts";

/** Hands a line to `write` for each request and its answer or failure. `now` is in milliseconds. */
export function traceLayer(write: (line: string) => void, now: () => number): Layer {
  return (next) => async (request) => {
    const started = now();
    const sent = Buffer.byteLength(request.body ?? "");
    const line = (outcome: string): string =>
      `${request.method} ${request.target.template} → ${outcome}, sent ${sent} B, ${Math.round(now() - started)} ms`;
    try {
      const answer = await next(request);
      write(line(`${answer.status}, received ${answer.body.length} B`));
      return answer;
    } catch (error) {
      write(line("no answer"));
      throw error;
    }
  };
}
