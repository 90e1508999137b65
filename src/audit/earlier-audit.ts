// An earlier audit, to compare with this one: its JSON output, as `grantctl audit --json` prints it. Its grants and
// authorizations are those that the server sent, so they become items in the same way. An audit of another account or
// service is rejected.
import * as v from "valibot";
import { checkAuthorization, checkGrant } from "../api/checks.ts";
import { usageFailure } from "../errors/errors.ts";
import { readPlainFile, Unreadable } from "../files/bounded-reads.ts";
import { parseJson } from "../json/exact-json.ts";
import { createItemMaker, type AuditItem, type Lists } from "./items.ts";
import type { SnapshotItem } from "./document.ts";

/** The account and server that an audit describes. */
export interface AuditOwner {
  readonly account: string;
  readonly base_url: string;
  readonly server_type: string;
}

export interface EarlierAudit {
  readonly path: string;
  readonly owner: AuditOwner;
  readonly lists: Lists<readonly SnapshotItem[]>;
  /** True if single sign-on left out items. */
  readonly isIncomplete: boolean;
}

/** The fields of an item that are compared. */
export function toSnapshotItem(item: AuditItem): SnapshotItem {
  return {
    id: item.id,
    name: item.name,
    application: item.application,
    client_id: item.client_id,
    // Sorted by code unit, independent of the locale.
    scopes: item.scopes === null ? null : [...new Set(item.scopes)].toSorted(),
    created_at: item.created_at,
    updated_at: item.updated_at,
    expires_at: item.expires_at,
    hashed_token: item.hashed_token,
  };
}

const documentSchema = v.object({
  account: v.string(),
  base_url: v.string(),
  server_type: v.string(),
  incomplete: v.nullable(v.looseObject({})),
  grants: v.array(v.unknown()),
  authorizations: v.array(v.unknown()),
});

/** The JSON of 100,000 authorizations has about 100 MB. */
const mostBytes = 512 * 1024 * 1024;

/** Reads an earlier audit. Throws a usage failure for a file that is none, or that is not a plain file. */
export async function readEarlierAudit(path: string): Promise<EarlierAudit> {
  const bytes = await readPlainFile(path, mostBytes).catch((error: unknown) => {
    if (error instanceof Unreadable)
      throw usageFailure(`--compare ${path} cannot be read (${error.message})`);
    throw error;
  });
  const maker = createItemMaker();
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    const { incomplete, grants, authorizations, ...owner } = v.parse(documentSchema, parseJson(text));
    return {
      path,
      owner,
      lists: {
        grants: grants.map((grant) => toSnapshotItem(maker.ofGrant(checkGrant(grant)))),
        authorizations: authorizations.map((one) =>
          toSnapshotItem(maker.ofAuthorization(checkAuthorization(one))),
        ),
      },
      isIncomplete: incomplete !== null,
    };
  } catch {
    throw usageFailure(
      `--compare ${path} is damaged, or not the JSON of an audit`,
      "Run `grantctl audit --json > FILE` to make one.",
    );
  }
}

/** Throws a usage failure if the earlier audit is of another account or service. */
export function checkOwner({ path, owner }: EarlierAudit, wanted: AuditOwner): void {
  const differing = (["account", "base_url", "server_type"] as const).find(
    (key) => owner[key] !== wanted[key],
  );
  if (differing === undefined) return;
  const name = differing === "base_url" ? "service" : differing;
  throw usageFailure(
    `--compare ${path} is an audit of another ${name}: ${owner[differing]} (this run: ${wanted[differing]})`,
    "Use an earlier audit of the same account and service.",
  );
}
