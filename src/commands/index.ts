// The table of nouns, and of commands without a noun. The code of a command is loaded when the command is typed, so
// that help and errors load only the parser. A new verb is one new file and one line in its noun's index.
import type { CommandEntry } from "../command-line/lazy-commands.ts";

export const commandEntries: readonly CommandEntry[] = [
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
    load: async () => (await import("./audit/audit.ts")).defineAudit,
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
    load: async () => (await import("./api/api.ts")).defineApi,
  },
  {
    name: "graphql",
    summary: "send a GraphQL query or mutation",
    group: "Anything else of the service",
    load: async () => (await import("./graphql/graphql.ts")).defineGraphql,
  },
  {
    name: "doctor",
    summary: "check configuration, keychain, TLS, proxy and clock",
    group: "Credentials and settings",
    load: async () => (await import("./doctor/doctor.ts")).defineDoctor,
  },
  {
    name: "sandbox",
    summary: "the whole service on this machine, to try things and to test scripts",
    load: async () => (await import("./sandbox/index.ts")).sandboxVerbs,
  },
  {
    name: "completion",
    summary: "print the script that completes commands in a shell",
    load: async () => (await import("./completion/completion.ts")).defineCompletion,
  },
  {
    name: "schema",
    summary: "print the JSON Schema of a command's JSON",
    load: async () => (await import("./schema/schema.ts")).defineSchema,
  },
  {
    name: "help",
    summary: "print the help of a command or a topic",
    load: async () => (await import("./help/help.ts")).defineHelp,
  },
];
