// One audit, from its flags to its files: flags and outputs are checked before anything is read, everything is read
// before anything is written, and the exit code is decided last.
//
//   exit code   when
//   14          --fail-on, and a named rule has a finding or could not judge an item
//   6           the lists are partial (single sign-on), and --fail-on or --save without --force relies on them
//   0           otherwise
import { existsSync } from "node:fs";
import { realpath } from "node:fs/promises";
import { resolve } from "node:path";
import { isTokenOf } from "../api/hashed-token.ts";
import type { DocumentFormat, OutputFormat } from "../config/global-options.ts";
import { foldCase } from "../drawing/fold-text.ts";
import { sanitise, sanitiseJson } from "../drawing/sanitise.ts";
import { Failure, usageFailure } from "../errors/errors.ts";
import { readInputFile, readPlainFile } from "../files/bounded-reads.ts";
import { decodeText } from "../files/decode-text.ts";
import { isInheritedDescriptor } from "../files/special-paths.ts";
import { inLargePieces } from "../files/writes.ts";
import { replaceFile } from "../files/replace-file.ts";
import { withLock } from "../files/lock.ts";
import { createCommandCompleter } from "../printing/complete-commands.ts";
import { parseFields } from "../printing/fields.ts";
import { printUnlessPipeClosed } from "../printing/output-stream.ts";
import type { Context } from "../run/context.ts";
import { compareWithSnapshot } from "./changes.ts";
import { createFixingCommands, findAll } from "./findings.ts";
import {
  readAccess,
  type AuditItem,
  type KeepPage,
  type Lists,
  type Resource,
  type Sources,
} from "./items.ts";
import type { Report } from "./report.ts";
import {
  checkResources,
  checkSupplies,
  createRules,
  defaultRules,
  type IsKnown,
  type WantedRule,
} from "./rules.ts";
import { auditFields } from "./schema.ts";
import {
  checkOwner,
  checkTarget,
  readSnapshotFile,
  snapshotLists,
  snapshotText,
  type Snapshot,
} from "./snapshot.ts";

export interface AuditOptions {
  readonly outputFile?: string;
  readonly save?: string;
  readonly compare?: string;
  /** Deprecated alias of `compare`. */
  readonly since?: string;
  readonly failOn?: readonly WantedRule[];
  readonly known?: string;
  readonly githubOrg?: string;
  readonly force?: true;
}

type AuditFormat = OutputFormat | DocumentFormat;

/** Runs an audit. Writes the report first, then throws the failure that sets the exit code. */
export async function runAudit(typed: AuditOptions, context: Context): Promise<void> {
  const { since, ...rest } = typed;
  if (since !== undefined && rest.compare !== undefined)
    throw usageFailure("--compare and --since are the same flag", "Use --compare alone.");
  const options: AuditOptions = since === undefined ? rest : { ...rest, compare: since };
  const format = formatOf(options, context);
  await checkOutputs(options, context, format);
  const document = await openDocument(format, context);
  const report = await makeReport(options, context, document?.keep);
  await writeReport(report, document, options, context, format);
  const isSaved = await saveSnapshot(report, options, context);
  const { failOn } = options;
  if (failOn !== undefined) await failOnFindings(report);
  if (report.missing !== null && (failOn !== undefined || !isSaved)) {
    throw new Failure(
      "sso",
      isSaved
        ? "the audit is incomplete: organizations left out items"
        : "no snapshot was saved: the audit is incomplete",
      { hint: isSaved ? approve : `${approve} --force saves the incomplete snapshot.` },
    );
  }
}

const approve = "Approve the credentials for the organizations named above, then run the audit again.";

/**
 * The format of the document: --format, else the file's extension, else the default of all commands. Throws a usage
 * failure for a file with an unknown extension.
 */
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

const formatOfEnding: Readonly<Record<string, AuditFormat>> = {
  html: "html",
  htm: "html",
  md: "md",
  markdown: "md",
  csv: "csv",
  tsv: "tsv",
  json: "json",
  ndjson: "ndjson",
};

/** Checks the output flags and paths, before any request is sent. */
async function checkOutputs(options: AuditOptions, context: Context, format: AuditFormat): Promise<void> {
  const { json, jq } = context.options;
  if (typeof json === "string") {
    if (!isJson(format)) throw usageFailure(`--json selects fields; --format ${format} has none`);
    parseFields(json, auditFields);
  }
  const { outputFile, save, compare } = options;
  for (const [flag, path, hint] of [
    ["--output-file", outputFile, "Omit --output-file to write to standard output."],
    ["--save", save, "Omit --save to keep no snapshot."],
  ] as const) {
    // `-` means standard output in other programs; here it would create a file of that name.
    if (path === "-" || path === "") throw usageFailure(`${flag} names no file`, hint);
  }
  if (outputFile === undefined) return;
  if (format === "table")
    throw usageFailure("a table is only for terminals, not for files", "Use --format html, md, csv or json.");
  if (jq !== undefined) {
    throw usageFailure("--jq prints on standard output", "Run `grantctl audit --jq EXPRESSION > FILE`.");
  }
  for (const [flag, path] of [
    ["--save", save],
    ["--compare", compare],
  ] as const) {
    if (path !== undefined && (await isSame(outputFile, path)))
      throw usageFailure(`--output-file and ${flag} are the same file`, "Use two different files.");
  }
  await checkTarget("--output-file", outputFile, options.force === true, null);
}

function isJson(format: AuditFormat): boolean {
  return format === "json" || format === "ndjson";
}

async function isSame(one: string, other: string): Promise<boolean> {
  const [first, second] = await Promise.all(
    [one, other].map((path) => realpath(path).catch(() => resolve(path))),
  );
  return first === second;
}

interface Document {
  /** Absent if the document needs no pages. */
  readonly keep?: KeepPage;
  write(report: Report): Iterable<string>;
}

/** Loads the writer for this format; null for the terminal summary. */
async function openDocument(format: AuditFormat, { options }: Context): Promise<Document | null> {
  if (format === "table") return null;
  if (format === "html") return { write: (await import("./page.ts")).htmlDocument };
  if (format === "md") return { write: (await import("./markdown.ts")).markdownDocument };
  if (format === "csv" || format === "tsv") {
    const { rowDocument } = await import("./rows.ts");
    return { write: (report) => rowDocument(report, format) };
  }
  const fields = typeof options.json === "string" ? parseFields(options.json, auditFields) : null;
  return (await import("./json.ts")).createJsonDocument(fields, format === "ndjson");
}

/** Reads the lists, applies the rules and compares with the snapshot. */
async function makeReport(
  { compare, known, save, failOn, githubOrg, force }: AuditOptions,
  context: Context,
  keep: KeepPage | undefined,
): Promise<Report> {
  const supplies = {
    hasKnown: known !== undefined,
    hasSnapshot: compare !== undefined,
    hasCredentials: githubOrg !== undefined,
  };
  checkSupplies(failOn ?? [], supplies);
  const isKnown = known === undefined ? null : await readKnownFile(known);
  const snapshot = compare === undefined ? null : await readSnapshotFile("--compare", compare);
  const { sources, account } = await openSources(githubOrg, context);
  checkResources(failOn ?? [], resourcesOf(sources));
  const owner = {
    account,
    base_url: context.server.origin().href,
    operator: context.operator.name,
    organization: githubOrg ?? null,
  };
  if (snapshot !== null) checkOwner("--compare", snapshot.path, snapshot.owner, owner);
  if (save !== undefined) await checkTarget("--save", save, force === true, owner);

  const lists = await readAccess(sources, context, keep);
  const missing = context.server.connections.partialOrganizations();
  const now = context.host.now();
  if (snapshot !== null) checkLists(snapshot, lists);
  const comparison = snapshot === null ? null : compareWithSnapshot(snapshot, lists, now, missing !== null);
  const items = Object.values(lists).flatMap((list) => list ?? []);
  const rules = createRules(failOn ?? defaultRules(supplies, items), { now, items, comparison, isKnown });
  const findings = findAll(items, rules, createFixingCommands(context.options, githubOrg ?? null));
  return {
    ...owner,
    now,
    lists,
    items,
    missing,
    findings,
    comparison,
    snapshot,
    supplies,
    inUse: itemsInUse(items, context),
    flags: {
      "--operator": context.options.operator,
      "--compare": compare,
      "--known": known,
      "--fail-on": failOn?.map(({ text }) => text).join(","),
      "--github-org": githubOrg,
    },
  };
}

/** The items that the configured token or client ID belongs to. The keychain is not read for it. */
function itemsInUse(
  items: readonly AuditItem[],
  { settings: { token, clientId } }: Context,
): ReadonlySet<AuditItem> {
  const isOwn = (item: AuditItem): boolean => {
    if (item.resource === "grant") return item.client_id !== null && item.client_id === clientId?.value;
    if (item.resource !== "authorization" || token === undefined) return false;
    // Hashing the token once per item would take long for many.
    if (item.token_last_eight !== null && !token.value.endsWith(item.token_last_eight)) return false;
    return isTokenOf(item, token.value);
  };
  return new Set(items.filter(isOwn));
}

/** The lists to read and their owner: the account, or the organization on servers without account operations. */
async function openSources(
  organization: string | undefined,
  { server, operator }: Context,
): Promise<{ readonly sources: Sources; readonly account: string }> {
  if (organization === undefined) {
    const { service, username } = await server.accountService();
    return { sources: { account: service, organization: null }, account: username };
  }
  if (!operator.announcesApprovals) {
    throw usageFailure(
      `--github-org is for GitHub, and the operator is ${operator.name}`,
      "Add --operator github, or run `grantctl config set operator github`.",
    );
  }
  if (await server.lacksAccounts()) {
    const service = await server.ownTokenService();
    return {
      sources: { account: null, organization: { name: organization, service } },
      account: organization,
    };
  }
  const { service: account, username } = await server.accountService();
  const service = await server.anyService();
  return { sources: { account, organization: { name: organization, service } }, account: username };
}

function resourcesOf({ account, organization }: Sources): readonly Resource[] {
  return [
    ...(account === null ? [] : (["grant", "authorization"] as const)),
    ...(organization === null ? [] : (["credential"] as const)),
  ];
}

/** Rejects a snapshot whose lists differ from this run's: all items of a missing list would count as new or gone. */
function checkLists(snapshot: Snapshot, lists: Lists<readonly AuditItem[]>): void {
  const differing = snapshotLists.find((list) => (snapshot.lists[list] === null) !== (lists[list] === null));
  if (differing === undefined) return;
  const which = lists[differing] === null ? "contains" : "does not contain";
  throw usageFailure(
    `--compare ${snapshot.path} cannot be used: it ${which} the ${differing}, unlike this run`,
    "Make the snapshot with the same flags.",
  );
}

const pieceLength = 65_536;

/** Writes the report: atomically to a file, or piece by piece to standard output. */
async function writeReport(
  report: Report,
  document: Document | null,
  { outputFile }: AuditOptions,
  context: Context,
  format: AuditFormat,
): Promise<void> {
  const { printer, stdout, notices, options } = context;
  if (outputFile !== undefined && document !== null) {
    if (options.dryRun === true) notices.note(`would write ${outputFile}`);
    else {
      await replaceFile(outputFile, document.write(report));
      notices.note(`wrote ${outputFile}`);
    }
    return;
  }
  await printUnlessPipeClosed(async () => {
    if (document === null) {
      const { describeReport } = await import("./terminal.ts");
      await printer.printLabelled(describeReport(report, createCommandCompleter(context.host.argv)));
      return;
    }
    const pieces = document.write(report);
    if (printer.hasJq) {
      await printer.printJson([...pieces].join(""));
      return;
    }
    // tsv and csv are sanitised cell by cell. The other formats may contain control characters, which a terminal
    // would interpret.
    const clean = isJson(format) ? sanitiseJson : (text: string) => text.split("\n").map(sanitise).join("\n");
    for (const piece of inLargePieces(pieces, pieceLength))
      await stdout.write(stdout.isTerminal ? clean(piece) : piece);
  });
}

/** Saves the requested snapshot. Returns false if it is not saved because the lists are partial. */
async function saveSnapshot(
  report: Report,
  { save, force }: AuditOptions,
  { host, notices, options }: Context,
): Promise<boolean> {
  if (save === undefined) return true;
  if (report.missing !== null && force !== true) {
    notices.warn(
      `${save} is not saved: an incomplete snapshot would hide what is missing (--force saves it)`,
    );
    return false;
  }
  if (options.dryRun === true) {
    notices.note(`would save ${save}`);
    return true;
  }
  const isReplaced = existsSync(save);
  const replace = (): Promise<void> => replaceFile(save, snapshotText(report, report.lists, report.now));
  await withLock(save, "the snapshot", host.processes, replace);
  notices.note(isReplaced ? `saved ${save}, which replaces the earlier snapshot` : `saved ${save}`);
  return true;
}

async function failOnFindings(report: Report): Promise<void> {
  if (report.findings.count === 0) return;
  const { countByRule, unitsOf } = await import("./access.ts");
  const rules = countByRule(report, unitsOf(report)).flatMap(({ rule, checked, found, unjudged }) => [
    ...(found > 0 ? [`${rule.text} (${found} of ${checked})`] : []),
    ...(unjudged > 0 ? [`${rule.text} (${unjudged} of ${checked} cannot be judged)`] : []),
  ]);
  throw new Failure("findings", `the audit has findings: ${rules.join(", ")}`);
}

const mostKnownBytes = 64 * 1024 * 1024;

/**
 * Reads the --known file: one client ID or name per line; `#` starts a comment. Names are case-insensitive, as in
 * `list --app`. A client ID is safer, because an application chooses its own name.
 */
async function readKnownFile(path: string): Promise<IsKnown> {
  const read = isInheritedDescriptor(path) ? readInputFile : readPlainFile;
  const refuse = (
    reason: string,
    hint = "The file has one client ID or application name per line.",
  ): Failure => usageFailure(`--known ${path} cannot be read (${reason})`, hint);
  const bytes = await read(path, mostKnownBytes).catch((error: unknown) => {
    throw refuse((error as Error).message);
  });
  return parseKnown(decodeText(bytes, refuse));
}

function parseKnown(text: string): IsKnown {
  const lines = text.replace(/^\uFEFF/, "").split(/\r?\n/);
  const entries = lines
    // A `#` next to a word is part of a name, as in C# and Team #1.
    .map((line) => line.replace(/^\s*#.*$|\s#(?:\s.*)?$/, "").trim())
    .filter((line) => line !== "");
  const clientIds = new Set(entries);
  const names = new Set(entries.map(foldCase));
  return ({ application, client_id }) =>
    (client_id !== null && clientIds.has(client_id)) ||
    (application !== null && names.has(foldCase(application)));
}
