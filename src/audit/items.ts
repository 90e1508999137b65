// The input of an audit: every grant and authorization as one plain object, `AuditItem`.
//
//   readAccess     reads the lists, page by page. A list that fails, or ends before the last page that the server
//                  announced, fails the whole audit. A list that grows meanwhile repeats items; each counts once.
//   AuditItem      the fields that rules and reports need; never a token's value. Fields that the server omits, and
//                  empty notes and fingerprints, are null. Each date is stored as sent and in milliseconds since 1970
//                  (null if missing or unreadable), so that rules need no parser.
//   breadthOf      how much a set of scopes allows, from one table: read-only, write, admin, delete, everything.
//                  Scopes that are not in the table are unknown and not ranked.
//
// Items with equal scopes share one list and one breadth object: 100,000 items have few distinct sets of scopes.
import { listAuthorizationsAsSent } from "../api/authorizations.ts";
import { listGrantsAsSent } from "../api/grants.ts";
import type { App, Authorization, Grant } from "../api/resources.ts";
import { Failure } from "../errors/errors.ts";
import type { Paging } from "../http/pages.ts";
import type { Service } from "../http/service.ts";
import type { JsonItem } from "../json/items.ts";
import { parseInstant } from "../lists/age.ts";
import { watchWholeList } from "../lists/paging.ts";
import { cellText } from "../printing/presentation.ts";
import type { Context } from "../run/context.ts";
import type { SnapshotItem } from "./document.ts";

export type Resource = "grant" | "authorization";

/** A grant or an authorization. */
export interface AuditItem extends SnapshotItem {
  readonly resource: Resource;
  /** The application's URL; only of a grant. */
  readonly homepage: string | null;
  readonly note: string | null;
  readonly fingerprint: string | null;
  readonly breadth: Breadth;
  readonly created: number | null;
  readonly updated: number | null;
  readonly expires: number | null;
  readonly token_last_eight: string | null;
}

export type ListName = "grants" | "authorizations";

/** The lists of a run or of an earlier audit. */
export type Lists<T> = Readonly<Record<ListName, T>>;

/** From the narrowest to the broadest. */
export const breadthNames = ["none", "read-only", "write", "admin", "delete", "everything"] as const;
export type BreadthName = (typeof breadthNames)[number] | "unknown";

export interface Breadth {
  /** The breadth of the broadest known scope; `unknown` if no scope is known. */
  readonly name: BreadthName;
  /** From 0 for no scope to 5 for everything; unknown access ranks in the middle, as write access does. */
  readonly level: number;
}

const unknownBreadth: Breadth = { name: "unknown", level: breadthNames.indexOf("write") };

/** Scopes by breadth. A star matches the rest of a name; the first match wins. */
const breadthTable: readonly (readonly [scopes: string, breadth: BreadthName])[] = [
  // Full control of all repositories, an enterprise or an installation, including settings and secrets.
  ["repo site_admin admin:enterprise", "everything"],
  ["delete_* delete:*", "delete"],
  ["admin:* manage_runners:* manage_billing:* scim:enterprise", "admin"],
  ["read:* user:email openid email profile audit_log repo:status security_events", "read-only"],
  ["write:* public_repo repo:invite repo:deployment repo_deployment", "write"],
  ["user user:* gist notifications workflow project codespace codespace:* copilot offline_access", "write"],
];

const breadthPatterns = breadthTable.flatMap(([scopes, breadth]) =>
  scopes
    .split(" ")
    .map((scope) => ({ start: scope.replace("*", ""), isWhole: !scope.endsWith("*"), breadth })),
);

/** The breadth of a set of scopes. `scopes` is null if the server does not report them. */
export function breadthOf(scopes: readonly string[] | null): Breadth {
  if (scopes === null) return unknownBreadth;
  if (scopes.length === 0) return { name: "none", level: 0 };
  const level = Math.max(...scopes.map(levelOfScope));
  const name = breadthNames[level];
  return name === undefined ? unknownBreadth : { name, level };
}

/** Index in `breadthNames`; -1 if unknown. */
function levelOfScope(scope: string): number {
  const pattern = breadthPatterns.find(({ start, isWhole }) =>
    isWhole ? scope === start : scope.startsWith(start),
  );
  return breadthNames.findIndex((known) => known === pattern?.breadth);
}

/** Identifies an item in this run, in an earlier audit and in reports: `authorization 12`. */
export function keyOf({ resource, id }: Pick<AuditItem, "resource" | "id">): string {
  return `${resource} ${cellText(id)}`;
}

/** Identifies the unit of access that an item belongs to: its application, or itself. */
export function unitKey(item: Pick<AuditItem, "resource" | "id" | "client_id" | "application">): string {
  const app = item.client_id ?? item.application;
  return app === null ? keyOf(item) : `app ${app}`;
}

/** Receives each page of a list as sent by the server, for documents that include it unchanged. */
export type KeepPage = (list: ListName, sent: readonly JsonItem<unknown>[]) => void;

/** Reads both lists from the service with the account's credentials. */
export async function readAccess(
  account: Service,
  context: Context,
  keep: KeepPage | undefined,
): Promise<Lists<readonly AuditItem[]>> {
  const maker = createItemMaker();
  const paging = (subject: string): Paging => ({
    ...watchWholeList(context),
    onEarlyEnd(announced, given) {
      throw new Failure(
        "protocol",
        `${subject} is incomplete: the server announced ${announced} pages and sent ${given}`,
        { hint: "Items may have been deleted in the meantime. Run the command again." },
      );
    },
  });
  async function collect<T>(
    list: ListName,
    pages: AsyncIterable<readonly JsonItem<T>[]>,
    toItem: (value: T) => AuditItem,
  ): Promise<readonly AuditItem[]> {
    const items = new Map<string, AuditItem>();
    for await (const page of pages) {
      const fresh = page.filter(({ value }) => {
        const item = toItem(value);
        const id = cellText(item.id);
        return !items.has(id) && items.set(id, item);
      });
      keep?.(list, fresh);
    }
    return [...items.values()];
  }
  const allGrants = listGrantsAsSent(account, paging("the list of grants"));
  const grants = await collect("grants", allGrants, maker.ofGrant);
  const tokens = listAuthorizationsAsSent(account, paging("the list of authorizations"));
  const authorizations = await collect("authorizations", tokens, maker.ofAuthorization);
  return { grants, authorizations };
}

/** The client ID that server types report for personal tokens: empty or all zeros. */
const personal = /^0*$/;

export function createItemMaker() {
  const reaches = new Map<string, Pick<AuditItem, "scopes" | "breadth">>();
  const reachOf = (sent: readonly string[] | null | undefined): Pick<AuditItem, "scopes" | "breadth"> => {
    const scopes = sent ?? null;
    const key = JSON.stringify(scopes);
    const known = reaches.get(key);
    if (known !== undefined) return known;
    const reach = { scopes, breadth: breadthOf(scopes) };
    reaches.set(key, reach);
    return reach;
  };
  return {
    ofGrant: (grant: Grant): AuditItem => {
      const app = reportedApp(grant.app);
      return {
        ...unreported,
        resource: "grant",
        id: grant.id,
        name: app.application ?? app.client_id ?? "an application without a name",
        ...app,
        homepage: filled(grant.app?.url),
        ...reachOf(grant.scopes),
        ...datesOf(grant.created_at, grant.updated_at, null),
      };
    },
    ofAuthorization: (authorization: Authorization): AuditItem => {
      const { created_at, updated_at, expires_at, ...sent } = authorization;
      const app = reportedApp(sent.app);
      const [note, token_last_eight] = [filled(sent.note), filled(sent.token_last_eight)];
      const token = token_last_eight === null ? "a token" : `the token ending in ${token_last_eight}`;
      return {
        ...unreported,
        resource: "authorization",
        id: sent.id,
        name: note ?? app.application ?? token,
        ...app,
        note,
        fingerprint: filled(sent.fingerprint),
        ...reachOf(sent.scopes),
        ...datesOf(created_at, updated_at, expires_at),
        hashed_token: filled(sent.hashed_token),
        token_last_eight,
      };
    },
  };
}

const noApplication = { application: null, client_id: null };

const unreported = {
  ...noApplication,
  homepage: null,
  note: null,
  fingerprint: null,
  hashed_token: null,
  token_last_eight: null,
} as const;

function reportedApp(app: App | null | undefined): Pick<AuditItem, "application" | "client_id"> {
  const [application, client_id] = [filled(app?.name), filled(app?.client_id)];
  return client_id !== null && personal.test(client_id) ? noApplication : { application, client_id };
}

function datesOf(...sent: readonly [Sent, Sent, Sent]) {
  const [created_at = null, updated_at = null, expires_at = null] = sent.map(filled);
  return {
    created_at,
    updated_at,
    expires_at,
    created: parseInstant(created_at),
    updated: parseInstant(updated_at),
    expires: parseInstant(expires_at),
  };
}

type Sent = string | null | undefined;

function filled(text: Sent): string | null {
  return text === undefined || text === "" ? null : text;
}
