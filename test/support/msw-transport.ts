// A transport whose answers come from msw's handlers, without a socket. Refuses surprises both ways: a request that
// no handler takes fails, and so does a handler that was never hit.
import { getResponse, type HttpHandler } from "msw";
import type { RawResponse, HttpRequest, Send } from "../../src/http/request.ts";

export const root = "https://service.test";

export interface MswTransport {
  readonly send: Send;
  /** The sent requests, in order. */
  readonly requests: readonly HttpRequest[];
  /** Throws when a handler was never hit. */
  checkAllHit(): void;
}

/** A transport over these handlers, which speak of `https://service.test`. */
export function createMswTransport(...handlers: HttpHandler[]): MswTransport {
  const requests: HttpRequest[] = [];
  return {
    requests,
    async send(request) {
      requests.push(request);
      const response = await getResponse(
        handlers,
        new Request(`${root}${request.target.path}`, {
          method: request.method,
          headers: request.headers,
          body: request.body,
        }),
      );
      if (response === undefined)
        throw new Error(`unexpected request: ${request.method} ${request.target.path}`);
      return toAnswer(response);
    },
    checkAllHit() {
      const missed = handlers.filter((handler) => !handler.isUsed).map((handler) => handler.info.header);
      if (missed.length > 0) throw new Error(`never requested: ${missed.join(", ")}`);
    },
  };
}

async function toAnswer(response: Response): Promise<RawResponse> {
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers.entries()),
    body: Buffer.from(await response.arrayBuffer()),
  };
}
