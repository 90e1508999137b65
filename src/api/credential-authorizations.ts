// The credentials that an organization's members approved for it, where the operator lists them. Needs a token or
// password of somebody who may read the organization.
import { fetchPages, type Paging } from "../http/pages.ts";
import type { Service } from "../http/service.ts";
import type { JsonItem } from "../json/items.ts";
import { checkCredentialAuthorization } from "./checks.ts";
import type { CredentialAuthorization } from "./resources.ts";

/** The pages of an organization's credential authorizations, in the service's order, each item with its JSON. */
export function listCredentialAuthorizationsAsSent(
  service: Service,
  organization: string,
  paging: Paging,
): AsyncGenerator<readonly JsonItem<CredentialAuthorization>[], void, undefined> {
  const call = {
    method: "GET",
    template: "/orgs/:org/credential-authorizations",
    parameters: { org: organization },
    subject: `the list of ${organization}'s credential authorizations`,
  } as const;
  return fetchPages(service, call, paging, checkCredentialAuthorization);
}
