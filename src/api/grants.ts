// Operations 1 to 3 of the specification: the account's grants.
import { fetchPages, valuesOf, type Paging } from "../http/pages.ts";
import { sendForJson, sendForNothing, type Service } from "../http/service.ts";
import type { JsonItem } from "../json/json-items.ts";
import { checkGrant } from "./checks.ts";
import type { Grant } from "./resources.ts";

/** Operation 1: the pages of the account's grants, in the service's order; only those that are wanted. */
export function listGrants(
  service: Service,
  paging: Paging,
  isWanted?: (item: Grant) => boolean,
): AsyncGenerator<readonly Grant[], void, undefined> {
  return valuesOf(listGrantsAsSent(service, paging, isWanted));
}

/** As `listGrants`, each item with its JSON as the service sent it. */
export function listGrantsAsSent(
  service: Service,
  paging: Paging,
  isWanted?: (item: Grant) => boolean,
): AsyncGenerator<readonly JsonItem<Grant>[], void, undefined> {
  const call = { method: "GET", template: "/applications/grants", subject: "the list of grants" } as const;
  return fetchPages(service, call, paging, checkGrant, isWanted);
}

/** Operation 2: one grant. `id` is decimal digits. */
export async function getGrant(service: Service, id: string): Promise<Grant> {
  const call = {
    method: "GET",
    template: "/applications/grants/:grant_id",
    parameters: { grant_id: id },
    subject: `grant ${id}`,
  } as const;
  return (await sendForJson(service, call, [200], checkGrant)).body;
}

/** Operation 3: deletes a grant and with it all tokens that the application holds for the account. */
export function deleteGrant(service: Service, id: string): Promise<void> {
  return sendForNothing(service, {
    method: "DELETE",
    template: "/applications/grants/:grant_id",
    parameters: { grant_id: id },
    subject: `grant ${id}`,
  });
}
