// One audit, from its flags to its files: flags and outputs are checked before anything is read, everything is read
// before anything is written, and the exit code is decided last.
//
//   exit code   when
//   14          --fail-on, and a named rule has a finding or could not judge an item
//   6           the lists are partial (single sign-on), and --fail-on relies on them
//   0           otherwise
import { constants } from "node:fs";
import { access, lstat, realpath } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { isTokenOf } from "../api/hashed-token.ts";
import type { DocumentFormat, OutputFormat } from "../config/global-options.ts";
import { sanitise, sanitiseJson } from "../drawing/sanitise.ts";
import { Failure, usageFailure } from "../errors/errors.ts";
import { inWords } from "../errors/system-codes.ts";
import { inLargePieces } from "../files/writes.ts";
import { replaceFile } from "../files/replace-file.ts";
import { createCommandCompleter } from "../printing/complete-commands.ts";
import { parseFields } from "../printing/fields.ts";
import { printUnlessPipeClosed } from "../printing/output-stream.ts";
import type { Context } from "../run/context.ts";
import { compareLists } from "./changes.ts";
import { checkOwner, readEarlierAudit } from "./earlier-audit.ts";
import { createFixingCommands, findAll } from "./findings.ts";
import { readAccess, type AuditItem, type KeepPage } from "./items.ts";
import type { Report } from "./report.ts";
import { checkRules, createRules, defaultRules, type WantedRule } from "./rules.ts";
import { auditFields } from "./document.ts";

export interface AuditOptions {
  readonly outputFile?: string;
  readonly compare?: string;
  readonly failOn?: readonly WantedRule[];
  readonly force?: true;
}

type AuditFormat = OutputFormat | DocumentFormat;

/** Runs an audit. Writes the report first, then throws the failure that sets the exit code. */
export async function runAudit(options: AuditOptions, context: Context): Promise<void> {
  const format = formatOf(options, context);
  await checkOutputs(options, context, format);
  const document = await openDocument(format, context);
  const report = await makeReport(options, context, document?.keep);
  await writeReport(report, document, options, context, format);
  if (options.failOn === undefined) return;
  await failOnFindings(report);
  if (report.missing === null) return;
  throw new Failure("sso", "the audit is incomplete: organizations left out items", {
    hint: "Approve the credentials for the organizations named above, then run the audit again.",
  });
}

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
  const { outputFile, compare } = options;
  if (outputFile === undefined) return;
  // `-` means standard output in other programs; here it would create a file of that name.
  if (outputFile === "-" || outputFile === "")
    throw usageFailure("--output-file names no file", "Omit --output-file to write to standard output.");
  if (format === "table")
    throw usageFailure("a table is only for terminals, not for files", "Use --format html, csv or json.");
  if (jq !== undefined) {
    throw usageFailure("--jq prints on standard output", "Run `grantctl audit --jq EXPRESSION > FILE`.");
  }
  if (compare !== undefined && (await isSame(outputFile, compare)))
    throw usageFailure("--output-file and --compare are the same file", "Use two different files.");
  await checkTarget(outputFile, options.force === true);
}

/** Checks that the output file may be written: a new file, or with `isForced` any plain file. */
async function checkTarget(path: string, isForced: boolean): Promise<void> {
  const stat = await lstat(path).catch(() => null);
  if (stat !== null && !stat.isFile()) throw usageFailure(`--output-file ${path} is not a plain file`);
  try {
    // With `/.` appended, the path is valid only if it is a folder.
    await access(`${dirname(resolve(path))}/.`, constants.W_OK);
  } catch (error) {
    const { code = "unknown error" } = error as NodeJS.ErrnoException;
    throw usageFailure(`--output-file ${path} cannot be written (${inWords(code)})`);
  }
  if (stat !== null && !isForced)
    throw usageFailure(`${path} already exists`, "Choose another file, or add --force to replace it.");
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
  if (format === "csv" || format === "tsv") {
    const { rowDocument } = await import("./rows.ts");
    return { write: (report) => rowDocument(report, format) };
  }
  const fields = typeof options.json === "string" ? parseFields(options.json, auditFields) : null;
  return (await import("./json.ts")).createJsonDocument(fields, format === "ndjson");
}

/** Reads the lists, applies the rules and compares with the earlier audit. */
async function makeReport(
  { compare, failOn }: AuditOptions,
  context: Context,
  keep: KeepPage | undefined,
): Promise<Report> {
  checkRules(failOn ?? [], compare !== undefined);
  const earlier = compare === undefined ? null : await readEarlierAudit(compare);
  const { service, username } = await context.server.accountService();
  const owner = {
    account: username,
    base_url: context.server.origin().href,
    server_type: context.serverType.name,
  };
  if (earlier !== null) checkOwner(earlier, owner);
  if (earlier?.isIncomplete === true)
    context.notices.warn(`${earlier.path} is incomplete: items that it left out count as new`);

  const lists = await readAccess(service, context, keep);
  const missing = context.server.connections.partialOrganizations();
  const now = context.host.now();
  const comparison = earlier === null ? null : compareLists(earlier.lists, lists, missing !== null);
  const items = Object.values(lists).flat();
  const rules = createRules(failOn ?? defaultRules(comparison !== null, items), { now, items, comparison });
  const findings = findAll(items, rules, createFixingCommands(context.options));
  return {
    ...owner,
    now,
    lists,
    items,
    missing,
    findings,
    comparison,
    earlier,
    inUse: itemsInUse(items, context),
    flags: {
      "--server-type": context.options.serverType,
      "--compare": compare,
      "--fail-on": failOn?.map(({ text }) => text).join(","),
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

const pieceLength = 65_536;

/** Writes the report: atomically to a file, or piece by piece to standard output. */
async function writeReport(
  report: Report,
  document: Document | null,
  { outputFile }: AuditOptions,
  context: Context,
  format: AuditFormat,
): Promise<void> {
  const { printer, stdout, notices } = context;
  if (outputFile !== undefined && document !== null) {
    await replaceFile(outputFile, document.write(report));
    notices.note(`wrote ${outputFile}`);
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

async function failOnFindings(report: Report): Promise<void> {
  if (report.findings.count === 0) return;
  const { countByRule, unitsOf } = await import("./access.ts");
  const rules = countByRule(report, unitsOf(report)).flatMap(({ rule, checked, found, unjudged }) => [
    ...(found > 0 ? [`${rule.text} (${found} of ${checked})`] : []),
    ...(unjudged > 0 ? [`${rule.text} (${unjudged} of ${checked} cannot be judged)`] : []),
  ]);
  throw new Failure("findings", `the audit has findings: ${rules.join(", ")}`);
}
