// Operations 1 to 3 of the specification: the account's grants.
import { fetchPages, type ListOperation } from "../http/pages.ts";
import { sendForJson, sendForNoContent, type Call, type Service } from "../http/service.ts";
import { checkGrant, withId } from "./checks.ts";
import type { Grant } from "./resources.ts";

/** Operation 1: lists grants. */
export const listGrants: ListOperation<Grant> = (service, paging, isWanted) => {
  const call = {
    method: "GET",
    template: "/applications/grants",
    subject: "the list of grants",
    check: checkGrant,
  } as const;
  return fetchPages(service, call, paging, isWanted);
};

/** Operation 2: one grant. `id` is decimal digits. */
export function getGrant(service: Service, id: string): Promise<Grant> {
  return sendForJson(service, singleGrantCall("GET", id), withId(checkGrant, id));
}

/** Operation 3: deletes a grant and with it all tokens that the application holds for the account. */
export function deleteGrant(service: Service, id: string): Promise<void> {
  return sendForNoContent(service, singleGrantCall("DELETE", id));
}

function singleGrantCall(method: "GET" | "DELETE", id: string): Call {
  return {
    method,
    template: "/applications/grants/:grant_id",
    parameters: { grant_id: id },
    subject: `grant ${id}`,
  };
}
