// The verbs of `grantctl authorization`: a new one is a file of its own and a line here.
import type { Command } from "commander";
import type { Dispatch } from "../dispatch.ts";
import { addCreateCommand } from "./create.ts";
import { addDeleteCommand } from "./delete.ts";
import { addGetOrCreateCommand } from "./get-or-create.ts";
import { addIdentifyCommand } from "./identify.ts";
import { addListCommand } from "./list.ts";
import { addUpdateCommand } from "./update.ts";
import { addViewCommand } from "./view.ts";

/** Adds them, in the order that help lists them. */
export function addAuthorizationVerbs(authorization: Command, dispatch: Dispatch): void {
  addListCommand(authorization, dispatch);
  addViewCommand(authorization, dispatch);
  addCreateCommand(authorization, dispatch);
  addGetOrCreateCommand(authorization, dispatch);
  addIdentifyCommand(authorization, dispatch);
  addUpdateCommand(authorization, dispatch);
  addDeleteCommand(authorization, dispatch);
}
