// Operations 1 to 3 of the specification: the account's grants.
import { listOperation } from "../http/pages.ts";
import { sendForJson, sendForNoContent, type Call, type Service } from "../http/service.ts";
import { checkGrant, withId } from "./checks.ts";
import type { Grant } from "./resources.ts";

/** Operation 1: lists grants. */
export const listGrants = listOperation("/applications/grants", "the list of grants", checkGrant);

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
