// One audit from its flags to a report: everything that can be checked is checked before anything is read, and nothing
// is written before everything was read.
import { usageFailure } from "../errors/errors.ts";
import type { Context } from "../run/context.ts";
import { compareWithSnapshot, type Comparison } from "./changes.ts";
import { createCommandLine } from "./command-line.ts";
import type { KeepPage } from "./documents/document.ts";
import { findAll } from "./findings.ts";
import type { Item, Resource } from "./item.ts";
import { readKnownFile, type IsKnown } from "./known.ts";
import { readAccess, type Sources } from "./read-access.ts";
import { allItems, type Report } from "./report.ts";
import { checkResources, checkSupplies, defaultRules, type WantedRule } from "./rule-names.ts";
import { createRules, hasExpiries } from "./rules.ts";
import { checkOwner, checkSnapshotTarget, readSnapshotFile } from "./snapshot-file.ts";
import { snapshotLists, type Lists, type Snapshot, type SnapshotOwner } from "./snapshot.ts";

export interface AuditOptions {
  readonly outputFile?: string;
  readonly save?: string;
  readonly since?: string;
  readonly failOn?: readonly WantedRule[];
  readonly known?: string;
  readonly githubOrg?: string;
  readonly force?: true;
}

/** Reads what has access, applies the rules and compares. `keep` gets each page for the document. */
export async function runAudit(
  options: AuditOptions,
  context: Context,
  keep: KeepPage | undefined,
): Promise<Report> {
  const { since, known, save, failOn, githubOrg } = options;
  const supplies = {
    hasKnown: known !== undefined,
    hasSnapshot: since !== undefined,
    hasCredentials: githubOrg !== undefined,
  };
  checkSupplies(failOn ?? [], supplies);
  context.host.runtime.growMemorySlowly();
  // An earlier snapshot is in memory beside what is read, so the memory for new objects must not grow as well.
  if (since !== undefined) context.host.runtime.saveMemory();
  const isKnown = known === undefined ? null : await readKnownFile(known);
  const snapshot = since === undefined ? null : await readSnapshotFile("--since", since);
  const { sources, account } = await openSources(githubOrg, context);
  checkResources(failOn ?? [], resourcesOf(sources));
  const owner = {
    account,
    base_url: context.address.origin().href,
    operator: context.operator.name,
    organization: githubOrg ?? null,
  };
  if (since !== undefined && snapshot !== null) checkOwner("--since", since, snapshot.owner, owner);
  if (save !== undefined) await checkSnapshotTarget(save, owner, options.force === true);

  const lists = await readAccess(sources, context, keep);
  const now = context.host.now();
  if (snapshot !== null) checkLists(since ?? "", snapshot, lists);
  const comparison = snapshot === null ? null : compareWithSnapshot(snapshot, lists, now);
  const items = allItems(lists);
  const wanted = failOn ?? defaultRules(supplies, hasExpiries(items));
  return judge({ lists, items, owner, comparison, wanted, isKnown }, context, now);
}

/** What to read, and whose access it is: the organization's, on servers without operations for accounts. */
async function openSources(
  organization: string | undefined,
  { address, operator }: Context,
): Promise<{ readonly sources: Sources; readonly account: string }> {
  if (organization === undefined) {
    const { service, username } = await address.accountService();
    return { sources: { account: service, organization: null }, account: username };
  }
  if (!operator.tellsApprovals) {
    throw usageFailure(
      `--github-org is for GitHub, and the operator is ${operator.name}`,
      "--operator github, or permanently: grantctl config set operator github",
    );
  }
  if (await address.lacksAccounts()) {
    const service = await address.ownTokenService();
    return {
      sources: { account: null, organization: { name: organization, service } },
      account: organization,
    };
  }
  const { service: account, username } = await address.accountService();
  const service = await address.anyService();
  return { sources: { account, organization: { name: organization, service } }, account: username };
}

function resourcesOf({ account, organization }: Sources): readonly Resource[] {
  return [
    ...(account === null ? [] : (["grant", "authorization"] as const)),
    ...(organization === null ? [] : (["credential"] as const)),
  ];
}

interface Read {
  readonly lists: Lists<readonly Item[]>;
  /** The items of all lists. */
  readonly items: readonly Item[];
  readonly owner: SnapshotOwner;
  readonly comparison: Comparison | null;
  readonly wanted: readonly WantedRule[];
  readonly isKnown: IsKnown | null;
}

function judge(
  { lists, items, owner, comparison, wanted, isKnown }: Read,
  context: Context,
  now: number,
): Report {
  const unread = new Set<Item>();
  const rules = createRules(wanted, {
    now,
    items,
    added: comparison?.added ?? null,
    isKnown,
    onUnread: (item) => unread.add(item),
  });
  const findings = findAll(items, rules, createCommandLine(context.options, owner.organization));
  if (unread.size > 0) {
    const which = unread.size === 1 ? "1 item has a date" : `${unread.size} items have dates`;
    context.notices.warn(`${which} that cannot be read, and no finding by a rule about it`);
  }
  return { ...owner, now, lists, findings, changes: comparison?.changes ?? null };
}

/** Refuses a snapshot with other lists than this run: everything in such a list would be new, or gone. */
function checkLists(path: string, snapshot: Snapshot, lists: Lists<readonly Item[]>): void {
  const differing = snapshotLists.find((list) => snapshot.has(list) !== (lists[list] !== null));
  if (differing === undefined) return;
  const which = lists[differing] === null ? "holds" : "does not hold";
  throw usageFailure(
    `--since ${path} cannot be used: it ${which} the ${differing}, unlike this run`,
    "make it with the same flags",
  );
}
