// Versions of the API by their date, which clients of today ask for in a header. One that is no longer answered is refused;
// without the header it is the oldest that still is. All that are left answer alike.
import { failure, type Answer } from "./answer.ts";
import type { SandboxRequest } from "./sandbox-request.ts";

const oldest = "2022-11-28";

/** Gives an answer with the version that it is in, or the refusal of the version that was asked for. */
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
