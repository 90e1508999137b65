// What a 404 means, by what the run knows.
//
//   after a success of the same credentials   the item does not exist, and the credentials are not to blame
//   `findHint` has a better hint               the server lacks the operation, or has it at another path
//   otherwise                                  not found or wrong credentials; for an account's list, wrong credentials
import { saysNotFound } from "../errors/not-found.ts";
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

/** Makes "not found" failures say what the run knows. */
export function notFoundHintsLayer(findHint: FindHint | null): Layer {
  let hasFound = false;
  return (next) => async (request: HttpRequest) => {
    try {
      const answer = await next(request);
      hasFound = true;
      return answer;
    } catch (error) {
      if (!isFailure(error, "not-found")) throw error;
      const headers = error.details.received?.headers ?? {};
      const isProven = hasFound && saysNotFound(error);
      const plain = isProven ? error.with({ hint: undefined }, notFoundIfProven(request)) : error;
      const hint = await findHint?.({ isRead: !isWrite(request), isAll: !hasFound, headers });
      if (hint === undefined || hint === null) throw plain;
      throw plain.with(
        { hint },
        request.isAccountList === true ? `${request.subject}: not found` : plain.marked,
      );
    }
  };
}

/** The message of a 404 to credentials that are known to be right. */
export function notFoundIfProven({ subject, isAccountList }: HttpRequest): string {
  return isAccountList === true ? `no access to ${subject} (status 404)` : `${subject} does not exist`;
}
