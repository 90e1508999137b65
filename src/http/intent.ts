// The layer nearest to the wire: what an intent must know, it knows before the request leaves and before anything
// reads the answer.
import { isFailure } from "../errors/errors.ts";
import type { Layer } from "./request.ts";

/** Tells a request's intent about its sending and its answer, complete or cut off. */
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
      if (received !== undefined) await intent.keepAnswer(received.status, received.body);
      throw error;
    }
  };
}
