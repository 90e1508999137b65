// Replaces the usual hint of a 404 where it may mean something else: a server that lacks an operation, or has it at
// another path, answers 404 as if the item did not exist.
import { isFailure } from "../errors/errors.ts";
import { isWrite, type HttpRequest, type Layer } from "./request.ts";

/** A 404, with what the run knew when it arrived. */
export interface NotFound {
  readonly isRead: boolean;
  /** Whether no earlier request of this run, with these credentials, found anything. */
  readonly isAll: boolean;
  /** The headers of the answer; names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Gives a better hint; null where there is none. */
export type FindHint = (found: NotFound) => Promise<string | null>;

/** Calls `findHint` at each "not found" failure and replaces its hint. */
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
      throw hint === null ? error : error.with({ hint });
    }
  };
}
