// The table of nouns with their verbs, and of commands without a noun, in the order that help lists them. A new verb is one
// new file and one entry here.
import type { CommandEntry, Verbs } from "../command-line/command.ts";

const notOnDotCom =
  "GitHub Enterprise Server and other servers with the OAuth Authorizations API support these commands; github.com removed the API in 2020.";

const core = "Core commands";
const additional = "Additional commands";

const auth: Verbs = {
  login: ["Verify credentials and store them", async () => (await import("./auth/login.ts")).defineLogin],
  logout: ["Delete stored credentials", async () => (await import("./auth/logout.ts")).defineLogout],
  status: [
    "Show which credentials are in use and where they come from",
    async () => (await import("./auth/status.ts")).defineStatus,
  ],
  list: ["List profiles", async () => (await import("./auth/profiles.ts")).defineList],
  switch: ["Change the default profile", async () => (await import("./auth/profiles.ts")).defineSwitch],
};

const grant: Verbs = {
  list: ["List grants", async () => (await import("./grant/list.ts")).defineList],
  view: ["Show a grant", async () => (await import("./grant/view.ts")).defineView],
  delete: [
    "Delete grants and the tokens issued under them",
    async () => (await import("./grant/delete.ts")).defineDelete,
  ],
};

const authorization: Verbs = {
  list: ["List authorizations", async () => (await import("./authorization/list.ts")).defineList],
  view: ["Show an authorization", async () => (await import("./authorization/view.ts")).defineView],
  create: ["Create a token", async () => (await import("./authorization/create.ts")).defineCreate],
  "get-or-create": [
    "Create a token for an application unless one already exists",
    async () => (await import("./authorization/get-or-create.ts")).defineGetOrCreate,
  ],
  identify: [
    "Find the authorizations that tokens belong to, without sending the tokens",
    async () => (await import("./authorization/identify.ts")).defineIdentify,
  ],
  update: [
    "Change scopes, note, note URL or fingerprint",
    async () => (await import("./authorization/update.ts")).defineUpdate,
  ],
  rotate: [
    "Create and verify replacement tokens, then delete the old ones",
    async () => (await import("./authorization/rotate.ts")).defineRotate,
  ],
  delete: [
    "Delete authorizations and their tokens",
    async () => (await import("./authorization/delete.ts")).defineDelete,
  ],
  run: [
    "Run a command with a temporary token",
    async () => (await import("./authorization/run.ts")).defineRun,
  ],
};

const token: Verbs = {
  check: [
    "Check whether an application's tokens are active",
    async () => (await import("./token/check.ts")).defineCheck,
  ],
  inspect: [
    "Show a token's status, owner, scopes and expiration",
    async () => (await import("./token/inspect.ts")).defineInspect,
  ],
  reset: [
    "Replace the values of an application's tokens",
    async () => (await import("./token/reset.ts")).defineReset,
  ],
  revoke: ["Revoke an application's tokens", async () => (await import("./token/revoke.ts")).defineRevoke],
  "revoke-grant": [
    "Revoke the grants behind an application's tokens",
    async () => (await import("./token/revoke-grant.ts")).defineRevokeGrant,
  ],
  report: [
    "Report leaked tokens to GitHub, regardless of who owns them",
    async () => (await import("./token/report.ts")).defineReport,
  ],
};

const recover: Verbs = {
  list: [
    "List what interrupted runs left behind",
    async () => (await import("./recover/list.ts")).defineList,
  ],
  show: [
    "Show a saved token value, or what is known about an interrupted run",
    async () => (await import("./recover/show.ts")).defineShow,
  ],
  end: ["Delete tokens that interrupted runs left", async () => (await import("./recover/end.ts")).defineEnd],
  forget: [
    "Discard data kept by an earlier run",
    async () => (await import("./recover/forget.ts")).defineForget,
  ],
};

const config: Verbs = {
  get: ["Print a setting", async () => (await import("./config/verbs.ts")).defineGet],
  set: ["Change a setting", async () => (await import("./config/verbs.ts")).defineSet],
  unset: ["Remove a setting", async () => (await import("./config/verbs.ts")).defineUnset],
  list: ["List settings", async () => (await import("./config/verbs.ts")).defineList],
};

const sandbox: Verbs = {
  start: ["Start the sandbox", async () => (await import("./sandbox/start.ts")).defineStart],
  run: ["Run a command with its own sandbox", async () => (await import("./sandbox/run.ts")).defineRun],
  code: [
    "Print a one-time password of a running sandbox",
    async () => (await import("./sandbox/control.ts")).defineCode,
  ],
  tokens: [
    "Make active tokens in a running sandbox",
    async () => (await import("./sandbox/control.ts")).defineTokens,
  ],
};

export const commandEntries: readonly CommandEntry[] = [
  { name: "auth", summary: "Log in, log out and manage profiles", group: core, verbs: auth },
  {
    name: "grant",
    aliases: ["grants"],
    summary: "Manage applications that can access your account",
    description: `Manage applications that can access your account. ${notOnDotCom}`,
    group: core,
    verbs: grant,
  },
  {
    name: "authorization",
    aliases: ["authz", "authorizations"],
    summary: "Create, list, rotate and delete tokens of your account",
    description: `Create, list, rotate and delete tokens of your account. ${notOnDotCom}`,
    group: core,
    verbs: authorization,
  },
  {
    name: "token",
    aliases: ["tokens"],
    summary: "Check, reset and revoke tokens of an application that you own",
    group: core,
    verbs: token,
  },
  {
    name: "audit",
    summary: "Report who has access to the account, and flag risks",
    group: core,
    load: async () => (await import("./audit/audit.ts")).defineAudit,
  },
  {
    name: "recover",
    summary: "Recover tokens and results from interrupted runs",
    group: additional,
    verbs: recover,
  },
  { name: "config", summary: "Manage profiles and their settings", group: additional, verbs: config },
  {
    name: "api",
    summary: "Make an authenticated API request",
    group: additional,
    load: async () => (await import("./api/api.ts")).defineApi,
  },
  {
    name: "doctor",
    summary: "Diagnose problems with configuration, keychain, TLS, proxy and clock",
    group: additional,
    load: async () => (await import("./doctor/doctor.ts")).defineDoctor,
  },
  {
    name: "sandbox",
    summary: "Run a simulated server to try commands and test your scripts",
    group: additional,
    verbs: sandbox,
  },
  {
    name: "completion",
    summary: "Generate shell completion scripts",
    group: additional,
    load: async () => (await import("./completion/completion.ts")).defineCompletion,
  },
  {
    name: "help",
    summary: "Show help for a command or a topic",
    group: additional,
    load: async () => (await import("../command-line/topics.ts")).defineHelp,
  },
];
