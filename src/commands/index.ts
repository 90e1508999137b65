// Every noun, and every command that is none. What stands behind a word is loaded when that word is used, so that help
// and errors cost the parser alone; a new verb is one new file and one line in its noun's index.
import type { Command } from "commander";
import { childCommand } from "../command-line/child-command.ts";
import type { CommandTable } from "../command-line/command-table.ts";
import type { Dispatch } from "../command-line/dispatch.ts";
import { addVerbs, type Verbs } from "../command-line/verbs.ts";

/** Gives a command what the table leaves out: its flags, arguments and action. */
type Complete = (command: Command, dispatch: Dispatch, commands: CommandTable) => void;

interface Entry {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly summary: string;
  /** The heading that help lists it under; the last one by default. */
  readonly group?: string;
  /** What stands behind it: the verbs of a noun, or what a command without verbs takes. */
  readonly load: () => Promise<Verbs | Complete>;
}

const entries: readonly Entry[] = [
  {
    name: "grant",
    aliases: ["grants"],
    summary: "the applications that have access to the account",
    group: "Grants and tokens",
    load: async () => (await import("./grant/index.ts")).grantVerbs,
  },
  {
    name: "authorization",
    aliases: ["authorizations", "authz"],
    summary: "the account's tokens, one by one, with scopes and notes",
    group: "Grants and tokens",
    load: async () => (await import("./authorization/index.ts")).authorizationVerbs,
  },
  {
    name: "token",
    aliases: ["tokens"],
    summary: "an application's own tokens: check, reset, revoke",
    group: "Grants and tokens",
    load: async () => (await import("./token/index.ts")).tokenVerbs,
  },
  {
    name: "audit",
    summary: "everything that has access, on one page, with findings",
    group: "Grants and tokens",
    load: async () => (await import("./audit/audit.ts")).completeAudit,
  },
  {
    name: "auth",
    summary: "credentials: log in, log out, and where each part comes from",
    group: "Credentials and settings",
    load: async () => (await import("./auth/index.ts")).authVerbs,
  },
  {
    name: "recover",
    summary: "token values and unknown outcomes that earlier runs left",
    group: "Grants and tokens",
    load: async () => (await import("./recover/index.ts")).recoverVerbs,
  },
  {
    name: "config",
    summary: "profiles: addresses, users and commands, under a name",
    group: "Credentials and settings",
    load: async () => (await import("./config/index.ts")).configVerbs,
  },
  {
    name: "api",
    summary: "send a request to any address of the service",
    group: "Anything else of the service",
    load: async () => (await import("./api/api.ts")).completeApi,
  },
  {
    name: "graphql",
    summary: "send a GraphQL query or mutation",
    group: "Anything else of the service",
    load: async () => (await import("./graphql/graphql.ts")).completeGraphql,
  },
  {
    name: "doctor",
    summary: "check configuration, keychain, TLS, proxy and clock",
    group: "Credentials and settings",
    load: async () => (await import("./doctor/doctor.ts")).completeDoctor,
  },
  {
    name: "sandbox",
    summary: "the whole service on this machine, to try things and to test scripts",
    load: async () => (await import("./sandbox/index.ts")).sandboxVerbs,
  },
  {
    name: "completion",
    summary: "print the script that completes commands in a shell",
    load: async () => (await import("./completion/completion.ts")).completeCompletion,
  },
  {
    name: "schema",
    summary: "print the JSON Schema of a command's JSON",
    load: async () => (await import("./schema/schema.ts")).completeSchema,
  },
  {
    name: "help",
    summary: "print the help of a command or a topic",
    load: async () => {
      const { completeHelp } = await import("./help/help.ts");
      return (help, _, commands) => {
        completeHelp(help, commands);
      };
    },
  },
];

/** Adds every noun and every command that is none; each is completed for these words when it is about to be parsed. */
export function addCommands(program: Command, words: readonly string[], dispatch: Dispatch): CommandTable {
  const completions = new Map<Command, (words: readonly string[]) => Promise<void>>();
  for (const { name, aliases, summary, group, load } of entries) {
    const command = program
      .command(name)
      .helpGroup(group ?? "More")
      .summary(summary)
      .description(summary)
      .aliases([...(aliases ?? [])]);
    completions.set(command, async (typed) => {
      completions.delete(command);
      const behind = await load();
      if (typeof behind === "function") behind(command, dispatch, table);
      else await addVerbs(command, behind, typed, dispatch);
    });
  }
  const table: CommandTable = {
    async find(path, typed = []) {
      let command = program;
      for (const word of path) {
        const found = childCommand(command, word);
        if (found === undefined) {
          await table.completeAll();
          throw (await import("../command-line/wrong-words/unknown-words.ts")).unknownCommandFailure(
            command,
            word,
          );
        }
        command = found;
        await completions.get(command)?.(typed);
      }
      return command;
    },
    async completeAll() {
      for (const complete of completions.values()) await complete([]);
    },
  };
  program.hook("preSubcommand", (_, command) => completions.get(command)?.(words));
  return table;
}
