// One audit: grants and authorizations become items, items become rows with findings, and the rows go to the printer of
// every list, or to the page. Flags and files are checked before anything is read, everything is read before anything is
// written, and the exit code is decided last.
//
//   exit code   when
//   14          --fail-on, and one of its rules has a finding, or could not judge an item
//   6           --fail-on, and single sign-on has cut the lists
//   0           otherwise
import { access, constants, lstat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { getAuthorization, listAuthorizations } from "../api/authorizations.ts";
import { getGrant, listGrants } from "../api/grants.ts";
import { isTokenOf } from "../api/hashed-token.ts";
import type { Authorization, Id } from "../api/resources.ts";
import type { DocumentFormat, OutputFormat } from "../config/global-options.ts";
import { Failure, usageFailure } from "../errors/errors.ts";
import { inWords } from "../errors/system-codes.ts";
import { counted } from "../errors/words.ts";
import { readPlainFile, Unreadable } from "../system/bounded-reads.ts";
import { replaceFile } from "../system/replace-file.ts";
import type { ListOperation } from "../http/pages.ts";
import type { Service } from "../http/service.ts";
import { accountAbsence, settle, type AccountItems } from "../jobs/proof.ts";
import { isObject, parseJson } from "../json.ts";
import { watchWholeList } from "../lists/paging.ts";
import { createCommandCompleter } from "../output/complete-commands.ts";
import { printUnlessPipeClosed, type OutputStream } from "../output/output-stream.ts";
import { cellText } from "../output/presentation.ts";
import { createPrinter } from "../output/printer.ts";
import type { Context } from "../run/context.ts";
import {
  auditPresentation,
  authorizationItem,
  grantItem,
  judgeItems,
  keyOf,
  surroundingsOf,
  type AuditRow,
  type Judged,
  type Item,
  type Resource,
} from "./rows.ts";
import { defaultRules, type Rule } from "./rules.ts";

export interface AuditOptions {
  readonly outputFile?: string;
  readonly compare?: string;
  readonly failOn?: readonly Rule[];
  readonly force?: true;
}

type AuditFormat = OutputFormat | DocumentFormat;

/** Runs an audit. Writes the report first, then throws the failure that sets the exit code. */
export async function runAudit(options: AuditOptions, context: Context): Promise<void> {
  const format = formatOf(options, context);
  await checkFlags(options, context, format);
  const earlier = options.compare === undefined ? null : await readEarlier(options.compare);
  const { service, username } = await context.server.accountService();
  const items = await readItems(service, context);
  const isCut = context.server.connections.partialOrganizations() !== null;
  const now = context.host.now();
  const surroundings = surroundingsOf(items, now, earlier && scopesByKey(earlier));
  const rules = options.failOn ?? defaultRules(earlier !== null, items);
  const judged = judgeItems(items, rules, surroundings, createCommandCompleter(context.options));
  const gone = earlier === null || isCut ? [] : await findGone(earlier, items, service, context);
  const facts = {
    account: username,
    server: context.server.origin().href,
    time: new Date(now).toISOString(),
    isCut,
  };
  const all = [...judged, ...gone.map((row) => ({ row, severity: 0 }))];
  await write(all, { format, options, context, facts });
  if (options.failOn === undefined) return;
  // What is gone is shown, and is not what the rules look for.
  const found = countFound(judged);
  if (found > 0) throw new Failure("findings", `${counted(found, "item")} with findings`);
  if (isCut)
    throw new Failure("sso", "the audit is incomplete: organizations left out items", {
      hint: "Approve the credentials for the organizations named above, then run the audit again.",
    });
}

const countFound = (all: readonly Judged[]): number =>
  all.filter(({ row }) => row.findings.length > 0).length;

const formatOfEnding: Readonly<Record<string, AuditFormat>> = {
  html: "html",
  htm: "html",
  csv: "csv",
  tsv: "tsv",
  json: "json",
  ndjson: "ndjson",
};

/** --format, else the extension of the file, else the format of all commands. */
function formatOf({ outputFile }: AuditOptions, { options, printer }: Context): AuditFormat {
  if (options.format !== undefined) return options.format;
  if (outputFile === undefined || printer.isJson) return printer.format;
  const format = formatOfEnding[/\.(\w+)$/.exec(outputFile)?.[1]?.toLowerCase() ?? ""];
  if (format !== undefined) return format;
  throw usageFailure(
    `cannot tell the format of ${outputFile}`,
    `Add --format html, or use a name that ends in .${Object.keys(formatOfEnding).join(", .")}.`,
  );
}

/** Checks flags and paths before any request is sent. */
async function checkFlags(
  { compare, failOn, outputFile, force }: AuditOptions,
  { options, printer }: Context,
  format: AuditFormat,
): Promise<void> {
  printer.checkFields(auditPresentation);
  if (format === "html" && (options.json !== undefined || options.jq !== undefined))
    throw usageFailure("--format html has neither --json nor --jq");
  const rule = failOn?.find(({ name }) => name === "new" || name === "widened");
  if (rule !== undefined && compare === undefined)
    throw usageFailure(
      `the rule ${rule.name} needs an earlier audit`,
      "Add --compare audit.json, a file written by `grantctl audit --json`.",
    );
  if (outputFile === undefined) {
    if (force === true) throw usageFailure("--force requires --output-file");
    return;
  }
  if (outputFile === "-" || outputFile === "")
    throw usageFailure("--output-file names no file", "Omit it to write to standard output.");
  if (format === "table")
    throw usageFailure("a table is only for terminals, not for files", "Use --format html, csv or json.");
  if (options.jq !== undefined)
    throw usageFailure("--jq prints on standard output", "Run `grantctl audit --jq EXPRESSION > FILE`.");
  await checkTarget(outputFile, force === true);
}

/** Checks that the file may be written: a new one, or with --force any plain file. */
async function checkTarget(path: string, isForced: boolean): Promise<void> {
  const stat = await lstat(path).catch(() => null);
  if (stat !== null && !stat.isFile()) throw usageFailure(`--output-file ${path} is not a plain file`);
  try {
    await access(`${dirname(resolve(path))}/.`, constants.W_OK);
  } catch (error) {
    const { code = "unknown error" } = error as NodeJS.ErrnoException;
    throw usageFailure(`--output-file ${path} cannot be written (${inWords(code)})`);
  }
  if (stat !== null && !isForced)
    throw usageFailure(`${path} already exists`, "Choose another file, or add --force to replace it.");
}

/** Reads both lists; an item that a shifting list repeats counts once. A list that ends early fails the audit. */
async function readItems(service: Service, context: Context): Promise<readonly Item[]> {
  const { clientId } = context.settings;
  const isOwnToken = ownTokenTest(context);
  const items = new Map<string, Item>();
  const collect = async <Each>(list: ListOperation<Each>, toItem: (each: Each) => Item): Promise<void> => {
    for await (const page of list(service, watchWholeList(context)))
      for (const each of page) {
        const item = toItem(each);
        if (!items.has(item.key)) items.set(item.key, item);
      }
  };
  await collect(listGrants, (grant) =>
    grantItem(grant, clientId !== undefined && grant.app?.client_id === clientId.value),
  );
  await collect(listAuthorizations, (token) => authorizationItem(token, isOwnToken(token)));
  return [...items.values()];
}

/** True for the authorization of the token that `api` would send. The keychain is not read for it. */
function ownTokenTest({ settings: { token } }: Context): (authorization: Authorization) => boolean {
  if (token === undefined) return () => false;
  // Hashing the token once for each item would take long for many.
  return (authorization) =>
    (authorization.token_last_eight === null || token.value.endsWith(authorization.token_last_eight)) &&
    isTokenOf(authorization, token.value);
}

interface EarlierItem {
  readonly resource: Resource;
  readonly id: Id;
  readonly name: string;
  readonly scopes: readonly string[] | null;
}

/** The JSON of 100,000 items has about 40 MB. */
const mostBytes = 256 * 1024 * 1024;

/** Reads the JSON output of an earlier audit. Throws a usage failure for a file that is none. */
async function readEarlier(path: string): Promise<readonly EarlierItem[]> {
  const refuse = (reason: string): Failure =>
    usageFailure(`--compare ${path}: ${reason}`, "Use a file written by `grantctl audit --json`.");
  const bytes = await readPlainFile(path, mostBytes).catch((error: unknown) => {
    throw error instanceof Unreadable ? refuse(`it cannot be read (${error.message})`) : error;
  });
  const text = bytes.toString("utf8").trim();
  let rows: unknown;
  try {
    rows = text.startsWith("[") ? parseJson(text) : text.split("\n").map((line) => parseJson(line));
  } catch {
    throw refuse("it is not JSON");
  }
  const items = (rows as readonly unknown[]).filter((row) => !isOfGone(row));
  if (!items.every(isEarlierItem)) throw refuse("it is no audit with resource, id and scopes");
  return items;
}

function isEarlierItem(row: unknown): row is EarlierItem {
  if (!isObject(row)) return false;
  const { resource, id, scopes } = row;
  const isOfList = resource === "grant" || resource === "authorization";
  return isOfList && cellText(id) !== "" && (scopes === null || Array.isArray(scopes));
}

/** What was gone in the earlier audit is not reported again. */
function isOfGone(row: unknown): boolean {
  const findings = isObject(row) && Array.isArray(row["findings"]) ? (row["findings"] as unknown[]) : [];
  return findings.some((finding) => isObject(finding) && finding["rule"] === "gone");
}

function scopesByKey(earlier: readonly EarlierItem[]): ReadonlyMap<string, readonly string[] | null> {
  return new Map(earlier.map((item) => [keyOf(item), item.scopes]));
}

/** Rows of the earlier items that are not in the lists: each is read by its ID, and its absence is proven. */
async function findGone(
  earlier: readonly EarlierItem[],
  items: readonly Item[],
  service: Service,
  context: Context,
): Promise<readonly AuditRow[]> {
  const present = new Set(items.map(({ key }) => key));
  const missing = earlier.filter((item) => !present.has(keyOf(item)));
  if (missing.length > 0 && missing.length === earlier.length && items.length > 0) {
    context.notices.warn(
      "none of the items of --compare is in the lists: it may be the audit of another account",
    );
    return [];
  }
  const grants = { name: "grant", list: listGrants, read: getGrant };
  const authorizations = { name: "authorization", list: listAuthorizations, read: getAuthorization };
  return [
    ...(await settleMissing(missing, grants, service, context)),
    ...(await settleMissing(missing, authorizations, service, context)),
  ];
}

async function settleMissing<Each extends { readonly id: Id }>(
  missing: readonly EarlierItem[],
  kind: AccountItems<Each>,
  service: Service,
  context: Context,
): Promise<readonly AuditRow[]> {
  const own = new Map(
    missing.filter(({ resource }) => resource === kind.name).map((item) => [cellText(item.id), item]),
  );
  if (own.size === 0) return [];
  const absent = [...own.keys()].map((id) => ({
    item: id,
    failure: new Failure("not-found", "it is not in the list, and nothing proves that it is gone"),
  }));
  const { verdicts } = await settle(absent, accountAbsence(service, [...own.keys()], kind, context), {
    concurrency: context.options.concurrency,
    wait: context.progress.wait,
  });
  return [...own].flatMap(([id, item]) => {
    const verdict = verdicts.get(id);
    if (verdict === undefined || verdict.state === "failed") return [];
    const isGone = verdict.state === "gone";
    return [goneRow(item, isGone ? "not there any more" : `cannot be judged: ${verdict.failure.message}`)];
  });
}

function goneRow({ resource, id, name, scopes }: EarlierItem, measure: string): AuditRow {
  return {
    resource,
    id,
    name: typeof name === "string" ? name : "",
    client_id: null,
    note: null,
    scopes,
    access: "unknown",
    created_at: null,
    updated_at: null,
    expires_at: null,
    findings: [{ rule: "gone", measure }],
    command: null,
  };
}

interface Output {
  readonly format: AuditFormat;
  readonly options: AuditOptions;
  readonly context: Context;
  readonly facts: { account: string; server: string; time: string; isCut: boolean };
}

/** Writes the rows to the file, or to standard output. */
async function write(all: readonly Judged[], { format, options, context, facts }: Output): Promise<void> {
  const { outputFile } = options;
  const rows = all.map(({ row }) => row);
  if (format === "html") {
    const { auditPage } = await import("./page.ts");
    const pieces = auditPage(all, facts);
    if (outputFile !== undefined) await replaceFile(outputFile, pieces);
    else await printUnlessPipeClosed(() => writePieces(pieces, context.stdout));
  } else if (outputFile === undefined) {
    await printUnlessPipeClosed(() => printRows(context.printer, rows));
    if (context.host.stderr.isTerminal)
      context.notices.note(`${countFound(all)} of ${all.length} grants and authorizations have findings`);
  } else {
    const pieces: string[] = [];
    await printRows(filePrinter(pieces, format, context), rows);
    await replaceFile(outputFile, pieces);
  }
  if (outputFile !== undefined) context.notices.note(`wrote ${outputFile}`);
}

/** Rows per write: enough for speed, few enough for memory. */
const rowsAtOnce = 1000;

async function printRows(
  printer: Pick<Context["printer"], "openList">,
  rows: readonly AuditRow[],
): Promise<void> {
  const list = printer.openList(auditPresentation);
  for (let start = 0; start < rows.length; start += rowsAtOnce)
    await list.add(rows.slice(start, start + rowsAtOnce));
  await list.end();
}

/** A printer whose output is collected for a file. */
function filePrinter(pieces: string[], format: OutputFormat, { options, host }: Context) {
  const stdout: OutputStream = {
    isTerminal: false,
    columns: 80,
    write(text) {
      pieces.push(text.toString());
      return Promise.resolve();
    },
    settle: () => Promise.resolve(),
  };
  return createPrinter({
    stdout,
    format,
    isFormatRequested: true,
    fields: typeof options.json === "string" ? options.json : null,
    jq: null,
    hasColours: false,
    now: () => host.now(),
    whyLost: () => null,
  });
}

const pieceLength = 65_536;

async function writePieces(pieces: Iterable<string>, stdout: OutputStream): Promise<void> {
  let text = "";
  for (const piece of pieces) {
    text += piece;
    if (text.length < pieceLength) continue;
    await stdout.write(text);
    text = "";
  }
  await stdout.write(text);
}
