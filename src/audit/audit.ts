// One audit: grants and authorizations become items, items become rows with findings, and the rows go to the printer of
// every list, or to the page. Flags and files are checked before anything is read, everything is read before anything is
// written, and the exit code is decided last.
//
//   exit code   when
//   14          --fail-on, and one of its rules has a finding, or could not judge an item
//   6           --fail-on, and single sign-on has cut the lists
//   0           otherwise
import { extname } from "node:path";
import { isTokenOf } from "../api/match-response.ts";
import type { Authorization, Grant } from "../api/resources.ts";
import { auditFormats, type AuditFormat } from "../config/global-options.ts";
import { Failure, usageFailure } from "../errors/errors.ts";
import { counted, either, typedWord } from "../errors/words.ts";
import type { Service } from "../http/service.ts";
import { accountAbsence, type AccountItems } from "../jobs/proof.ts";
import type { ListedThing } from "../jobs/read-items.ts";
import { exactText, isObject, parseJson } from "../json.ts";
import { createCommandCompleter } from "../output/notices.ts";
import { printUnlessPipeClosed } from "../output/output-stream.ts";
import { createPrinter } from "../output/printer.ts";
import { authorizations, grants } from "../output/resources.ts";
import type { Context } from "../run/context.ts";
import { readTextFile, type Refusal } from "../system/reads.ts";
import { checkOutputFile, replaceFile } from "../system/writes.ts";
import { openPageWriter, type PageFacts } from "./page.ts";
import {
  auditPresentation,
  itemOf,
  keyOf,
  rankItems,
  terminalPresentation,
  type AuditRow,
  type Item,
  type Ranked,
  type Rows,
} from "./rows.ts";
import { defaultRules, type Rule } from "./rules.ts";

export interface AuditOptions {
  readonly outputFile?: string;
  readonly compare?: string;
  readonly failOn?: readonly Rule[];
  readonly force?: true;
}

/** Runs an audit. Writes the report first, then throws the failure that sets the exit code. */
export async function runAudit(options: AuditOptions, context: Context): Promise<void> {
  const format = formatOf(options, context);
  await checkFlags(options, context);
  const earlier = options.compare === undefined ? null : await readEarlier(options.compare);
  const { service, username } = await context.server.accountService();
  const list = await readItems(service, context);
  const isCut = context.server.connections.isPartial();
  const gone = earlier === null || isCut ? [] : await findGone(earlier, list, service, context);
  const items = [...list.items.values()];
  const now = context.host.now();
  const rules = options.failOn ?? defaultRules(earlier !== null, items);
  const earlierOf = (item: Item) => earlier && earlier.get(keyOf(item));
  const compared = { now, inUse: list.inUse, earlierOf };
  const ranked = rankItems(items, rules, compared, createCommandCompleter(context.options));
  const { found } = ranked;
  const counts = `${found} of ${items.length} grants and authorizations have findings`;
  const facts = {
    account: username,
    server: context.server.origin().href,
    time: new Date(now).toISOString(),
    isCut,
    counts,
  };
  await write(ranked, gone, facts, { format, ...options }, context);
  if (context.host.stderr.isTerminal) context.notices.note(counts);
  if (options.failOn === undefined) return;
  if (isCut)
    throw new Failure("sso", "the audit is incomplete: organizations left out items", {
      hint: "Approve the credentials for the organizations named above, then run the audit again.",
    });
  if (found > 0) throw new Failure("findings", `${counted(found, "item")} with findings`);
}

/** --format or --json, else the extension of the file, else the format of all commands. */
function formatOf({ outputFile = "" }: AuditOptions, { options, printer }: Context): AuditFormat {
  const extension = options.json === undefined ? extname(outputFile).slice(1).toLowerCase() : "";
  if (options.format !== undefined || extension === "") return options.format ?? printer.format;
  const format = auditFormats.find((each) => each === extension);
  if (format !== undefined) return format;
  throw usageFailure(
    `--output-file: .${extension} is not a format`,
    `Use the extension ${either(auditFormats)}, or add --format.`,
  );
}

/** Checks flags and paths before any request is sent. */
async function checkFlags(
  { compare, failOn, outputFile, force }: AuditOptions,
  { options }: Context,
): Promise<void> {
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

const nouns: readonly (AccountItems<Grant | Authorization> & { readonly name: ListedThing })[] = [
  grants,
  authorizations,
];

/** The items of both lists; one that a shifting list repeats counts once. */
interface ItemList {
  readonly items: ReadonlyMap<string, Item>;
  /** The keys of those that grantctl uses. */
  readonly inUse: ReadonlySet<string>;
  readonly add: (resource: ListedThing, each: Grant | Authorization) => void;
}

/** Reads both lists. A list that ends early fails the audit. */
async function readItems(service: Service, context: Context): Promise<ItemList> {
  const { clientId } = context.settings;
  const { logins } = context.server;
  // The token that `api` would send. A store that cannot be read must not fail the audit.
  const token = logins.hasToken() ? await logins.token().catch(() => null) : null;
  const isInUse = (resource: ListedThing, each: Grant | Authorization): boolean =>
    resource === "grant"
      ? clientId !== undefined && each.app?.client_id === clientId.value
      : token !== null && isTokenOf(each as Authorization, token);
  const items = new Map<string, Item>();
  const inUse = new Set<string>();
  const add = (resource: ListedThing, each: Grant | Authorization): void => {
    const item = itemOf(resource, each);
    items.set(keyOf(item), item);
    if (isInUse(resource, each)) inUse.add(keyOf(item));
  };
  for (const { name, list } of nouns)
    for await (const page of list(service, context.progress.watchPages(context.options.concurrency)))
      for (const each of page) add(name, each);
  return { items, inUse, add };
}

/** Reads the JSON output of an earlier audit. Throws a usage failure for a file that is none. */
async function readEarlier(path: string): Promise<Rows> {
  const refuse: Refusal = (reason, hint = "Use a file written by `grantctl audit --json`.") =>
    usageFailure(`--compare ${typedWord(path)}: ${reason}`, hint);
  const rows = new Map<string, AuditRow>();
  const text = await readTextFile(path, refuse);
  let document: unknown;
  try {
    document = parseJson(text.trim());
  } catch {
    throw refuse("it is not JSON");
  }
  for (const row of [document].flat()) {
    if (!isAuditRow(row)) throw refuse("it is not the whole JSON of an audit");
    // Items that were gone in that audit are not reported again. Findings and commands would take much memory.
    const isGone = row.findings.some((finding) => isObject(finding) && finding["rule"] === "gone");
    if (!isGone) rows.set(keyOf(row), { ...row, findings: [], command: null });
  }
  return rows;
}

/** Checks the fields that are compared or asked for; the others are only printed. */
function isAuditRow(row: unknown): row is AuditRow {
  if (!isObject(row)) return false;
  const { resource, id, client_id, created_at, scopes, findings } = row;
  const isItem = (resource === "grant" || resource === "authorization") && /^\d+$/.test(exactText(id) ?? "");
  const isWhole = client_id !== undefined && created_at !== undefined && Array.isArray(findings);
  return isItem && isWhole && (scopes === null || Array.isArray(scopes));
}

/**
 * Rows of the earlier items that are gone: those that are not in the lists are read by their IDs, their absence is proven,
 * and those that are there are added to the list.
 */
async function findGone(
  earlier: Rows,
  { items, add }: ItemList,
  service: Service,
  context: Context,
): Promise<readonly AuditRow[]> {
  const unseen = new Map(earlier);
  for (const key of items.keys()) unseen.delete(key);
  const missing = [...unseen.values()];
  if (missing.length > 0 && missing.length === earlier.size) {
    context.notices.warn(
      "nothing of the earlier audit is in the lists, so nothing counts as gone: it may be of another account or server",
    );
    return [];
  }
  const notInList = new Failure("not-found", "it is not in the list, and nothing proves that it is gone");
  const rows: AuditRow[] = [];
  for (const kind of nouns) {
    const own = missing.filter(({ resource }) => resource === kind.name);
    if (own.length === 0) continue;
    const absent = own.map(({ id }) => ({ item: String(exactText(id)), failure: notInList }));
    const there = new Set<string>();
    const read = async (from: Service, id: string): Promise<Grant | Authorization> => {
      const each = await kind.read(from, id);
      there.add(id);
      add(kind.name, each);
      return each;
    };
    const absence = accountAbsence(service, { ...kind, read }, context);
    const { verdicts } = await absence.settle(absent, context.progress.wait);
    for (const row of own) {
      const id = String(exactText(row.id));
      if (there.has(id)) continue;
      const { failure = notInList } = verdicts.get(id) ?? {};
      const measure = failure === null ? "not there any more" : `cannot be judged: ${failure.message}`;
      rows.push({ ...row, findings: [{ rule: "gone", measure }] });
    }
  }
  return rows;
}

/** A text for all rows would take as much memory as the rows. */
const rowsPerWrite = 500;

/** Writes the report to the file, or to standard output. */
async function write(
  { items, judge }: Ranked,
  gone: readonly AuditRow[],
  facts: PageFacts,
  { format, outputFile: file, force }: AuditOptions & { readonly format: AuditFormat },
  context: Context,
): Promise<void> {
  const pieces: string[] = [];
  const collector = {
    isTerminal: false,
    columns: 80,
    write: async (text: string | Buffer) => void pieces.push(text.toString()),
    settle: () => Promise.resolve(),
  };
  const stdout = file === undefined ? context.stdout : collector;
  const openList = () => {
    if (format === "html") return openPageWriter(stdout, facts);
    const { fields, isForPerson } = context.printer;
    if (file === undefined)
      return context.printer.openList(isForPerson ? terminalPresentation : auditPresentation);
    const others = { isFormatRequested: true, jq: null, hasColours: false, whyLost: () => null };
    return createPrinter({ stdout, format, fields, ...others }).openList(auditPresentation);
  };
  await printUnlessPipeClosed(async () => {
    const list = openList();
    for (let start = 0; start < items.length; start += rowsPerWrite)
      await list.add(items.slice(start, start + rowsPerWrite).map(judge));
    await list.add(gone);
    return list.end();
  });
  if (file === undefined) return;
  await replaceFile(file, pieces.join(""), force === true);
  context.notices.note(`wrote ${file}`);
}
