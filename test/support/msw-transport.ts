// A transport with responses from msw handlers, without a socket. It is strict in both directions: a request that no
// handler matches fails, and so does a handler that was never called.
import { getResponse, type HttpHandler } from "msw";
import type { RawResponse, HttpRequest, Send } from "../../src/http/request.ts";

export const root = "https://service.test";

export interface MswTransport {
  readonly send: Send;
  /** The sent requests, in order. */
  readonly requests: readonly HttpRequest[];
  /** Throws if a handler was never called. */
  checkAllHit(): void;
}

/** The handlers must use the base URL `https://service.test`. */
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
