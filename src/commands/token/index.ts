// The verbs of `grantctl token`: a new one is a file of its own and a line here.
import type { Command } from "commander";
import type { Dispatch } from "../dispatch.ts";
import { addCheckCommand } from "./check.ts";
import { addResetCommand } from "./reset.ts";
import { addRevokeCommand } from "./revoke.ts";
import { addRevokeGrantCommand } from "./revoke-grant.ts";

/** Adds them, in the order that help lists them. */
export function addTokenVerbs(token: Command, dispatch: Dispatch): void {
  addCheckCommand(token, dispatch);
  addResetCommand(token, dispatch);
  addRevokeCommand(token, dispatch);
  addRevokeGrantCommand(token, dispatch);
}
