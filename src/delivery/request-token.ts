// Sends one request that creates a token: a job of one, whose value is delivered at once.
import type { Authorization } from "../api/resources.ts";
import type { Intent } from "../http/request.ts";
import { runJob } from "../jobs/job.ts";
import { Job } from "../jobs/job-journal.ts";
import type { Creation } from "../jobs/journal.ts";
import type { JournalOperation } from "../jobs/operations.ts";
import { authorizations } from "../lists/nouns.ts";
import type { Context } from "../run/context.ts";
import type { ValueReceiver } from "./receiver.ts";
import { hasValue, openValues } from "./values.ts";

interface ValueRequest {
  readonly operation: JournalOperation;
  readonly requester: string;
  readonly creation: Creation;
  /** Sends the request, which must carry the intent. */
  readonly send: (intent: Intent) => Promise<Authorization>;
  readonly receiver: ValueReceiver;
}

/** Sends the request and delivers the new token, if there is one. Throws the failure of the request or the delivery. */
export async function requestNewToken(
  context: Context,
  { operation, requester, creation, send, receiver }: ValueRequest,
): Promise<Authorization> {
  const { presentation } = authorizations;
  const values = openValues<Authorization>(receiver, presentation, "object", context);
  let made: Authorization | null = null;
  const job = new Job(context, operation, [JSON.stringify(creation)]);
  await runJob<Authorization, Authorization>(context, job, {
    requester,
    receiver,
    absence: null,
    describe: () => ({ creation }),
    act: async (_, { intent }) => (made = await send(intent)),
    deliver: (outcomes, onTaken) =>
      values.deliver(
        outcomes.flatMap(({ result }) => result ?? []),
        onTaken,
      ),
    done: "created",
    isGoneDone: false,
    presentation,
    createRow: (_item, _status, created) =>
      created !== null && hasValue(created) ? { ...created, token: "" } : null,
    list: values.list,
  });
  if (made === null) throw new Error("a request was neither done nor failed");
  return made;
}
