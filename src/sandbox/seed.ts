// What is in a new sandbox: one account, applications with a grant each, and tokens created over two years. Names, notes,
// scopes and times follow from the index, so that sandboxes of one size look the same; secrets are random.
//
// | authorizations       | owner                                                                          |
// | -------------------- | ------------------------------------------------------------------------------ |
// | first `grants`       | one for each application                                                       |
// | then 2               | the account: personal tokens (none at OAuth servers)                           |
// | the rest             | the first application, with fingerprints                                       |
//
// The second half is healthy: younger than a year, changed within half a year, without `admin:` scopes, each with a note of
// its own, and, at GitHub, an expiry in 200 days. The second token expires soon, and the others of the first half never.
import { randomBytes, randomInt, randomUUID } from "node:crypto";
import type { Person } from "./responses.ts";
import type { ServerType } from "./service.ts";
import type { Application, Store, Token } from "./store.ts";

export interface Organization extends Person {
  /** True if personal tokens must be approved for it. */
  readonly enforcesSso: boolean;
  /** Members besides the account. */
  readonly members: number;
  /** Issues that are assigned to the account. */
  readonly issues: number;
}

/** The account is a member of all. */
export const organizations: readonly Organization[] = [
  { id: 4711, login: "harbourworks", enforcesSso: false, members: 63, issues: 35 },
  { id: 4712, login: "lanternfish", enforcesSso: true, members: 5, issues: 4 },
  { id: 4713, login: "tidewatch", enforcesSso: true, members: 2, issues: 3 },
];

const firstParts = ["amber", "brisk", "calm", "dusky", "early", "fern", "grey", "hazel"];
const lastParts = ["otter", "heron", "badger", "wren", "newt", "osprey", "hare", "vole"];

/** The account comes first. */
export function membersOf({ members }: Organization, account: Person): readonly Person[] {
  const others = Array.from({ length: members }, (_, index) => ({
    id: 1001 + index,
    login: `${firstParts[index % 8]}-${lastParts[Math.floor(index / 8) % 8]}`,
  }));
  return [{ id: account.id, login: account.login }, ...others];
}

export type TokenKind = "personal" | "access" | "refresh";

const lettersAndDigits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

function hex(bytes: number): string {
  return randomBytes(bytes).toString("hex");
}

/** A new value in the format of the server type. */
export function makeToken(type: ServerType, kind: TokenKind): string {
  if (type === "service") return hex(20);
  const prefixes =
    type === "oauth"
      ? { personal: "at_", access: "at_", refresh: "rt_" }
      : { personal: "ghp_", access: "gho_", refresh: "ghr_" };
  const characters = Array.from({ length: 36 }, () => lettersAndDigits[randomInt(lettersAndDigits.length)]);
  return prefixes[kind] + characters.join("");
}

export interface SeededToken {
  readonly token: Token;
  readonly value: string;
}

interface Sizes {
  readonly type: ServerType;
  readonly grants: number;
  readonly authorizations: number;
  /** Now, in seconds. */
  readonly at: number;
  /** Of the first application, in place of random ones. */
  readonly client: Partial<Pick<Application, "clientId" | "clientSecret">>;
}

const day = 86_400;
const twoYears = 2 * 365 * day;
const personalTokens = 2;

/** Fills the store, and returns the tokens of the first application. */
export function seed(
  store: Store,
  { type, grants, authorizations, at, client }: Sizes,
): readonly SeededToken[] {
  for (let index = 0; index < Math.max(grants, 1); index += 1)
    store.applications.push({ ...makeApplication(index), ...(index === 0 ? client : {}) });
  const [first] = store.applications;
  const ofFirst: SeededToken[] = [];
  for (let index = 0; index < authorizations; index += 1) {
    const extra = index - grants;
    const isPersonal = type !== "oauth" && extra >= 0 && (extra < personalTokens || grants === 0);
    const application = isPersonal ? null : ((extra < 0 ? store.applications[index] : first) ?? null);
    const isHealthy = index >= authorizations / 2;
    const createdAt = at - twoYears + Math.floor((twoYears * (index + 0.5)) / authorizations);
    const isChanged = isHealthy || index % 3 === 2;
    const note = isPersonal ? (personalNotes[extra] ?? `personal token ${extra + 1}`) : notes[index % 7];
    const number = type === "oauth" ? extra : extra - personalTokens;
    const planned = {
      note: isHealthy && !isPersonal ? `${note ?? "backup"} ${index + 1}` : (note ?? null),
      noteUrl: !isPersonal && index % 4 === 1 ? `https://notes.example.com/${index}` : null,
      fingerprint: isPersonal || extra < 0 ? null : `machine-${number + 1}`,
      scopes: scopeSets[index % (isHealthy ? scopeSets.length - 1 : scopeSets.length)] ?? [],
      createdAt,
      updatedAt: isChanged ? at - Math.floor((at - createdAt) / (isHealthy ? 3 : 2)) : createdAt,
      expiresAt: type.startsWith("github") ? expiryOf(index, isHealthy, at) : null,
      refreshes: null,
    };
    const position = application === first ? ofFirst.length : 0;
    const special = type === "oauth" ? oauthToken(position, application, ofFirst, at) : null;
    const value = special?.value ?? makeToken(type, isPersonal ? "personal" : "access");
    const token = store.add(value, { ...planned, application, ...special?.fields });
    if (application === first) ofFirst.push({ token, value });
  }
  return ofFirst;
}

function expiryOf(index: number, isHealthy: boolean, at: number): number | null {
  if (index === 1) return at + 10 * day;
  return isHealthy ? at + 200 * day : null;
}

/** Tokens of an OAuth server: in turn an access token, its refresh token, a JWT, and its refresh token. */
function oauthToken(
  position: number,
  application: Application | null,
  earlier: readonly SeededToken[],
  at: number,
): { readonly value: string; readonly fields: Partial<Token> } {
  const isReport = position % 4 >= 2;
  const scopes = isReport ? ["reports:read", "offline_access"] : signInScopes;
  if (position % 2 === 1)
    return {
      value: makeToken("oauth", "refresh"),
      fields: { scopes, refreshes: earlier.at(-1)?.token ?? null },
    };
  if (!isReport) return { value: makeToken("oauth", "access"), fields: { scopes } };
  const expiresAt = at + 30 * day;
  const claims = { iat: at, exp: expiresAt, jti: randomUUID(), client_id: application?.clientId };
  return {
    value: makeJwt({
      ...claims,
      scope: scopes.join(" "),
      entitlements: Array.from({ length: 8 }, () => randomUUID()),
    }),
    fields: { scopes, createdAt: at, updatedAt: at, expiresAt },
  };
}

function encodePart(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString("base64url");
}

/** A JWT access token (RFC 9068) of more than 1,000 characters. Nothing verifies its signature. */
function makeJwt(payload: object): string {
  const header = encodePart({ alg: "RS256", typ: "at+jwt", kid: "sandbox" });
  return `${header}.${encodePart(payload)}.${randomBytes(256).toString("base64url")}`;
}

function makeApplication(index: number): Application {
  return {
    id: index + 1,
    name: applicationNames[index] ?? `Application ${index + 1}`,
    url: `https://app-${index + 1}.example.com/`,
    clientId: hex(10),
    clientSecret: hex(20),
  };
}

const applicationNames =
  `Harbour Deploy,Quill Reviews,Tidewatch CI,Café Métrique,Lanternfish Search,Patchwork Sync,漢字ノート,Northgate Backup,
Pebble Tracker,Óbidos Insights,Weathervane Alerts,Marginalia Docs`.split(/,\s*/);
const personalNotes = [
  "sauvegarde de l'été à la maison",
  "漢字の練習帳",
  "laptop",
  "release script",
  "日報 bot",
];
const notes = [null, "staging", null, "build agents", "naïve importer", null, "夜間バッチ"];
const signInScopes = ["openid", "profile", "email", "offline_access"];
/** Only the last set is unhealthy. */
const scopeSets =
  "repo|user|public_repo gist|read:org user:email|repo workflow write:packages||notifications|admin:repo_hook repo:status user"
    .split("|")
    .map((set) => set.split(" ").filter((scope) => scope !== ""));
