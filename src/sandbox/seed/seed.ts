// The contents of an empty store: one account, applications with a grant each, and tokens over two years.
//
// | authorizations | index                     | of                                              |
// | -------------- | ------------------------- | ----------------------------------------------- |
// | first          | 0 to grants - 1           | one for each application                        |
// | then           | as many as the plan has   | the account itself: personal tokens             |
// | then           | the rest                  | the first application, each with a fingerprint  |
//
// The operator's seed plan has the types of tokens of the first application. A refresh token belongs to the access
// token of this application before it.
//
// Names, notes, scopes and times follow from the index, so that every sandbox of the same size looks the same; secrets
// are random. `beginSeed` creates all secrets that a user must know and begins to hash the password, which takes longer
// than everything else, while the store is still loaded. `fillStore` writes everything in one transaction.
import { randomBytes, randomUUID } from "node:crypto";
import type { SeededApplication, SeededCredentials } from "../data-folder.ts";
import { createTotpSecret, type HashedPassword, hashPassword } from "../identity/passwords.ts";
import { createClientId, createPassword, createToken, hashToken } from "../identity/secrets.ts";
import type { NewAuthorizationFields } from "../operations/account.ts";
import type { HandlerOptions } from "../operations/operation.ts";
import type { Behaviour, PlannedToken, SeedPlan } from "../operator.ts";
import { organizations } from "./organizations.ts";

export interface SeedSizes {
  /** Applications that hold at least one token. */
  readonly grants: number;
  /** All authorizations of the account. */
  readonly authorizations: number;
}

const defaultGrants = 3;
/** The default number of authorizations besides one for each application. */
const defaultExtras = 3;

/** Null asks for the default. Throws a RangeError when there are fewer authorizations than grants. */
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

/** How many token values a description holds at most. */
const mostDescribedTokens = 10_000;
const twoYears = 2 * 365 * 24 * 3600;

export interface Seed {
  /** The time of the seed, in seconds since the epoch. */
  readonly at: number;
  readonly credentials: SeededCredentials;
  /** The password's hash, which takes longer than everything else and is begun first. */
  readonly password: Promise<HashedPassword>;
}

/** Creates all secrets that a user of the sandbox must know, and begins to hash the password. */
export function beginSeed(sizes: SeedSizes, behaviour: Behaviour, passwordCost: number, at: number): Seed {
  const credentials = makeCredentials(sizes, behaviour, at);
  const password = hashPassword(credentials.password, passwordCost);
  // Awaited when the store is filled; until then a failure must not count as unhandled.
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
  const bulk = Math.max(authorizations - grants - behaviour.seed.personalTokens, 0);
  const tokensOfFirst = grants === 0 ? 0 : Math.min(1 + bulk, mostDescribedTokens);
  return {
    username: "octavia",
    password: createPassword(),
    totp_secret: createTotpSecret(),
    applications: [first, ...others],
    tokens: Array.from({ length: tokensOfFirst }, (_, place) => makeToken(behaviour, place, first, at)),
  };
}

/** The value of the first application's token at this place, from 0. */
function makeToken(
  { seed, makeToken: make }: Behaviour,
  place: number,
  { client_id }: Pick<SeededApplication, "client_id">,
  at: number,
): string {
  const { kind, scopes } = planTokenOfFirst(seed, place) ?? plainToken;
  return kind === "jwt" ? createJwt(at, { client_id, scope: scopes.join(" ") }) : make(kind);
}

/** How long a seeded JWT is valid, in seconds. */
const jwtLifetime = 30 * 24 * 3600;

/**
 * A token in the form of a JWT access token (RFC 9068) of more than 1,000 characters, issued at a time in seconds. Its
 * signature is random, because nothing verifies it.
 */
function createJwt(at: number, claims: Readonly<Record<string, unknown>>): string {
  const entitlements = Array.from({ length: 8 }, () => randomUUID());
  const payload = { iat: at, exp: at + jwtLifetime, jti: randomUUID(), ...claims, entitlements };
  const signature = randomBytes(256).toString("base64url");
  return `${encodePart({ alg: "RS256", typ: "at+jwt", kid: "sandbox" })}.${encodePart(payload)}.${signature}`;
}

function encodePart(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString("base64url");
}

const plainToken: PlannedToken = { kind: "access", scopes: [] };

function planTokenOfFirst({ tokensOfFirst }: SeedPlan, place: number): PlannedToken | undefined {
  return tokensOfFirst[place % tokensOfFirst.length];
}

function makeApplication(index: number): SeededApplication {
  return { ...nameApplication(index), client_id: createClientId(), client_secret: createToken() };
}

/** Fills an empty store in one transaction. */
export async function fillStore(
  { store, behaviour }: Pick<HandlerOptions, "store" | "behaviour">,
  { at, credentials, password: hashing }: Seed,
  sizes: SeedSizes,
): Promise<void> {
  const password = await hashing;
  const [first] = credentials.applications;
  store.transaction(() => {
    const accountId = store.accounts.insert({ login: credentials.username, ...password });
    const applicationIds = credentials.applications.map((application) =>
      store.applications.insert({
        name: application.name,
        url: application.url,
        clientId: application.client_id,
        clientSecretHash: hashToken(application.client_secret),
      }),
    );
    const described = credentials.tokens.values();
    let lastAccessToken: number | null = null;
    for (let index = 0; index < sizes.authorizations; index += 1) {
      const { place, kind, ...fields } = planAuthorization(index, sizes, behaviour.seed, {
        accountId,
        applicationIds,
      });
      const token =
        place === null
          ? behaviour.makeToken(kind === "personal" ? "personal" : "access")
          : (described.next().value ?? makeToken(behaviour, place, first, at));
      const createdAt = at - twoYears + Math.floor((twoYears * (index + 0.5)) / sizes.authorizations);
      const expiresAt = behaviour.hasCurrentFields ? planExpiry(index, sizes, at) : null;
      const id = store.access.add({
        ...fields,
        tokenHash: hashToken(token),
        tokenLastEight: token.slice(-8),
        createdAt,
        // Every third one was changed later, some of them long ago.
        updatedAt: index % 3 === 2 ? createdAt + Math.floor((at - createdAt) / 2) : createdAt,
        expiresAt: kind === "jwt" ? at + jwtLifetime : expiresAt,
        refreshes: kind === "refresh" ? lastAccessToken : null,
      });
      if (place !== null && kind !== "refresh") lastAccessToken = id;
      if (behaviour.announcesApprovals) approve(store, id, index - sizes.grants, createdAt, at);
    }
  });
}

const day = 24 * 3600;

/** The first personal token expires soon, the second application's token much later, and the others never. */
function planExpiry(index: number, { grants }: SeedSizes, at: number): number | null {
  if (index === grants) return at + 10 * day;
  return index === 1 ? at + 200 * day : null;
}

/** Approves the personal tokens for one organization: the first was used days ago, the second months ago. */
function approve(
  { approvals }: HandlerOptions["store"],
  id: number,
  extra: number,
  createdAt: number,
  at: number,
): void {
  const organization = organizations.find(({ login }) => login === "lanternfish");
  const usedAt = [at - 5 * day, at - 120 * day][extra];
  if (organization === undefined || usedAt === undefined) return;
  approvals.add(id, organization.id, Math.min(createdAt + day, usedAt));
  approvals.use(id, organization.id, usedAt);
}

interface PlannedAuthorization extends NewAuthorizationFields {
  /** The place among the first application's tokens, from 0; null for any other token. */
  readonly place: number | null;
  readonly kind: PlannedToken["kind"];
}

/** One token for each application, then personal tokens, then more tokens of the first application. */
function planAuthorization(
  index: number,
  { grants }: SeedSizes,
  plan: SeedPlan,
  { accountId, applicationIds }: { readonly accountId: number; readonly applicationIds: readonly number[] },
): PlannedAuthorization {
  const extra = index - grants;
  const plain = { accountId, place: null, kind: "access", scopes: chooseFrom(plan.scopes, index) } as const;
  if (extra >= 0 && (extra < plan.personalTokens || grants === 0)) {
    const note = notePersonalToken(extra);
    return { ...plain, kind: "personal", applicationId: null, note, noteUrl: null, fingerprint: null };
  }
  const number = extra - plan.personalTokens + 1;
  const fields = {
    ...plain,
    applicationId: applicationIds[extra < 0 ? index : 0] ?? null,
    note: noteApplicationToken(index),
    noteUrl: index % 4 === 1 ? `https://notes.example.com/${index}` : null,
    fingerprint: extra < 0 ? null : `machine-${number}`,
  };
  if (extra < 0 && index > 0) return fields;
  const place = index === 0 ? 0 : number;
  return { ...fields, place, ...planTokenOfFirst(plan, place) };
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

interface ApplicationName {
  readonly name: string;
  readonly url: string;
}

/** The name and address of the application with this index, from 0. */
function nameApplication(index: number): ApplicationName {
  const number = index + 1;
  return {
    name: applicationNames[index] ?? `Application ${number}`,
    url: `https://app-${number}.example.com/`,
  };
}

/** A note for the personal token with this index, different for each. */
function notePersonalToken(index: number): string {
  return personalNotes[index] ?? `personal token ${index + 1}`;
}

/** A note for a token of an application, or none. */
function noteApplicationToken(index: number): string | null {
  return applicationNotes[index % applicationNotes.length] ?? null;
}

function chooseFrom<Each>(choices: readonly (readonly Each[])[], index: number): readonly Each[] {
  return choices[index % choices.length] ?? [];
}
