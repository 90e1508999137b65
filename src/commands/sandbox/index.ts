// The verbs of `grantctl sandbox`: a new one is a file of its own and a line here.
import type { Command } from "commander";
import type { Dispatch } from "../dispatch.ts";
import { addCodesCommand } from "./codes.ts";
import { addRunCommand } from "./run.ts";
import { addStartCommand } from "./start.ts";

/** Adds them, in the order that help lists them. */
export function addSandboxVerbs(sandbox: Command, dispatch: Dispatch): void {
  addStartCommand(sandbox, dispatch);
  addRunCommand(sandbox, dispatch);
  addCodesCommand(sandbox, dispatch);
}
