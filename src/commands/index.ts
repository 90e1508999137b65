// The table of nouns with their verbs, and of commands without a noun, in the order that help lists them. A new verb is one
// new file and one entry here.
import type { CommandGroups, Verbs } from "../command-line/command.ts";

const notOnDotCom =
  "GitHub Enterprise Server and other servers with the OAuth Authorizations API support these commands; github.com removed the API in 2020.";

const auth: Verbs = {
  login: ["Verify credentials and store them", () => import("./auth/login.ts")],
  logout: ["Delete stored credentials", () => import("./auth/logout.ts")],
  status: ["Show which credentials are in use and where they come from", () => import("./auth/status.ts")],
  list: ["List profiles", () => import("./auth/list.ts")],
  switch: ["Change the default profile", () => import("./auth/switch.ts")],
};

const grant: Verbs = {
  list: ["List grants", () => import("./grant/list.ts")],
  view: ["Show a grant", () => import("./grant/view.ts")],
  delete: ["Delete grants and the tokens issued under them", () => import("./grant/delete.ts")],
};

const authorization: Verbs = {
  list: ["List authorizations", () => import("./authorization/list.ts")],
  view: ["Show an authorization", () => import("./authorization/view.ts")],
  create: ["Create a token", () => import("./authorization/create.ts")],
  "get-or-create": ["Create a token unless it exists", () => import("./authorization/get-or-create.ts")],
  identify: ["Find the authorizations that tokens belong to", () => import("./authorization/identify.ts")],
  update: ["Change scopes, note, note URL or fingerprint", () => import("./authorization/update.ts")],
  rotate: ["Replace tokens by new ones that work", () => import("./authorization/rotate.ts")],
  delete: ["Delete authorizations and their tokens", () => import("./authorization/delete.ts")],
  run: ["Run a command with a temporary token", () => import("./authorization/run.ts")],
};

const token: Verbs = {
  check: ["Check whether an application's tokens are active", () => import("./token/check.ts")],
  inspect: ["Show a token's status, owner, scopes and expiration", () => import("./token/inspect.ts")],
  reset: ["Replace the values of an application's tokens", () => import("./token/reset.ts")],
  revoke: ["Revoke an application's tokens", () => import("./token/revoke.ts")],
  "revoke-grant": ["Revoke the grants behind tokens", () => import("./token/revoke-grant.ts")],
  report: ["Report leaked tokens to GitHub, regardless of who owns them", () => import("./token/report.ts")],
};

const recover: Verbs = {
  list: ["List what interrupted runs left behind", () => import("./recover/list.ts")],
  show: ["Show a saved token value, or what is known about a run", () => import("./recover/show.ts")],
  end: ["Delete tokens that interrupted runs left", () => import("./recover/end.ts")],
  forget: ["Discard data kept by an earlier run", () => import("./recover/forget.ts")],
};

const config: Verbs = {
  get: ["Print a setting", () => import("./config/get.ts")],
  set: ["Change a setting", () => import("./config/set.ts")],
  unset: ["Remove a setting", () => import("./config/unset.ts")],
  list: ["List settings", () => import("./config/list.ts")],
};

const sandbox: Verbs = {
  start: ["Start the sandbox", () => import("./sandbox/start.ts")],
  run: ["Run a command with its own sandbox", () => import("./sandbox/run.ts")],
  code: ["Print a one-time password of a running sandbox", () => import("./sandbox/code.ts")],
  tokens: ["Make active tokens in a running sandbox", () => import("./sandbox/tokens.ts")],
};

export const commandGroups: CommandGroups = {
  "Core commands": [
    { name: "auth", summary: "Log in, log out and manage profiles", verbs: auth },
    {
      name: "grant",
      aliases: ["grants"],
      summary: "Manage applications that can access your account",
      note: notOnDotCom,
      verbs: grant,
    },
    {
      name: "authorization",
      aliases: ["authz", "authorizations"],
      summary: "Create, list, rotate and delete tokens of your account",
      note: notOnDotCom,
      verbs: authorization,
    },
    {
      name: "token",
      aliases: ["tokens"],
      summary: "Check, reset and revoke tokens of an application that you own",
      verbs: token,
    },
    { name: "audit", summary: "Report who has access and its risks", load: () => import("./audit/audit.ts") },
  ],
  "Additional commands": [
    { name: "recover", summary: "Recover tokens and results from interrupted runs", verbs: recover },
    { name: "config", summary: "Manage profiles and their settings", verbs: config },
    { name: "api", summary: "Make an authenticated API request", load: () => import("./api/api.ts") },
    { name: "doctor", summary: "Diagnose problems", load: () => import("./doctor/doctor.ts") },
    { name: "sandbox", summary: "Run a simulated server to try and test with", verbs: sandbox },
    { name: "completion", summary: "Generate completion", load: () => import("./completion/completion.ts") },
    { name: "help", summary: "Show help for a command", load: () => import("../command-line/topics.ts") },
  ],
};
