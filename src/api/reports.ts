// Reports leaked tokens of any owner to an server type, which revokes them (docs.github.com, "Revoke a list of
// credentials"). The service must have no credentials, because the server type rejects reports that include any.
import { Failure, isFailure } from "../errors/errors.ts";
import { sendForNoContent, type Service } from "../http/service.ts";

/** The most tokens in one request. */
export const maxReportedTokens = 1000;

const insteadOfReport =
  "Report tokens to github.com or Enterprise Cloud. An application's owner can run `grantctl token revoke` instead.";

/**
 * Reports at most `maxReportedTokens` tokens; the server accepts all of them or none. A rejection of these tokens is marked
 * `isAboutItem`, because other tokens may be accepted.
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
      const hint = "The server does not report which tokens it means. Report only tokens that it issued.";
      throw error.with({ hint, isAboutItem: true });
    }
    // According to its documentation, an Enterprise Server requires authentication at this endpoint.
    if (details.status === 401 || details.status === 404)
      throw new Failure(
        details.status === 401 ? "authentication" : "refused",
        `${subject}: this server takes no reports (status ${details.status})`,
        {
          ...details,
          hint: insteadOfReport,
        },
      );
    throw error;
  }
}
