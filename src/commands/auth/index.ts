// The verbs of `grantctl auth`: a new one is a file of its own and a line here.
import type { Command } from "commander";
import type { Dispatch } from "../dispatch.ts";
import { addLoginCommand } from "./login.ts";
import { addLogoutCommand } from "./logout.ts";
import { addStatusCommand } from "./status.ts";

/** Adds them, in the order that help lists them. */
export function addAuthVerbs(auth: Command, dispatch: Dispatch): void {
  addLoginCommand(auth, dispatch);
  addLogoutCommand(auth, dispatch);
  addStatusCommand(auth, dispatch);
}
