// What a 404 may mean besides what it says, put in place of the usual hint. A server that lacks the operations, or has
// them in another form, answers as one does that has no such thing.
import { Failure, isFailure } from "../errors/errors.ts";
import { isWrite, type HttpRequest, type Layer } from "./request.ts";

/** What is known of a 404. */
export interface NotFound {
  readonly isRead: boolean;
  /** Whether nothing was found before, in this run and with these credentials. */
  readonly isAll: boolean;
  /** Of the answer; names in lower case. */
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
