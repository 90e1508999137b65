// The contents of an empty store: one account, applications with one grant each, and tokens created over two years.
//
// | authorizations | index                                    | owner                                       |
// | -------------- | ---------------------------------------- | ------------------------------------------- |
// | first          | 0 to grants - 1                          | one for each application                    |
// | then           | `personalTokens` of the operator's plan  | the account: personal tokens                |
// | then           | the rest                                 | the first application, with fingerprints    |
//
// The operator's seed plan sets the types of the first application's tokens. A refresh token belongs to this
// application's previous access token.
//
// Names, notes, scopes and times are derived from the index, so that sandboxes of the same size look the same; secrets
// are random. `beginSeed` creates all secrets that a user must know and starts to hash the password, which takes longer
// than everything else, before the store is loaded. `fillStore` writes everything in one transaction.
import { randomBytes, randomUUID } from "node:crypto";
import type { SeededApplication, SeededCredentials } from "../data-folder.ts";
import { createTotpSecret, type HashedPassword, hashPassword } from "../identity/passwords.ts";
import { createClientId, createUrlSafeSecret, createToken, hashSecret } from "../identity/secrets.ts";
import type { NewAuthorizationFields } from "../operations/account.ts";
import type { HandlerContext } from "../operations/operation.ts";
import type { Behaviour, PlannedToken, SeedPlan } from "../operator.ts";
import type { ApplicationRecord } from "../store/access.ts";
import { organizations } from "./organizations.ts";

export interface SeedSizes {
  /** Applications that hold at least one token. */
  readonly grants: number;
  /** All authorizations, including one for each grant. */
  readonly authorizations: number;
}

const defaultGrants = 3;
/** Authorizations besides one for each grant. */
const defaultExtras = 3;

/** Null selects the default. Throws a RangeError if there are fewer authorizations than grants. */
export function chooseSeedSizes(grants: number | null, authorizations: number | null): SeedSizes {
  for (const number of [grants, authorizations]) {
    if (number !== null && (!Number.isSafeInteger(number) || number < 0)) {
      throw new RangeError(`${number} is not a number of grants or authorizations`);
    }
  }
  const chosenGrants = grants ?? Math.min(defaultGrants, authorizations ?? defaultGrants);
  const chosenAuthorizations = authorizations ?? chosenGrants + defaultExtras;
  if (chosenAuthorizations < chosenGrants) {
    throw new RangeError(
      `${chosenGrants} grants need at least ${chosenGrants} authorizations, not ${chosenAuthorizations}`,
    );
  }
  return { grants: chosenGrants, authorizations: chosenAuthorizations };
}

/** The most token values in a description. */
const maxDescribedTokens = 10_000;
const twoYears = 2 * 365 * 24 * 3600;

export interface Seed {
  /** Seconds since the epoch. */
  readonly at: number;
  readonly credentials: SeededCredentials;
  readonly password: Promise<HashedPassword>;
}

export function beginSeed(sizes: SeedSizes, behaviour: Behaviour, passwordCost: number, at: number): Seed {
  const credentials = makeCredentials(sizes, behaviour, at);
  const password = hashPassword(credentials.password, passwordCost);
  // Awaited in `fillStore`; until then a rejection must not count as unhandled.
  password.catch(() => undefined);
  return { at, credentials, password };
}

function makeCredentials(
  { grants, authorizations }: SeedSizes,
  behaviour: Behaviour,
  at: number,
): SeededCredentials {
  const first = makeApplication(0);
  const others = Array.from({ length: Math.max(grants - 1, 0) }, (_, index) => makeApplication(index + 1));
  const rest = Math.max(authorizations - grants - behaviour.seed.personalTokens, 0);
  const tokenCount = grants === 0 ? 0 : Math.min(1 + rest, maxDescribedTokens);
  return {
    username: "octavia",
    password: createUrlSafeSecret(),
    totp_secret: createTotpSecret(),
    applications: [first, ...others],
    tokens: Array.from({ length: tokenCount }, (_, index) =>
      makeFirstApplicationToken(behaviour, index, first, at),
    ),
  };
}

/** `tokenIndex` counts the first application's tokens from 0. */
function makeFirstApplicationToken(
  { seed, makeToken }: Behaviour,
  tokenIndex: number,
  { client_id }: Pick<SeededApplication, "client_id">,
  at: number,
): string {
  const { kind, scopes } = planFirstApplicationToken(seed, tokenIndex) ?? plainToken;
  return kind === "jwt" ? createJwt(at, { client_id, scope: scopes.join(" ") }) : makeToken(kind);
}

/** In seconds. */
const jwtLifetime = 30 * 24 * 3600;

/**
 * A JWT access token (RFC 9068) of more than 1,000 characters. Its signature is random, because nothing verifies it.
 */
function createJwt(at: number, claims: Readonly<Record<string, unknown>>): string {
  const entitlements = Array.from({ length: 8 }, () => randomUUID());
  const payload = { iat: at, exp: at + jwtLifetime, jti: randomUUID(), ...claims, entitlements };
  const signature = randomBytes(256).toString("base64url");
  return `${encodeJwtPart({ alg: "RS256", typ: "at+jwt", kid: "sandbox" })}.${encodeJwtPart(payload)}.${signature}`;
}

function encodeJwtPart(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString("base64url");
}

const plainToken: PlannedToken = { kind: "access", scopes: [] };

function planFirstApplicationToken(
  { firstApplicationTokens }: SeedPlan,
  tokenIndex: number,
): PlannedToken | undefined {
  return firstApplicationTokens[tokenIndex % firstApplicationTokens.length];
}

function makeApplication(index: number): SeededApplication {
  return { ...applicationIdentity(index), client_id: createClientId(), client_secret: createToken() };
}

export async function fillStore(
  { store, behaviour }: Pick<HandlerContext, "store" | "behaviour">,
  { at, credentials, password: hashing }: Seed,
  sizes: SeedSizes,
): Promise<void> {
  const password = await hashing;
  const [first] = credentials.applications;
  store.transaction(() => {
    const accountId = store.accounts.insert({ login: credentials.username, ...password });
    const applications = credentials.applications.map((application) =>
      store.applications.insert({
        name: application.name,
        url: application.url,
        clientId: application.client_id,
        clientSecretHash: hashSecret(application.client_secret),
      }),
    );
    const described = credentials.tokens.values();
    let lastAccessToken: number | null = null;
    for (let index = 0; index < sizes.authorizations; index += 1) {
      const { tokenIndex, kind, ...fields } = planAuthorization(index, sizes, behaviour.seed, {
        accountId,
        applications,
      });
      const token =
        tokenIndex === null
          ? behaviour.makeToken(kind === "personal" ? "personal" : "access")
          : (described.next().value ?? makeFirstApplicationToken(behaviour, tokenIndex, first, at));
      // A JWT itself contains the time of its creation.
      const age = twoYears - Math.floor((twoYears * (index + 0.5)) / sizes.authorizations);
      const createdAt = kind === "jwt" ? at : at - age;
      const expiresAt = behaviour.hasCurrentFields ? planExpiry(index, sizes, at) : null;
      const id = store.access.add({
        ...fields,
        tokenHash: hashSecret(token),
        tokenLastEight: token.slice(-8),
        createdAt,
        // Every third one was updated after its creation.
        updatedAt: index % 3 === 2 ? createdAt + Math.floor((at - createdAt) / 2) : createdAt,
        expiresAt: kind === "jwt" ? at + jwtLifetime : expiresAt,
        refreshes: kind === "refresh" ? lastAccessToken : null,
      });
      if (tokenIndex !== null && kind !== "refresh") lastAccessToken = id;
      if (behaviour.listsApprovals) approve(store, id, index - sizes.grants, createdAt, at);
    }
  });
}

const day = 24 * 3600;

/** The first personal token expires soon, the second application's much later, and the others never. */
function planExpiry(index: number, { grants }: SeedSizes, at: number): number | null {
  if (index === grants) return at + 10 * day;
  return index === 1 ? at + 200 * day : null;
}

/** Approves two personal tokens for one organization: the first was used days ago, the second months ago. */
function approve(
  { approvals }: HandlerContext["store"],
  id: number,
  extra: number,
  createdAt: number,
  at: number,
): void {
  const organization = organizations.find(({ login }) => login === "lanternfish");
  const usedAt = [at - 5 * day, at - 120 * day][extra];
  if (organization === undefined || usedAt === undefined) return;
  approvals.add(id, organization.id, Math.min(createdAt + day, usedAt));
  approvals.recordUse(id, organization.id, usedAt);
}

interface PlannedAuthorization extends NewAuthorizationFields {
  /** The index among the first application's tokens, from 0; null for any other token. */
  readonly tokenIndex: number | null;
  readonly kind: PlannedToken["kind"];
}

function planAuthorization(
  index: number,
  { grants }: SeedSizes,
  plan: SeedPlan,
  {
    accountId,
    applications,
  }: { readonly accountId: number; readonly applications: readonly ApplicationRecord[] },
): PlannedAuthorization {
  const extra = index - grants;
  const plain = {
    accountId,
    tokenIndex: null,
    kind: "access",
    scopes: chooseFrom(plan.scopes, index),
  } as const;
  if (extra >= 0 && (extra < plan.personalTokens || grants === 0)) {
    const note = personalTokenNote(extra);
    return { ...plain, kind: "personal", application: null, note, noteUrl: null, fingerprint: null };
  }
  const number = extra - plan.personalTokens + 1;
  const fields = {
    ...plain,
    application: applications[extra < 0 ? index : 0] ?? null,
    note: applicationTokenNote(index),
    noteUrl: index % 4 === 1 ? `https://notes.example.com/${index}` : null,
    fingerprint: extra < 0 ? null : `machine-${number}`,
  };
  if (extra < 0 && index > 0) return fields;
  const tokenIndex = index === 0 ? 0 : number;
  return { ...fields, tokenIndex, ...planFirstApplicationToken(plan, tokenIndex) };
}

const applicationNames = [
  "Harbour Deploy",
  "Quill Reviews",
  "Tidewatch CI",
  "Café Métrique",
  "Lanternfish Search",
  "Patchwork Sync",
  "漢字ノート",
  "Northgate Backup",
  "Pebble Tracker",
  "Óbidos Insights",
  "Weathervane Alerts",
  "Marginalia Docs",
];

const personalNotes = [
  "sauvegarde de l'été à la maison",
  "漢字の練習帳",
  "laptop",
  "release script",
  "日報 bot",
];

const applicationNotes = [null, "staging", null, "build agents", "naïve importer", null, "夜間バッチ"];

function applicationIdentity(index: number): Pick<SeededApplication, "name" | "url"> {
  const number = index + 1;
  return {
    name: applicationNames[index] ?? `Application ${number}`,
    url: `https://app-${number}.example.com/`,
  };
}

/** Unique for each index, because personal tokens may not share a note. */
function personalTokenNote(index: number): string {
  return personalNotes[index] ?? `personal token ${index + 1}`;
}

function applicationTokenNote(index: number): string | null {
  return applicationNotes[index % applicationNotes.length] ?? null;
}

function chooseFrom<Each>(choices: readonly (readonly Each[])[], index: number): readonly Each[] {
  return choices[index % choices.length] ?? [];
}
