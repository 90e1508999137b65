// The layer nearest to the wire: what a keeper must know, it knows before the request leaves and before anything
// reads the answer.
import { isFailure } from "../errors/errors.ts";
import type { Layer } from "./request.ts";

/** Tells a request's keeper about its sending and its answer, complete or cut off. */
export function keepLayer(): Layer {
  return (next) => async (request) => {
    const { keeper } = request;
    if (keeper === undefined) return next(request);
    await keeper.beforeSending();
    try {
      const answer = await next(request);
      await keeper.keepAnswer(answer.status, answer.body);
      return answer;
    } catch (error) {
      const received = isFailure(error) ? error.details.received : undefined;
      if (received !== undefined) await keeper.keepAnswer(received.status, received.body);
      throw error;
    }
  };
}
