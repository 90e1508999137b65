// What is in a new sandbox: one account, applications with a grant each, and tokens created over two years. Names, notes,
// scopes and times follow from the index, so that sandboxes of one size look the same; secrets are random.
//
// The first authorizations are one for each application, the next two personal tokens (none at OAuth servers), and the rest
// belong to the first application, with fingerprints.
//
// The second half is healthy: younger than a year, changed within half a year, without `admin:` scopes, each with a note of
// its own, and, at GitHub, an expiry in 200 days. The second token expires soon, and the others of the first half never.
import { randomBytes, randomInt } from "node:crypto";
import type { Person } from "./responses.ts";
import type { SandboxOptions } from "./sandbox.ts";
import type { SimulatedType } from "./service.ts";
import type { Application, Store, Token } from "./store.ts";

export interface Organization extends Person {
  /** True if personal tokens must be approved for it. */
  readonly enforcesSso: boolean;
  /** Members besides the account. */
  readonly members: number;
}

/** The account is a member of all. */
export const organizations: readonly Organization[] = [
  { id: 4711, login: "harbourworks", enforcesSso: false, members: 63 },
  { id: 4712, login: "lanternfish", enforcesSso: true, members: 5 },
  { id: 4713, login: "tidewatch", enforcesSso: true, members: 2 },
];

/** The account comes first. */
export function membersOf({ members }: Organization, account: Person): readonly Person[] {
  const others = Array.from({ length: members }, (_, index) => ({
    id: 1001 + index,
    login: `member-${index + 1}`,
  }));
  return [{ id: account.id, login: account.login }, ...others];
}

const lettersAndDigits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

function hex(bytes: number): string {
  return randomBytes(bytes).toString("hex");
}

export function makeToken(type: SimulatedType, kind: "personal" | "access"): string {
  if (type === "service") return hex(20);
  const prefix = { personal: "ghp_", access: type === "oauth" ? "at_" : "gho_" }[kind];
  const characters = Array.from({ length: 36 }, () => lettersAndDigits[randomInt(lettersAndDigits.length)]);
  return prefix + characters.join("");
}

const day = 86_400;
const twoYears = 2 * 365 * day;
const personalTokens = 2;

/** Returns the first application's tokens and values. Throws a RangeError for fewer authorizations than grants. */
export function seed(store: Store, options: SandboxOptions): readonly (readonly [Token, string])[] {
  const { serverType: type, credentials } = options;
  const at = Math.floor(options.now() / 1000);
  const grants = options.grants ?? Math.min(3, options.authorizations ?? 3);
  const authorizations = options.authorizations ?? grants + 3;
  if (authorizations < grants)
    throw new RangeError(`--grants ${grants} needs at least --authorizations ${grants}`);
  for (let index = 0; index < Math.max(grants, 1); index += 1)
    store.applications.push(makeApplication(index, index === 0 ? credentials : undefined));
  const [first = null] = store.applications;
  const ofFirst: (readonly [Token, string])[] = [];
  for (let index = 0; index < authorizations; index += 1) {
    const extra = index - grants;
    const isPersonal = type !== "oauth" && extra >= 0 && (extra < personalTokens || grants === 0);
    const application = isPersonal ? null : extra < 0 ? (store.applications[index] ?? null) : first;
    const isHealthy = index >= authorizations / 2;
    const createdAt = at - twoYears + Math.floor((twoYears * (index + 0.5)) / authorizations);
    const isChanged = isHealthy || index % 3 === 2;
    const note = isPersonal ? (personal[extra] ?? `personal token ${extra + 1}`) : notes[index % 7];
    const scopes = scopeSets[index % (isHealthy ? scopeSets.length - 1 : scopeSets.length)] ?? [];
    const value = makeToken(type, isPersonal ? "personal" : "access");
    const token = store.add(value, application, {
      note: isHealthy && !isPersonal ? `${note ?? "backup"} ${index + 1}` : (note ?? null),
      noteUrl: !isPersonal && index % 4 === 1 ? `https://notes.example.com/${index}` : null,
      fingerprint: isPersonal || extra < 0 ? null : `machine-${ofFirst.length}`,
      scopes: type === "oauth" ? ["openid", "profile"] : scopes,
      createdAt,
      updatedAt: isChanged ? at - Math.floor((at - createdAt) / (isHealthy ? 3 : 2)) : createdAt,
      expiresAt: type.startsWith("github") ? expiryOf(index, isHealthy, at) : null,
    });
    if (application === first) ofFirst.push([token, value]);
  }
  return ofFirst;
}

function expiryOf(index: number, isHealthy: boolean, at: number): number | null {
  if (index === 1) return at + 10 * day;
  return isHealthy ? at + 200 * day : null;
}

function makeApplication(index: number, given: SandboxOptions["credentials"]): Application {
  return {
    id: index + 1,
    name: applicationNames[index] ?? `Application ${index + 1}`,
    url: `https://app-${index + 1}.example.com/`,
    clientId: given?.clientId ?? hex(10),
    clientSecret: given?.clientSecret ?? hex(20),
  };
}

const applicationNames =
  `Harbour Deploy,Quill Reviews,Tidewatch CI,Café Métrique,Lanternfish Search,Patchwork Sync,漢字ノート,Northgate Backup,
Pebble Tracker,Óbidos Insights,Weathervane Alerts,Marginalia Docs`.split(/,\s*/);
const personal = "sauvegarde de l'été à la maison,漢字の練習帳,laptop,release script,日報 bot".split(",");
const notes = [null, "staging", null, "build agents", "naïve importer", null, "夜間バッチ"];
/** Only the last set is unhealthy. */
const scopeSets =
  "repo|user|public_repo gist|read:org user:email|repo workflow write:packages||notifications|admin:repo_hook repo:status user"
    .split("|")
    .map((set) => set.split(" ").filter((scope) => scope !== ""));
