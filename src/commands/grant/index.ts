// The verbs of `grantctl grant`: a new one is a file of its own and a line here.
import type { Command } from "commander";
import type { Dispatch } from "../dispatch.ts";
import { addDeleteCommand } from "./delete.ts";
import { addListCommand } from "./list.ts";
import { addViewCommand } from "./view.ts";

/** Adds them, in the order that help lists them. */
export function addGrantVerbs(grant: Command, dispatch: Dispatch): void {
  addListCommand(grant, dispatch);
  addViewCommand(grant, dispatch);
  addDeleteCommand(grant, dispatch);
}
