// The verbs of `grantctl recover`: a new one is a file of its own and a line here.
import type { Command } from "commander";
import type { Dispatch } from "../dispatch.ts";
import { addForgetCommand } from "./forget.ts";
import { addListCommand } from "./list.ts";
import { addShowCommand } from "./show.ts";

/** Adds them, in the order that help lists them. */
export function addRecoverVerbs(recover: Command, dispatch: Dispatch): void {
  addListCommand(recover, dispatch);
  addShowCommand(recover, dispatch);
  addForgetCommand(recover, dispatch);
}
