// The account's grants, which require the account's credentials.
import { listOperation } from "../http/pages.ts";
import { sendForJson, sendForNoContent, type Call, type Service } from "../http/service.ts";
import { checkGrant, withId } from "./checks.ts";
import type { Grant } from "./resources.ts";

export const listGrants = listOperation("/applications/grants", "the list of grants", checkGrant);

/** One grant. `id` is decimal digits. */
export function getGrant(service: Service, id: string): Promise<Grant> {
  return sendForJson(service, singleGrantCall("GET", id), withId(checkGrant, id));
}

/** Deletes a grant and with it all tokens that the application holds for the account. */
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
