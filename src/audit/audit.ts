// One audit: grants and authorizations become items, items become rows with findings, and the rows go to the printer of
// every list, or to the page. Flags and files are checked before anything is read, everything is read before anything is
// written, and the exit code is decided last. It is 0, unless --fail-on is set and one of these is true; the first counts:
//
//   9    the rule is widened, without new, and nothing of the earlier audit is in the lists; then nothing is written
//   6    single sign-on has cut the lists
//   14   one of the rules has a finding, or could not judge an item
import { extname, resolve } from "node:path";
import { idText, type Authorization, type Grant, type ResourceName } from "../api/resources.ts";
import { isTokenOf } from "../api/token-responses.ts";
import { auditFormats, type AuditFormat } from "../config/global-options.ts";
import { Failure, usageFailure } from "../errors/errors.ts";
import { counted, joinOr, nameTen, typedWord } from "../errors/words.ts";
import type { Service } from "../http/service.ts";
import { accountProof, type AccountItems } from "../jobs/proof.ts";
import { exactText, isObject, parseOrNull } from "../json.ts";
import { createCommandCompleter, type Notices } from "../output/notices.ts";
import { checkOutputFile, printUnlessPipeClosed } from "../output/output-stream.ts";
import { listText } from "../output/printer.ts";
import { quoteName } from "../output/sanitise.ts";
import { authorizations, grants } from "../nouns.ts";
import type { Context } from "../run/context.ts";
import { readTextFile, type Refusal } from "../system/reads.ts";
import { replaceFile } from "../system/writes.ts";
import { auditPage, type PageFacts } from "./page.ts";
import { auditPresentation, findingsText, itemOf, rowKey, rankedRows, terminalPresentation } from "./rows.ts";
import type { AuditRow, Item, JudgedRow } from "./rows.ts";
import { changeRules, defaultRules, notJudged, type Rule } from "./rules.ts";

interface AuditOptions {
  readonly outputFile?: string;
  readonly compare?: string;
  readonly failOn?: readonly Rule[];
  readonly force?: true;
}

/** Runs an audit. Writes the report first, except for exit code 9, then throws the failure that sets the exit code. */
export async function runAudit(context: Context, options: AuditOptions): Promise<void> {
  const format = formatOf(options, context);
  await checkFlags(options, context);
  const earlier = options.compare === undefined ? null : await readEarlier(options.compare);
  const { service, username } = await context.server.accountService();
  const items: Items = new Map();
  const isInUse = await usedByGrantctl(context);
  const add = (resource: ResourceName, each: Grant | Authorization): void => {
    const item = itemOf(resource, each, isInUse(resource, each));
    // One that a shifting list repeats counts once.
    items.set(rowKey(item), item);
  };
  for (const { name, list } of nouns)
    for await (const page of list(service, context.paging())) for (const each of page) add(name, each);
  const isCut = context.server.connections.hasPartialResults;
  const missing = earlier === null || isCut ? [] : missingRows(earlier, items, options, context.notices);
  const gone = await findGone(missing, add, service, context);
  const now = context.host.now();
  const list = [...items.values()];
  const rules = options.failOn ?? defaultRules(earlier !== null, list);
  const compared = { now, earlierOf: (item: Item) => earlier && earlier.get(rowKey(item)) };
  // A report may be read where another server is configured.
  const isReport = options.outputFile !== undefined || !context.printer.isForPerson;
  const server = context.server.origin().href;
  const complete = createCommandCompleter({ ...(isReport ? { baseUrl: server } : {}), ...context.options });
  const judged = rankedRows(list, rules, compared, complete);
  const found = judged.flatMap(({ row, severity }) => (severity === 0 ? [] : [row]));
  const texts = rules.map(({ text }) => text);
  const which = options.failOn === undefined ? changesIn(found) : texts;
  const since = options.compare === undefined ? "" : `, compared with ${typedWord(options.compare)}`;
  const counts = countsInWords(found.length, judged.length, gone.length, which) + since;
  const facts = { account: username, server, time: new Date(now).toISOString(), isCut, counts, rules: texts };
  await write([...judged, ...gone], facts, { ...options, format }, context);
  if (options.failOn === undefined) return;
  reportUnmatched(rules, list, context.notices);
  if (isCut)
    throw new Failure("sso", "the audit is incomplete: organizations left out items", {
      hint: "Approve the credentials for the organizations named above, then run the audit again.",
    });
  const named = found.map(
    (row) => `${row.resource} ${idText(row.id)} ${quoteName(row.name)} (${findingsText(row)})`,
  );
  if (found.length > 0)
    throw new Failure("findings", `${counted(found.length, "item")} with findings: ${nameTen(named)}`);
}

async function checkFlags({ compare, failOn, outputFile, force }: AuditOptions, { options }: Context) {
  const rule = failOn?.find(({ name }) => changeRules.includes(name));
  if (rule !== undefined && compare === undefined)
    throw usageFailure(
      `the rule ${rule.name} needs an earlier audit`,
      "Add --compare audit.json, a file written by `grantctl audit --json`.",
    );
  if (compare !== undefined && outputFile !== undefined && resolve(compare) === resolve(outputFile))
    throw usageFailure("--output-file would replace the earlier audit", "Replace it after a review.");
  await checkOutputFile(outputFile, force);
  if (outputFile !== undefined && options.jq !== undefined)
    throw usageFailure("--jq prints on standard output", "Run `grantctl audit --jq EXPRESSION > FILE`.");
}

const howToAct = "; to print their commands, run `grantctl audit --jq '.[].command | values'`";
const nouns: readonly AccountItems<Grant | Authorization>[] = [grants, authorizations];

type Items = Map<string, Item>;

/** Finds what grantctl itself uses: the grant of its application, and the token that `api` sends. */
async function usedByGrantctl({ settings: { clientId }, server: { logins } }: Context) {
  // A store that cannot be read must not fail the audit.
  const token = logins.hasToken() ? await logins.token().catch(() => null) : null;
  return (resource: ResourceName, each: Grant | Authorization): boolean =>
    resource === "grant"
      ? clientId !== undefined && each.app?.client_id === clientId.value
      : token !== null && isTokenOf(each as Authorization, token);
}

type Rows = ReadonlyMap<string, AuditRow>;

/** Reads the JSON output of an earlier audit. Throws a usage failure for a file that is none. */
async function readEarlier(path: string): Promise<Rows> {
  const refuse: Refusal = (reason, hint = "Use a file written by `grantctl audit --json`.") =>
    usageFailure(`--compare ${typedWord(path)}: ${reason}`, hint);
  const rows = new Map<string, AuditRow>();
  const text = await readTextFile(path, refuse);
  for (const row of [parseOrNull(text.trim())].flat()) {
    if (!isAuditRow(row)) throw refuse("it is not the whole JSON of an audit");
    // Items that were gone in that audit are not reported again. Findings and commands would take much memory.
    const isGone = row.findings.some((finding) => isObject(finding) && finding["rule"] === "gone");
    if (!isGone) rows.set(rowKey(row), { ...row, findings: [], command: null });
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

function missingRows(earlier: Rows, items: Items, { failOn }: AuditOptions, notices: Notices) {
  const missing = [...earlier].flatMap(([key, row]) => (items.has(key) ? [] : [row]));
  if (missing.length === 0 || missing.length < earlier.size) return missing;
  const why = "nothing of the earlier audit is in the lists";
  const hint = "It may be of another account or server.";
  const isGate = (name: string): boolean => failOn?.some((rule) => rule.name === name) === true;
  // To the rule new, every item is a finding.
  if (isGate("widened") && !isGate("new")) throw new Failure("incomplete", `${why} to compare`, { hint });
  notices.warn(`${why}, so nothing counts as gone. ${hint}`);
  return [];
}

/** Rows of what is gone: each missing item is read by its ID, and either added to the list, or proven to be gone. */
async function findGone(
  missing: readonly AuditRow[],
  add: (resource: ResourceName, each: Grant | Authorization) => void,
  service: Service,
  context: Context,
): Promise<readonly JudgedRow[]> {
  const notInList = new Failure("not-found", "it is not in the list, and nothing proves that it is gone");
  const gone: JudgedRow[] = [];
  for (const noun of nouns) {
    const own = missing.filter(({ resource }) => resource === noun.name);
    if (own.length === 0) continue;
    const absent = own.map(({ id }) => ({ item: idText(id), failure: notInList }));
    const there = new Set<string>();
    const read = async (from: Service, id: string): Promise<Grant | Authorization> => {
      const each = await noun.read(from, id);
      there.add(id);
      add(noun.name, each);
      return each;
    };
    const proof = accountProof(service, { ...noun, read }, context);
    const { verdicts } = await proof.settle(absent, { areRead: false });
    for (const row of own) {
      if (there.has(idText(row.id))) continue;
      const { failure = notInList } = verdicts.get(idText(row.id)) ?? {};
      const rule = failure === null ? "gone" : "unproven";
      const measure = failure === null ? "not there any more" : notJudged(failure.message);
      gone.push({ row: { ...row, findings: [{ rule, measure }] }, severity: 0 });
    }
  }
  return gone;
}

/** How many rows the rules of --compare found. */
function changesIn(rows: readonly AuditRow[]): readonly string[] {
  return changeRules.flatMap((name) => {
    const count = rows.filter(({ findings }) => findings.some(({ rule }) => rule === name)).length;
    return count === 0 ? [] : [`${count} ${name}`];
  });
}

/** How many items have findings. `which`: the rules, or what changed since the earlier audit. */
function countsInWords(found: number, all: number, gone: number, which: readonly string[]): string {
  const details = which.length === 0 ? "" : ` (${which.join(", ")})`;
  const left = gone === 0 ? "" : `, and ${counted(gone, "earlier one")} left the lists`;
  return `${found} of ${all} grants and authorizations have findings${details}${left}`;
}

/** Names the scopes that there are for each pattern that matches none, which may be mistyped. */
function reportUnmatched(rules: readonly Rule[], items: readonly Item[], notices: Notices): void {
  const scopes = [...new Set(items.flatMap((item) => item.scopes ?? []))].toSorted();
  for (const { text, pattern } of rules)
    if (pattern !== undefined && scopes.length > 0 && !scopes.some((scope) => pattern.test(scope)))
      notices.warn(`nothing has a scope that matches ${typedWord(text)}; there are: ${scopes.join(", ")}`);
}

/** --format or --json, else the extension of the file, else the format of all commands. */
function formatOf({ outputFile = "" }: AuditOptions, { options, printer }: Context): AuditFormat {
  const extension = options.json === undefined ? extname(outputFile).slice(1).toLowerCase() : "";
  if (options.format !== undefined || extension === "") return options.format ?? printer.format;
  const format = auditFormats.find((each) => each === extension);
  if (format !== undefined) return format;
  throw usageFailure(
    `--output-file: .${extension} is not a format`,
    `Use ${joinOr(auditFormats.filter((each) => each !== "table").map((each) => `.${each}`))}, or choose one with --format.`,
  );
}

async function write(
  judged: readonly JudgedRow[],
  facts: PageFacts,
  { outputFile: file, force, format, failOn }: AuditOptions & { readonly format: AuditFormat },
  { printer, stdout, notices, host }: Context,
): Promise<void> {
  const rows = judged.map(({ row }) => row);
  if (file === undefined) {
    const presentation = printer.isForPerson ? terminalPresentation : auditPresentation;
    const hidesRest = printer.isForPerson && failOn !== undefined;
    const shown = rows.filter(({ findings }) => !hidesRest || findings.some(({ rule }) => rule !== "in-use"));
    await printUnlessPipeClosed(() =>
      format === "html" ? stdout.write(auditPage(judged, facts)) : printer.printList(shown, presentation),
    );
    const hasPassed = failOn !== undefined && judged.every(({ severity }) => severity === 0);
    const how = printer.isForPerson && !hidesRest && rows.some((row) => row.command !== null) ? howToAct : "";
    if (host.stderr.isTerminal || hasPassed) notices.note(`${facts.counts}${how}`);
    return;
  }
  const text =
    format === "html"
      ? auditPage(judged, facts)
      : await listText(rows, auditPresentation, { format, fields: printer.fields });
  await replaceFile(file, text, force === true);
  notices.note(`wrote ${file}: ${facts.counts}`);
}
