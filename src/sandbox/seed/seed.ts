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
// are random. Everything is written in one transaction.
import { randomBytes, randomUUID } from "node:crypto";
import { createTotpSecret } from "../identity/one-time-passwords.ts";
import { createClientId, createUrlSafeSecret, createToken, hashSecret } from "../identity/secrets.ts";
import type { Behaviour, PlannedToken } from "../operator.ts";
import type { NewAuthorization } from "../store/access.ts";
import type { Store } from "../store/store.ts";
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

interface SeedOptions {
  readonly store: Store;
  readonly behaviour: Behaviour;
  readonly sizes: SeedSizes;
  /** Seconds since the epoch. */
  readonly at: number;
}

export interface SeededApplication {
  readonly name: string;
  readonly url: string;
  readonly client_id: string;
  readonly client_secret: string;
}

export interface SeededCredentials {
  readonly username: string;
  readonly password: string;
  /** Base32. */
  readonly totp_secret: string;
  readonly applications: readonly [SeededApplication, ...SeededApplication[]];
  /** Token values of the first application, by ascending ID. */
  readonly tokens: readonly string[];
}

/** Fills an empty store, and returns the credentials that a user must know. */
export function seedStore(options: SeedOptions): SeededCredentials {
  const { store, behaviour, sizes, at } = options;
  const first = makeApplication(0);
  const others = Array.from({ length: Math.max(sizes.grants - 1, 0) }, (_, index) =>
    makeApplication(index + 1),
  );
  const makeToken = ({ kind, scopes }: PlannedToken): string =>
    kind === "jwt"
      ? createJwt(at, { client_id: first.client_id, scope: scopes.join(" ") })
      : behaviour.makeToken(kind);
  const credentials: SeededCredentials = {
    username: "octavia",
    password: createUrlSafeSecret(),
    totp_secret: createTotpSecret(),
    applications: [first, ...others],
    tokens: planDescribedTokens(options).map(makeToken),
  };
  store.transaction(() => {
    const accountId = store.accounts.insert({
      login: credentials.username,
      passwordHash: hashSecret(credentials.password),
    });
    const applications = credentials.applications.map((application) =>
      store.applications.insert({
        name: application.name,
        url: application.url,
        clientId: application.client_id,
        clientSecretHash: hashSecret(application.client_secret),
      }),
    );
    let lastAccessToken: number | null = null;
    for (let index = 0; index < sizes.authorizations; index += 1) {
      const { applicationIndex, tokenIndex, kind, ...fields } = planAuthorization(index, options);
      const described = tokenIndex === null ? undefined : credentials.tokens[tokenIndex];
      const token = described ?? makeToken({ kind, scopes: fields.scopes });
      const id = store.access.add({
        ...fields,
        accountId,
        application: applicationIndex === null ? null : (applications[applicationIndex] ?? null),
        tokenHash: hashSecret(token),
        tokenLastEight: token.slice(-8),
        refreshes: kind === "refresh" ? lastAccessToken : null,
      });
      if (tokenIndex !== null && kind !== "refresh") lastAccessToken = id;
      if (behaviour.isCurrent) approve(store, id, index - sizes.grants, fields.createdAt, at);
    }
  });
  return credentials;
}

function makeApplication(index: number): SeededApplication {
  const number = index + 1;
  return {
    name: applicationNames[index] ?? `Application ${number}`,
    url: `https://app-${number}.example.com/`,
    client_id: createClientId(),
    client_secret: createToken(),
  };
}

/** The most token values in a description. */
const maxDescribedTokens = 10_000;
const day = 24 * 3600;
const twoYears = 2 * 365 * day;
const jwtLifetime = 30 * day;

/** The first tokens of the first application. */
function planDescribedTokens({ sizes, behaviour }: SeedOptions): readonly PlannedToken[] {
  if (sizes.grants === 0) return [];
  const extras = Math.max(sizes.authorizations - sizes.grants - behaviour.seed.personalTokens, 0);
  const length = Math.min(1 + extras, maxDescribedTokens);
  const plain: PlannedToken = { kind: "access", scopes: [] };
  return Array.from({ length }, (_, tokenIndex) => planFirstApplicationToken(behaviour, tokenIndex) ?? plain);
}

/** `tokenIndex` counts the first application's tokens from 0. Undefined for a plain access token. */
function planFirstApplicationToken({ seed }: Behaviour, tokenIndex: number): PlannedToken | undefined {
  return seed.firstApplicationTokens[tokenIndex % seed.firstApplicationTokens.length];
}

interface PlannedAuthorization extends Omit<
  NewAuthorization,
  "accountId" | "application" | "tokenHash" | "tokenLastEight" | "refreshes"
> {
  /** Null for a personal token. */
  readonly applicationIndex: number | null;
  /** The index among the first application's tokens, from 0; null for any other token. */
  readonly tokenIndex: number | null;
  readonly kind: PlannedToken["kind"];
}

function planAuthorization(index: number, { sizes, behaviour, at }: SeedOptions): PlannedAuthorization {
  const { personalTokens, scopes: allScopes } = behaviour.seed;
  const extra = index - sizes.grants;
  const isPersonal = extra >= 0 && (extra < personalTokens || sizes.grants === 0);
  const applicationIndex = extra < 0 ? index : 0;
  const number = extra - personalTokens + 1;
  const isOfFirst = !isPersonal && applicationIndex === 0;
  const tokenIndex = index === 0 ? 0 : number;
  const special = isOfFirst ? planFirstApplicationToken(behaviour, tokenIndex) : undefined;
  const scopes = special?.scopes ?? allScopes[index % allScopes.length] ?? [];
  // A JWT itself contains the time of its creation.
  const age = twoYears - Math.floor((twoYears * (index + 0.5)) / sizes.authorizations);
  const createdAt = special?.kind === "jwt" ? at : at - age;
  const times = {
    createdAt,
    // Every third one was updated after its creation.
    updatedAt: index % 3 === 2 ? createdAt + Math.floor((at - createdAt) / 2) : createdAt,
    expiresAt: behaviour.isCurrent ? planExpiry(index, sizes, at) : null,
  };
  if (isPersonal) {
    return {
      applicationIndex: null,
      tokenIndex: null,
      kind: "personal",
      // Unique, because personal tokens may not share a note.
      note: personalNotes[extra] ?? `personal token ${extra + 1}`,
      noteUrl: null,
      fingerprint: null,
      scopes,
      ...times,
    };
  }
  const kind = special?.kind ?? "access";
  return {
    applicationIndex,
    tokenIndex: isOfFirst ? tokenIndex : null,
    kind,
    note: applicationNotes[index % applicationNotes.length] ?? null,
    noteUrl: index % 4 === 1 ? `https://notes.example.com/${index}` : null,
    fingerprint: extra < 0 ? null : `machine-${number}`,
    scopes,
    ...times,
    ...(kind === "jwt" ? { expiresAt: at + jwtLifetime } : {}),
  };
}

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

/** The first personal token expires soon, the second application's much later, and the others never. */
function planExpiry(index: number, { grants }: SeedSizes, at: number): number | null {
  if (index === grants) return at + 10 * day;
  return index === 1 ? at + 200 * day : null;
}

/** Approves two personal tokens for one organization. */
function approve({ approvals }: Store, id: number, extra: number, createdAt: number, at: number): void {
  const organization = organizations.find(({ login }) => login === "lanternfish");
  if (organization === undefined || extra < 0 || extra > 1) return;
  approvals.add(id, organization.id, Math.min(createdAt + day, at));
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
