// `grantctl doctor`: checks everything that a run depends on, in the order in which a run depends on it, with a hint for each
// problem. Those at the server are tried only if it responds. No check prompts. A missing setting is a note.
import { dirname } from "node:path";
import { fetchVersion } from "../../api/inspection.ts";
import { addExamples, printsFields, type Context, type Define } from "../../command-line/command.ts";
import type { SecretKind } from "../../config/stored-secrets.ts";
import { trustOf } from "../../config/folders.ts";
import { codePeriodMs } from "../../credentials/one-time-passwords.ts";
import { hintToVerify } from "../../credentials/secrets.ts";
import { exitCodeOf, Failure, isFailure, QuietExit, riskierKind, usageFailure } from "../../errors/errors.ts";
import type { FailureKind } from "../../errors/errors.ts";
import { counted } from "../../errors/words.ts";
import type { OneTimePasswords } from "../../http/otp-layer.ts";
import { responseTo } from "../../http/service.ts";
import { addProofOptions, readProofTokens, type ProofOptions } from "../../jobs/application.ts";
import type { Labelled } from "../../output/formats.ts";
import { createCommandCompleter } from "../../output/notices.ts";
import { printUnlessPipeClosed } from "../../output/output-stream.ts";
import { column, type Presentation } from "../../output/presentation.ts";
import { isWithoutAccounts, serverName } from "../../server-types.ts";
import { checkPrivateFolder } from "../../system/trusted.ts";
import {
  checkIsApi,
  findEndpoints,
  listOfGrants,
  verifyApplication,
  verifyPassword,
} from "../auth/verify.ts";

export const define: Define = (command, act) => {
  addProofOptions(command)
    .description(
      "Check the configuration and its permissions, the keychain, the server, its certificate, the clock, the server type, the account and, with --proof-token-file, the application, and suggest how to fix problems. Never prompts, and changes nothing: a test entry in the keychain is deleted again.",
    )
    .action(act(run, { configuration: "tolerated" }));
  printsFields(command, doctorPresentation.fields);
  addExamples(command, ["grantctl doctor", "grantctl --profile work doctor --json"]);
};

interface CheckRow {
  readonly check: string;
  /** A note is worth knowing; wrong is what does not work, or is not safe. */
  readonly status: "fine" | "note" | "wrong";
  readonly detail: string;
  readonly fix: string | null;
  /** The failure kind of a run with this problem. */
  readonly kind?: FailureKind;
}

/** The detail of a check that passed, or a note. A check that fails throws the failure of a run. */
type Result = string | { readonly note: string; readonly fix?: string | undefined };
type Check = () => Result | Promise<Result>;

const doctorPresentation: Presentation<CheckRow> = {
  fields: "check status detail fix".split(" "),
  columns: (["check", "status", "detail", "fix"] as const).map((name) => column(name.toUpperCase(), name)),
};

async function run(context: Context, options: ProofOptions): Promise<void> {
  const { printer } = context;
  const [token = null] = await readProofTokens(options, context);
  const rows = await checkEverything(context, token);
  const complete = createCommandCompleter(context.options);
  const { redact } = context.redactor;
  // A server may quote the request in its message.
  const shown = rows.map(({ kind: _kind, detail, fix, ...row }) => {
    return { ...row, detail: redact(detail), fix: fix && redact(complete(fix)) };
  });
  await printUnlessPipeClosed(async () => {
    if (printer.format !== "table") return printer.printList(shown, doctorPresentation);
    await printer.printLabelled(shown.map(lineOf));
    const problems = rows.filter(({ status }) => status === "wrong").length;
    await context.stdout.write(`${problems === 0 ? "no problems" : counted(problems, "problem")} found\n`);
  });
  const [first, ...others] = rows.flatMap(({ kind }) => kind ?? []);
  if (first !== undefined) throw new QuietExit(exitCodeOf(others.reduce(riskierKind, first)));
}

/** A row for a person: a line for its message, and one for its hint. */
function lineOf({ check, status, detail, fix }: CheckRow): Labelled {
  return {
    label: `${status.padEnd(5)}  ${check}`,
    lines: fix === null ? [detail] : [detail, fix],
    colour: ({ fine: "green", note: "yellow", wrong: "red" } as const)[status],
  };
}

const networkFix = "Check the URL, and that no firewall or proxy blocks it.";

async function rowOf(check: string, work: Check): Promise<CheckRow> {
  try {
    const result = await work();
    if (typeof result === "string") return { check, status: "fine", detail: result, fix: null };
    return { check, status: "note", detail: result.note, fix: result.fix ?? null };
  } catch (error) {
    if (!isFailure(error)) throw error;
    const { kind, message, details } = error;
    const fix = details.hint ?? (kind === "network" ? networkFix : null);
    return { check, status: "wrong", detail: message, fix, kind };
  }
}

/** `proofToken` is an active token of the application, or null. */
async function checkEverything(context: Context, proofToken: string | null): Promise<readonly CheckRow[]> {
  const { server, serverType, settings } = context;
  const rows: CheckRow[] = [];
  /** True if nothing is wrong. */
  const check = async (name: string, work: Check): Promise<boolean> => {
    rows.push(await rowOf(name, work));
    return rows.at(-1)?.status !== "wrong";
  };
  await check("configuration", () => checkConfiguration(context));
  await check("keychain", () => checkKeychain(context));
  if (settings.baseUrl === undefined) {
    const fix = "Run `grantctl auth login`, or set --base-url or GRANTCTL_BASE_URL.";
    await check("server", () => ({ note: "no base URL is configured", fix }));
    return rows;
  }
  let date = "";
  const connect = async (): Promise<string> => {
    // Any response of an OAuth 2.0 server shows the connection and the clock; its metadata is read later, once.
    const call = serverType.isOauth ? { ...listOfGrants, template: "/", subject: "any page" } : listOfGrants;
    const response = await responseTo(await server.tokenService(null), call);
    date = response.headers?.["date"] ?? "";
    const { href } = server.origin();
    if (!serverType.isOauth) checkIsApi(href, response);
    return href;
  };
  if (!(await check("server", connect))) return rows;
  await check("clock", () => checkClock(context.host.now() - Date.parse(date)));
  const isKnown = await check("server type", () =>
    serverType.isOauth ? checkMetadata(context) : checkServerType(context),
  );
  if (serverType.isOauth && !isKnown) return rows;
  // To a server without accounts, no password is sent.
  if (!serverType.isOauth && !isWithoutAccounts(serverType, server.origin()))
    await check("account", () => checkAccount(context));
  await check("application", () => checkClientSecret(proofToken, context));
  return rows;
}

/** The file, and the folders that a run writes to. */
async function checkConfiguration(context: Context): Promise<Result> {
  const { configured, host } = context;
  if (configured.failure !== null) throw configured.failure;
  const { path } = configured.configuration;
  const state = context.stateFolder();
  for (const folder of [dirname(path), state]) await checkPrivateFolder(folder, trustOf(host));
  const { exists, name } = configured.profile;
  const files = `in ${path}; records are in ${state}`;
  return exists
    ? `profile ${name} ${files}`
    : { note: `no profile ${name} ${files}`, fix: "Run `grantctl auth login` to create it." };
}

async function checkKeychain({ configured, server }: Context): Promise<Result> {
  try {
    await (await server.logins.openStore("keychain")).check();
    return "an entry was stored, read and deleted";
  } catch (error) {
    const stores = configured.configuration.storedSecrets.map(({ store }) => store);
    if (stores.includes("keychain") || !isFailure(error)) throw error;
    const note = `${error.message}; nothing is stored there`;
    return stores.length === 0 ? { note, fix: error.details.hint } : { note };
  }
}

/** How far this clock is ahead of the server's; NaN if the server does not send its time. */
function checkClock(skewMs: number): Result {
  if (Number.isNaN(skewMs)) return { note: "the server does not send its time" };
  if (Math.abs(skewMs) < codePeriodMs) return "within half a minute of the server's";
  const seconds = Math.round(Math.abs(skewMs) / 1000);
  throw new Failure("otp", `this clock is ${seconds} s ${skewMs < 0 ? "behind" : "ahead of"} the server's`, {
    hint: "Synchronize the clock of this machine: one-time passwords depend on it.",
  });
}

async function checkServerType({ server, serverType: { name, isGithub } }: Context): Promise<Result> {
  const version = await fetchVersion(await server.tokenService(null));
  if (version === undefined)
    return isGithub ? { note: `${name}, but the server does not identify itself as GitHub` } : name;
  if (isGithub) return `${name}: ${serverName(version)}`;
  throw usageFailure(
    `${name}, but the server is ${serverName(version)}`,
    "Run `grantctl config set server_type github`.",
  );
}

async function checkMetadata(context: Context): Promise<Result> {
  const endpoints = await findEndpoints(context.server, context);
  if (endpoints instanceof Failure) return { note: endpoints.message, fix: endpoints.details.hint };
  const named = Object.entries(endpoints).map(([name, url]) => `${name} ${url ?? "none"}`);
  return `${context.serverType.name}, with these endpoints: ${named.join(", ")}`;
}

/** True if the secret is there without a prompt. */
function isAtHand(kind: SecretKind, name: string | undefined, { server }: Context): boolean {
  return name !== undefined && server.logins.find(kind, name).source !== "prompt";
}

async function checkAccount(context: Context): Promise<Result> {
  const { server, settings } = context;
  const username = settings.username?.value;
  if (!isAtHand("password", username, context))
    return { note: "no user name and password to try", fix: "Run `grantctl auth login`." };
  // No code is spent: that the server asks for one shows that the password is right.
  const noCodes: OneTimePasswords = {
    current: () => null,
    next: () => Promise.reject(new Failure("otp", "a one-time password is required")),
    accept: () => undefined,
  };
  try {
    await verifyPassword(await server.accountServiceOf(await server.logins.credentials("password"), noCodes));
  } catch (error) {
    if (!isFailure(error, "otp")) throw error;
  }
  return `the server accepts the password of ${username}`;
}

async function checkClientSecret(proofToken: string | null, context: Context): Promise<Result> {
  const clientId = context.settings.clientId?.value;
  if (!isAtHand("client-secret", clientId, context))
    return { note: "no client ID and secret to try", fix: "Run `grantctl auth login --app`." };
  const application = await context.server.applicationService();
  const { means, refusal } = await verifyApplication(application, proofToken);
  if (means !== null && refusal === null) return `the server accepts the credentials of ${clientId}`;
  const unverified = `the client secret of ${clientId} is not verified`;
  if (refusal !== null)
    return {
      note: means === null ? `${unverified}: ${refusal.message}` : refusal.message,
      fix: refusal.details.hint,
    };
  const { stored } = context.server.logins.find("client-secret", clientId ?? "");
  return stored?.verified
    ? `the client secret of ${clientId} was verified ${stored.verified}`
    : { note: unverified, fix: hintToVerify(context.serverType) };
}
