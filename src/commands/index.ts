// Every command, by noun. A new verb is one new file and one line here.
import type { Command } from "commander";
import type { Dispatch } from "./dispatch.ts";
import { addApiCommand } from "./api/api.ts";
import { addLoginCommand } from "./auth/login.ts";
import { addLogoutCommand } from "./auth/logout.ts";
import { addStatusCommand } from "./auth/status.ts";
import { addCreateCommand } from "./authorization/create.ts";
import { addDeleteCommand as addAuthorizationDeleteCommand } from "./authorization/delete.ts";
import { addGetOrCreateCommand } from "./authorization/get-or-create.ts";
import { addIdentifyCommand } from "./authorization/identify.ts";
import { addListCommand as addAuthorizationListCommand } from "./authorization/list.ts";
import { addUpdateCommand } from "./authorization/update.ts";
import { addViewCommand as addAuthorizationViewCommand } from "./authorization/view.ts";
import { addGraphqlCommand } from "./graphql/graphql.ts";
import { addDoctorCommand } from "./doctor/doctor.ts";
import { addDeleteCommand as addGrantDeleteCommand } from "./grant/delete.ts";
import { addListCommand as addGrantListCommand } from "./grant/list.ts";
import { addViewCommand as addGrantViewCommand } from "./grant/view.ts";
import { addForgetCommand } from "./recover/forget.ts";
import { addGetCommand } from "./config/get.ts";
import { addListCommand as addConfigListCommand } from "./config/list.ts";
import { addPathCommand } from "./config/path.ts";
import { addSetCommand } from "./config/set.ts";
import { addUnsetCommand } from "./config/unset.ts";
import { addListCommand as addRecoverListCommand } from "./recover/list.ts";
import { addShowCommand } from "./recover/show.ts";
import { addCodesCommand } from "./sandbox/codes.ts";
import { addRunCommand } from "./sandbox/run.ts";
import { addStartCommand } from "./sandbox/start.ts";
import { addSchemaCommand } from "./schema/schema.ts";
import { addCheckCommand } from "./token/check.ts";
import { addResetCommand } from "./token/reset.ts";
import { addRevokeGrantCommand } from "./token/revoke-grant.ts";
import { addRevokeCommand } from "./token/revoke.ts";

type AddVerb = (noun: Command, dispatch: Dispatch) => void;

interface Noun {
  readonly name: string;
  readonly aliases: readonly string[];
  readonly summary: string;
  readonly verbs: readonly AddVerb[];
}

const nouns: readonly Noun[] = [
  {
    name: "grant",
    aliases: ["grants"],
    summary: "the applications that have access to the account",
    verbs: [addGrantListCommand, addGrantViewCommand, addGrantDeleteCommand],
  },
  {
    name: "authorization",
    aliases: ["authorizations", "authz"],
    summary: "the account's tokens, one by one, with scopes and notes",
    verbs: [
      addAuthorizationListCommand,
      addAuthorizationViewCommand,
      addCreateCommand,
      addGetOrCreateCommand,
      addIdentifyCommand,
      addUpdateCommand,
      addAuthorizationDeleteCommand,
    ],
  },
  {
    name: "token",
    aliases: ["tokens"],
    summary: "an application's own tokens: check, reset, revoke",
    verbs: [addCheckCommand, addResetCommand, addRevokeCommand, addRevokeGrantCommand],
  },
  {
    name: "auth",
    aliases: [],
    summary: "credentials: log in, log out, and where each part comes from",
    verbs: [addLoginCommand, addLogoutCommand, addStatusCommand],
  },
  {
    name: "recover",
    aliases: [],
    summary: "token values and unknown outcomes that earlier runs left",
    verbs: [addRecoverListCommand, addShowCommand, addForgetCommand],
  },
  {
    name: "config",
    aliases: [],
    summary: "profiles: addresses, users and commands, under a name",
    verbs: [addGetCommand, addSetCommand, addUnsetCommand, addConfigListCommand, addPathCommand],
  },
  {
    name: "sandbox",
    aliases: [],
    summary: "the whole service on this machine, to try things and to test scripts",
    verbs: [addStartCommand, addRunCommand, addCodesCommand],
  },
];

/** Commands without a verb. */
const loners: readonly AddVerb[] = [addApiCommand, addGraphqlCommand, addDoctorCommand, addSchemaCommand];

/** Adds every noun with its verbs to the program. */
export function addCommands(program: Command, dispatch: Dispatch): void {
  for (const { name, aliases, summary, verbs } of nouns) {
    const noun = program
      .command(name)
      .summary(summary)
      .description(summary)
      .aliases([...aliases]);
    for (const addVerb of verbs) addVerb(noun, dispatch);
  }
  for (const addLoner of loners) addLoner(program, dispatch);
}
