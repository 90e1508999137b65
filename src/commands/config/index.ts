// The verbs of `grantctl config`: a new one is a file of its own and a line here.
import type { Command } from "commander";
import type { Dispatch } from "../dispatch.ts";
import { addGetCommand } from "./get.ts";
import { addListCommand } from "./list.ts";
import { addPathCommand } from "./path.ts";
import { addSetCommand } from "./set.ts";
import { addUnsetCommand } from "./unset.ts";

/** Adds them, in the order that help lists them. */
export function addConfigVerbs(config: Command, dispatch: Dispatch): void {
  addGetCommand(config, dispatch);
  addSetCommand(config, dispatch);
  addUnsetCommand(config, dispatch);
  addListCommand(config, dispatch);
  addPathCommand(config, dispatch);
}
