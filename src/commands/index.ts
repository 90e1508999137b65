// The table of nouns with their verbs, and of commands without a noun, in the order that help lists them. The code of a
// command is loaded when the command is typed, so that help and errors load only the parser. A new verb is one new file
// and one line here.
import type { CommandEntry } from "../command-line/command.ts";

export const commandEntries: readonly CommandEntry[] = [
  {
    name: "grant",
    aliases: ["grants"],
    summary: "the applications that have access to the account",
    group: "Grants and tokens",
    load: {
      list: async () => (await import("./grant/list.ts")).defineList,
      view: async () => (await import("./grant/view.ts")).defineView,
      delete: async () => (await import("./grant/delete.ts")).defineDelete,
    },
  },
  {
    name: "authorization",
    aliases: ["authorizations", "authz"],
    summary: "the account's tokens, one by one, with scopes and notes",
    group: "Grants and tokens",
    load: {
      list: async () => (await import("./authorization/list.ts")).defineList,
      view: async () => (await import("./authorization/view.ts")).defineView,
      create: async () => (await import("./authorization/create.ts")).defineCreate,
      "get-or-create": async () => (await import("./authorization/get-or-create.ts")).defineGetOrCreate,
      identify: async () => (await import("./authorization/identify.ts")).defineIdentify,
      update: async () => (await import("./authorization/update.ts")).defineUpdate,
      rotate: async () => (await import("./authorization/rotate.ts")).defineRotate,
      delete: async () => (await import("./authorization/delete.ts")).defineDelete,
    },
  },
  {
    name: "token",
    aliases: ["tokens"],
    summary: "an application's own tokens: check, reset, revoke",
    group: "Grants and tokens",
    load: {
      check: async () => (await import("./token/check.ts")).defineCheck,
      inspect: async () => (await import("./token/inspect.ts")).defineInspect,
      reset: async () => (await import("./token/reset.ts")).defineReset,
      revoke: async () => (await import("./token/revoke.ts")).defineRevoke,
      "revoke-grant": async () => (await import("./token/revoke-grant.ts")).defineRevokeGrant,
      report: async () => (await import("./token/report.ts")).defineReport,
    },
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
    load: {
      login: async () => (await import("./auth/login.ts")).defineLogin,
      logout: async () => (await import("./auth/logout.ts")).defineLogout,
      status: async () => (await import("./auth/status.ts")).defineStatus,
    },
  },
  {
    name: "recover",
    summary: "token values and unknown outcomes that earlier runs left",
    group: "Grants and tokens",
    load: {
      list: async () => (await import("./recover/list.ts")).defineList,
      show: async () => (await import("./recover/show.ts")).defineShow,
      forget: async () => (await import("./recover/forget.ts")).defineForget,
    },
  },
  {
    name: "config",
    summary: "profiles: addresses, users and commands, under a name",
    group: "Credentials and settings",
    load: {
      get: async () => (await import("./config/get.ts")).defineGet,
      set: async () => (await import("./config/set.ts")).defineSet,
      unset: async () => (await import("./config/unset.ts")).defineUnset,
      list: async () => (await import("./config/list.ts")).defineList,
      path: async () => (await import("./config/path.ts")).definePath,
    },
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
    load: {
      start: async () => (await import("./sandbox/start.ts")).defineStart,
      run: async () => (await import("./sandbox/run.ts")).defineRun,
      codes: async () => (await import("./sandbox/codes.ts")).defineCodes,
      notices: async () => (await import("./sandbox/notices.ts")).defineNotices,
    },
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
