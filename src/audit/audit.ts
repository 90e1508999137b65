// One audit: grants and authorizations become items, items become rows with findings, and the rows go to the printer of
// every list, or to the page. Flags and files are checked before anything is read, everything is read before anything is
// written, and the exit code is decided last.
//
//   exit code   when
//   14          --fail-on, and one of its rules has a finding, or could not judge an item
//   6           --fail-on, and single sign-on has cut the lists
//   0           otherwise
import { extname } from "node:path";
import { getAuthorization, listAuthorizations } from "../api/authorizations.ts";
import { getGrant, listGrants } from "../api/grants.ts";
import { isTokenOf } from "../api/hashed-token.ts";
import type { Authorization, Grant, Id } from "../api/resources.ts";
import { auditFormats, type DocumentFormat, type OutputFormat } from "../config/global-options.ts";
import { Failure, usageFailure } from "../errors/errors.ts";
import { counted } from "../errors/words.ts";
import { readPlainFile, Unreadable } from "../system/reads.ts";
import { checkOutputFile, replaceFile } from "../system/replace-file.ts";
import type { ListOperation } from "../http/pages.ts";
import type { Service } from "../http/service.ts";
import { accountAbsence, type AccountItems } from "../jobs/proof.ts";
import { isObject, parseJson } from "../json.ts";
import { watchWholeList } from "../lists/paging.ts";
import { createCommandCompleter } from "../output/notices.ts";
import { printUnlessPipeClosed, type OutputStream } from "../output/output-stream.ts";
import { cellText } from "../output/presentation.ts";
import { createPrinter, type Printer } from "../output/printer.ts";
import type { Context } from "../run/context.ts";
import {
  auditPresentation,
  itemOf,
  judgeItems,
  keyOf,
  surroundingsOf,
  type AuditRow,
  type Finding,
  type Item,
  type Judged,
  type Resource,
} from "./rows.ts";
import { auditPage, type PageFacts } from "./page.ts";
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
  const { items, inUse } = await readItems(service, context);
  const isCut = context.server.connections.isPartial();
  const now = context.host.now();
  const rules = options.failOn ?? defaultRules(earlier !== null, items);
  const surroundings = surroundingsOf(items, {
    now,
    inUse,
    earlier: earlier && new Map(earlier.map((item) => [keyOf(item), item.scopes])),
  });
  const judged = judgeItems(items, rules, surroundings, createCommandCompleter(context.options));
  const gone = earlier === null || isCut ? [] : await findGone(earlier, items, service, context);
  const all = [...judged, ...gone.map((row) => ({ row, severity: 0 }))];
  const found = all.filter(({ severity }) => severity > 0).length;
  const facts = {
    account: username,
    server: context.server.origin().href,
    time: new Date(now).toISOString(),
    isCut,
  };
  await write(all, facts, { format, file: options.outputFile }, context);
  if (context.host.stderr.isTerminal)
    context.notices.note(`${found} of ${all.length} grants and authorizations have findings`);
  if (options.failOn === undefined) return;
  if (found > 0) throw new Failure("findings", `${counted(found, "item")} with findings`);
  if (isCut)
    throw new Failure("sso", "the audit is incomplete: organizations left out items", {
      hint: "Approve the credentials for the organizations named above, then run the audit again.",
    });
}

/** --format, else the extension of the file, else the format of all commands. */
function formatOf({ outputFile = "" }: AuditOptions, { options, printer }: Context): AuditFormat {
  const extension = extname(outputFile).slice(1);
  return options.format ?? auditFormats.find((format) => format === extension) ?? printer.format;
}

/** Checks flags and paths before any request is sent. */
async function checkFlags(
  { compare, failOn, outputFile, force }: AuditOptions,
  { options }: Context,
  format: AuditFormat,
): Promise<void> {
  if (format === "html" && (options.json !== undefined || options.jq !== undefined))
    throw usageFailure("--format html has neither --json nor --jq");
  const rule = failOn?.find(({ name }) => name === "new" || name === "widened");
  if (rule !== undefined && compare === undefined)
    throw usageFailure(
      `the rule ${rule.name} needs an earlier audit`,
      "Add --compare audit.json, a file written by `grantctl audit --json`.",
    );
  await checkOutputFile(outputFile, force === true);
  if (outputFile !== undefined && options.jq !== undefined)
    throw usageFailure("--jq prints on standard output", "Run `grantctl audit --jq EXPRESSION > FILE`.");
}

/** Reads both lists; an item that a shifting list repeats counts once. A list that ends early fails the audit. */
async function readItems(
  service: Service,
  context: Context,
): Promise<{ readonly items: readonly Item[]; readonly inUse: ReadonlySet<string> }> {
  const { clientId, token } = context.settings;
  const items = new Map<string, Item>();
  const inUse = new Set<string>();
  const collect = async <Each extends Grant | Authorization>(
    resource: Resource,
    list: ListOperation<Each>,
    isInUse: (each: Each) => boolean,
  ): Promise<void> => {
    for await (const page of list(service, watchWholeList(context)))
      for (const each of page) {
        const item = itemOf(resource, each);
        items.set(keyOf(item), item);
        if (isInUse(each)) inUse.add(keyOf(item));
      }
  };
  await collect(
    "grant",
    listGrants,
    ({ app }) => clientId !== undefined && app?.client_id === clientId.value,
  );
  // The token that `api` would send. The keychain is not read for it.
  await collect(
    "authorization",
    listAuthorizations,
    (each) => token !== undefined && isTokenOf(each, token.value),
  );
  return { items: [...items.values()], inUse };
}

type EarlierItem = Pick<AuditRow, "resource" | "id" | "name" | "scopes">;

/** Reads the JSON output of an earlier audit. Throws a usage failure for a file that is none. */
async function readEarlier(path: string): Promise<readonly EarlierItem[]> {
  const refuse = (reason: string): Failure =>
    usageFailure(`--compare ${path}: ${reason}`, "Use a file written by `grantctl audit --json`.");
  const bytes = await readPlainFile(path).catch((error: unknown) => {
    throw error instanceof Unreadable ? refuse(`it cannot be read (${error.message})`) : error;
  });
  const text = bytes.toString("utf8").trim();
  let rows: unknown;
  try {
    rows = parseJson(text);
  } catch {
    throw refuse("it is not JSON");
  }
  return [rows].flat().flatMap((row) => {
    if (!isEarlierItem(row)) throw refuse("it is no audit with resource, id and scopes");
    const { resource, id, name, scopes, findings = [] } = row;
    // Items that were gone in that audit are not reported again. The rest of a row is not needed, and many rows are large.
    return findings.some(({ rule }) => rule === "gone") ? [] : [{ resource, id, name, scopes }];
  });
}

function isEarlierItem(row: unknown): row is EarlierItem & { readonly findings?: readonly Finding[] } {
  if (!isObject(row)) return false;
  const { resource, id, scopes, findings = [] } = row;
  const isOfList = resource === "grant" || resource === "authorization";
  const hasLists = Array.isArray(findings) && (scopes === null || Array.isArray(scopes));
  return isOfList && cellText(id) !== "" && hasLists;
}

/** Rows of the earlier items that are not in the lists: each is read by its ID, and its absence is proven. */
async function findGone(
  earlier: readonly EarlierItem[],
  items: readonly Item[],
  service: Service,
  context: Context,
): Promise<readonly AuditRow[]> {
  const present = new Set(items.map(keyOf));
  const missing = earlier.filter((item) => !present.has(keyOf(item)));
  const rows: AuditRow[] = [];
  for (const kind of kinds) {
    const own = missing.filter(({ resource }) => resource === kind.name);
    if (own.length === 0) continue;
    const absent = own.map(({ id }) => ({ item: cellText(id), failure: notInList }));
    const { verdicts } = await accountAbsence(service, kind, context).settle(absent, context.progress.wait);
    for (const item of own) {
      const verdict = verdicts.get(cellText(item.id));
      if (verdict === undefined || verdict.status === "failed") continue;
      const { failure } = verdict;
      rows.push(
        goneRow(item, failure === null ? "not there any more" : `cannot be judged: ${failure.message}`),
      );
    }
  }
  return rows;
}

const kinds: readonly AccountItems<{ readonly id: Id }>[] = [
  { name: "grant", list: listGrants, read: getGrant },
  { name: "authorization", list: listAuthorizations, read: getAuthorization },
];

const notInList = new Failure("not-found", "it is not in the list, and nothing proves that it is gone");

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

/** Writes the report to the file, or to standard output. */
async function write(
  all: readonly Judged[],
  facts: PageFacts,
  { format, file }: { readonly format: AuditFormat; readonly file: string | undefined },
  context: Context,
): Promise<void> {
  const pieces: string[] = [];
  const stdout = file === undefined ? context.stdout : collectorOf(pieces);
  await printUnlessPipeClosed(async () => {
    if (format === "html") return stdout.write([...auditPage(all, facts)].join(""));
    const printer = file === undefined ? context.printer : filePrinter(stdout, format, context);
    return printer.printList(
      all.map(({ row }) => row),
      auditPresentation,
    );
  });
  if (file === undefined) return;
  await replaceFile(file, pieces.join(""));
  context.notices.note(`wrote ${file}`);
}

/** An output that is collected for a file. */
function collectorOf(pieces: string[]): OutputStream {
  return {
    isTerminal: false,
    columns: 80,
    write: async (text) => void pieces.push(text.toString()),
    settle: () => Promise.resolve(),
  };
}

function filePrinter(stdout: OutputStream, format: OutputFormat, { printer }: Context): Printer {
  return createPrinter({
    stdout,
    format,
    isFormatRequested: true,
    fields: printer.fields,
    jq: null,
    hasColours: false,
    whyLost: () => null,
  });
}
