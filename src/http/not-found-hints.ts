// Replaces the usual hint of a 404 where it may mean something else: a server that lacks the operations, or has them in
// another form, answers 404 as if an item did not exist.
import { Failure, isFailure } from "../errors/errors.ts";
import { isWrite, type HttpRequest, type Layer } from "./request.ts";

/** A 404, and what is known of the run when it came. */
export interface NotFound {
  readonly isRead: boolean;
  /** Whether no earlier request of this run, with these credentials, found anything. */
  readonly isAll: boolean;
  /** The headers of the answer; names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Gives a better hint; null where there is none. */
export type FindHint = (found: NotFound) => Promise<string | null>;

/** Asks for a better hint at each "not found". */
export function notFoundHintsLayer(findHint: FindHint): Layer {
  let hasFound = false;
  return (next) => async (request: HttpRequest) => {
    try {
      const answer = await next(request);
      hasFound = true;
      return answer;
    } catch (error) {
      if (!isFailure(error, "not-found")) throw error;
      const headers = error.details.received?.headers ?? {};
      const hint = await findHint({ isRead: !isWrite(request), isAll: !hasFound, headers });
      throw hint === null ? error : new Failure(error.kind, error.marked, { ...error.details, hint });
    }
  };
}
