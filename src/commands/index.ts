// Every noun, and every command that is none. What stands behind a word is loaded when that word is used, so that help
// and errors cost the parser alone; a new verb is one new file and one line in its noun's index.
import type { Command } from "commander";
import { usageFailure } from "../errors/errors.ts";
import type { Dispatch } from "./dispatch.ts";

/** Gives a command what the table leaves out: its verbs, or its flags, arguments and action. */
type Complete = (command: Command, dispatch: Dispatch, commands: CommandTable) => void;

interface Entry {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly summary: string;
  readonly load: () => Promise<Complete>;
}

const entries: readonly Entry[] = [
  {
    name: "grant",
    aliases: ["grants"],
    summary: "the applications that have access to the account",
    load: async () => (await import("./grant/index.ts")).addGrantVerbs,
  },
  {
    name: "authorization",
    aliases: ["authorizations", "authz"],
    summary: "the account's tokens, one by one, with scopes and notes",
    load: async () => (await import("./authorization/index.ts")).addAuthorizationVerbs,
  },
  {
    name: "token",
    aliases: ["tokens"],
    summary: "an application's own tokens: check, reset, revoke",
    load: async () => (await import("./token/index.ts")).addTokenVerbs,
  },
  {
    name: "auth",
    summary: "credentials: log in, log out, and where each part comes from",
    load: async () => (await import("./auth/index.ts")).addAuthVerbs,
  },
  {
    name: "recover",
    summary: "token values and unknown outcomes that earlier runs left",
    load: async () => (await import("./recover/index.ts")).addRecoverVerbs,
  },
  {
    name: "config",
    summary: "profiles: addresses, users and commands, under a name",
    load: async () => (await import("./config/index.ts")).addConfigVerbs,
  },
  {
    name: "sandbox",
    summary: "the whole service on this machine, to try things and to test scripts",
    load: async () => (await import("./sandbox/index.ts")).addSandboxVerbs,
  },
  {
    name: "api",
    summary: "send a request to any address of the service",
    load: async () => (await import("./api/api.ts")).completeApi,
  },
  {
    name: "graphql",
    summary: "send a GraphQL query or mutation",
    load: async () => (await import("./graphql/graphql.ts")).completeGraphql,
  },
  {
    name: "doctor",
    summary: "check configuration, keychain, TLS, proxy and clock",
    load: async () => (await import("./doctor/doctor.ts")).completeDoctor,
  },
  {
    name: "completion",
    summary: "print the script that completes commands in a shell",
    load: async () => (await import("./completion/completion.ts")).completeCompletion,
  },
  {
    name: "help",
    summary: "print the help of a command",
    load: async () => {
      const { completeHelp } = await import("./help/help.ts");
      return (help, _, commands) => {
        completeHelp(help, commands);
      };
    },
  },
];

/** The commands of a program, which are names and summaries until they are completed. */
export interface CommandTable {
  /** The command of these words, aliases included, completed; the program for none. Throws a usage failure. */
  find(words: readonly string[]): Promise<Command>;
  /** Completes every command. */
  completeAll(): Promise<void>;
}

/** Adds every noun and every command that is none; each is completed when it is about to be parsed. */
export function addCommands(program: Command, dispatch: Dispatch): CommandTable {
  const completions = new Map<Command, () => Promise<void>>();
  for (const { name, aliases, summary, load } of entries) {
    const command = program
      .command(name)
      .summary(summary)
      .description(summary)
      .aliases([...(aliases ?? [])]);
    completions.set(command, async () => {
      completions.delete(command);
      (await load())(command, dispatch, table);
    });
  }
  const table: CommandTable = {
    async find(words) {
      let command = program;
      for (const word of words) {
        command = findIn(command, word);
        await completions.get(command)?.();
      }
      return command;
    },
    async completeAll() {
      for (const complete of completions.values()) await complete();
    },
  };
  program.hook("preSubcommand", (_, command) => completions.get(command)?.());
  return table;
}

/** Throws a usage failure for a word that is no command. */
function findIn(parent: Command, word: string): Command {
  const found = parent.commands.find(
    (command) => command.name() === word || command.aliases().includes(word),
  );
  if (found !== undefined) return found;
  throw usageFailure(
    "there is no such command",
    `the commands are ${parent.commands.map((command) => command.name()).join(", ")}`,
  );
}
