// The layer nearest to the wire: calls a request's intent before the request is sent, and with its answer before any
// other layer reads it.
import { isFailure, type Received } from "../errors/errors.ts";
import type { Layer } from "./request.ts";

/** Calls a request's intent before sending, and with the answer, complete or cut off. */
export function intentLayer(): Layer {
  return (next) => async (request) => {
    const { intent } = request;
    if (intent === undefined) return next(request);
    await intent.beforeSending();
    try {
      const answer = await next(request);
      await intent.keepAnswer(answer.status, answer.body);
      return answer;
    } catch (error) {
      const received = isFailure(error) ? error.details.received : undefined;
      if (received !== undefined) await intent.keepAnswer(received.status, await plainBodyOf(received));
      throw error;
    }
  };
}

async function plainBodyOf({ body, codings }: Received): Promise<Buffer> {
  if (codings === undefined) return body;
  const { unpack } = await import("./unpack.ts");
  return unpack(body, codings);
}
