// Reports leaked tokens of any owner to an operator, which revokes them (docs.github.com, "Revoke a list of
// credentials"). The service must have no credentials: the operator refuses a report with some.
import { Failure, isFailure } from "../errors/errors.ts";
import { sendForNoContent, type Service } from "../http/service.ts";

/** The most tokens in one request. */
export const mostReported = 1000;

const insteadOfReport =
  "github.com and Enterprise Cloud take reports; an application's owner has grantctl token revoke";

/**
 * Reports at most `mostReported` tokens: all of them are accepted, or none. A refusal of these very tokens is marked
 * `isAboutItem`, because others may be accepted.
 */
export async function reportTokens(service: Service, tokens: readonly string[]): Promise<void> {
  const subject = tokens.length === 1 ? "the report of one token" : `the report of ${tokens.length} tokens`;
  const call = {
    method: "POST",
    template: "/credentials/revoke",
    body: { credentials: tokens },
    subject,
  } as const;
  try {
    await sendForNoContent(service, call, 202);
  } catch (error) {
    if (!isFailure(error)) throw error;
    const { details } = error;
    if (details.status === 422) {
      const hint = "it does not say which of them it means: give it fewer at a time, or only its own tokens";
      throw error.with({ hint: details.hint ?? hint, isAboutItem: true });
    }
    // An Enterprise Server with this address wants a login, as far as is published.
    if (details.status === 401) {
      throw new Failure("authentication", `${subject}: this server takes none without credentials`, {
        ...details,
        hint: insteadOfReport,
      });
    }
    if (details.status === 404) {
      throw new Failure("refused", `${subject}: this server takes none, it has no such address`, {
        ...details,
        hint: insteadOfReport,
      });
    }
    throw error;
  }
}
