// The table of nouns with their verbs, and of commands without a noun, in the order that help lists them. The code of a
// command is loaded when the command is typed, so that help and errors load only the parser. A new verb is one new file
// and one line here.
import type { CommandEntry } from "../command-line/command.ts";

const notOnDotCom =
  "GitHub Enterprise Server and other servers with the OAuth Authorizations API support these commands; github.com removed the API in 2020.";

export const commandEntries: readonly CommandEntry[] = [
  {
    name: "auth",
    summary: "Log in, log out and manage profiles",
    group: "Core commands",
    load: {
      login: async () => (await import("./auth/login.ts")).defineLogin,
      logout: async () => (await import("./auth/logout.ts")).defineLogout,
      status: async () => (await import("./auth/status.ts")).defineStatus,
      list: async () => (await import("./auth/list.ts")).defineList,
      switch: async () => (await import("./auth/switch.ts")).defineSwitch,
    },
  },
  {
    name: "grant",
    aliases: ["grants"],
    summary: "Manage applications that can access your account",
    description: `Manage applications that can access your account. ${notOnDotCom}`,
    group: "Core commands",
    load: {
      list: async () => (await import("./grant/list.ts")).defineList,
      view: async () => (await import("./grant/view.ts")).defineView,
      delete: async () => (await import("./grant/delete.ts")).defineDelete,
    },
  },
  {
    name: "authorization",
    aliases: ["authorizations", "authz"],
    summary: "Create, list, rotate and delete tokens of your account",
    description: `Create, list, rotate and delete tokens of your account. ${notOnDotCom}`,
    group: "Core commands",
    load: {
      list: async () => (await import("./authorization/list.ts")).defineList,
      view: async () => (await import("./authorization/view.ts")).defineView,
      create: async () => (await import("./authorization/create.ts")).defineCreate,
      "get-or-create": async () => (await import("./authorization/get-or-create.ts")).defineGetOrCreate,
      identify: async () => (await import("./authorization/identify.ts")).defineIdentify,
      update: async () => (await import("./authorization/update.ts")).defineUpdate,
      rotate: async () => (await import("./authorization/rotate.ts")).defineRotate,
      delete: async () => (await import("./authorization/delete.ts")).defineDelete,
      run: async () => (await import("./authorization/run.ts")).defineRun,
    },
  },
  {
    name: "token",
    aliases: ["tokens"],
    summary: "Check, reset and revoke tokens of an application that you own",
    group: "Core commands",
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
    summary: "Report who has access to the account, and flag risks",
    group: "Core commands",
    load: async () => (await import("./audit/audit.ts")).defineAudit,
  },
  {
    name: "recover",
    summary: "Recover tokens and results from interrupted runs",
    load: {
      list: async () => (await import("./recover/list.ts")).defineList,
      show: async () => (await import("./recover/show.ts")).defineShow,
      end: async () => (await import("./recover/end.ts")).defineEnd,
      forget: async () => (await import("./recover/forget.ts")).defineForget,
    },
  },
  {
    name: "config",
    summary: "Manage profiles and their settings",
    load: {
      get: async () => (await import("./config/verbs.ts")).defineGet,
      set: async () => (await import("./config/verbs.ts")).defineSet,
      unset: async () => (await import("./config/verbs.ts")).defineUnset,
      list: async () => (await import("./config/verbs.ts")).defineList,
    },
  },
  {
    name: "api",
    summary: "Make an authenticated API request",
    load: async () => (await import("./api/api.ts")).defineApi,
  },
  {
    name: "doctor",
    summary: "Diagnose problems with configuration, keychain, TLS, proxy and clock",
    load: async () => (await import("./doctor/doctor.ts")).defineDoctor,
  },
  {
    name: "sandbox",
    summary: "Run a simulated server to try commands and test your scripts",
    load: {
      start: async () => (await import("./sandbox/start.ts")).defineStart,
      run: async () => (await import("./sandbox/run.ts")).defineRun,
      code: async () => (await import("./sandbox/code.ts")).defineCode,
      tokens: async () => (await import("./sandbox/tokens.ts")).defineTokens,
    },
  },
  {
    name: "completion",
    summary: "Generate shell completion scripts",
    load: async () => (await import("./completion/completion.ts")).defineCompletion,
  },
  {
    name: "help",
    summary: "Show help for a command or a topic",
    load: async () => (await import("./help/help.ts")).defineHelp,
  },
];
