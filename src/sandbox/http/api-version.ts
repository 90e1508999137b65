// Versions of the API by date, which present clients ask for in a header. A version that is no longer supported is
// refused; without the header the oldest supported one answers. All supported versions answer alike.
import { failure, type Answer } from "./answer.ts";
import type { SandboxRequest } from "./sandbox-request.ts";

const oldest = "2022-11-28";

/** Adds the version's header to an answer, or resolves with the refusal of an unsupported version. */
export type AnswerInVersion = (request: SandboxRequest, answer: () => Promise<Answer>) => Promise<Answer>;

/** `header` is the name of the header that asks for a version; null where there are no versions by date. */
export function createAnswerInVersion(header: string | null): AnswerInVersion {
  if (header === null) return (_request, answer) => answer();
  return async (request, answer) => {
    const version = request.header(header.toLowerCase()) ?? oldest;
    if (!/^\d{4}-\d{2}-\d{2}$/.test(version) || version < oldest) {
      return failure(400, `The API has no such version any more; the oldest is ${oldest}.`);
    }
    const answered = await answer();
    return { ...answered, headers: { ...answered.headers, [`${header}-Selected`]: version } };
  };
}
