// The data of a new sandbox: one account, applications, and tokens spread over the last two years. Makes up the secrets
// first and fills the store second, so that the secrets can be written to their file in between.
import { organizations } from "../fixtures/organizations.ts";
import type { NewAuthorizationFields } from "../handlers/new-token.ts";
import { createTotpSecret } from "../identity/one-time-passwords.ts";
import { hashPassword, type HashedPassword } from "../identity/password-verifier.ts";
import { createClientId, createPassword, createToken, hashToken } from "../identity/secrets.ts";
import type { HandlerOptions } from "../handlers/handler-options.ts";
import type { Behaviour } from "../operator.ts";
import type { SeededApplication, SeededCredentials } from "./credentials.ts";
import { chooseScopes, nameApplication, noteApplicationToken, notePersonalToken } from "./seed-names.ts";
import type { SeedSizes } from "./seed-sizes.ts";

/** How many token values a description holds at most. */
const mostDescribedTokens = 10_000;
const personalExtras = 2;
const twoYears = 2 * 365 * 24 * 3600;

export interface Seed {
  readonly credentials: SeededCredentials;
  /** The password's hash, which takes longer than everything else and is begun first. */
  readonly password: Promise<HashedPassword>;
}

/** Makes up all secrets that somebody must know to use the sandbox, and begins to hash the password. */
export function beginSeed(sizes: SeedSizes, behaviour: Behaviour, passwordCost: number): Seed {
  const credentials = makeCredentials(sizes, behaviour);
  const password = hashPassword(credentials.password, passwordCost);
  // Awaited when the store is filled; until then a failure must not count as unhandled.
  password.catch(() => undefined);
  return { credentials, password };
}

function makeCredentials({ grants, authorizations }: SeedSizes, { makeToken }: Behaviour): SeededCredentials {
  const others = Array.from({ length: Math.max(grants - 1, 0) }, (_, index) => makeApplication(index + 1));
  const bulk = Math.max(authorizations - grants - personalExtras, 0);
  const tokensOfFirst = grants === 0 ? 0 : Math.min(1 + bulk, mostDescribedTokens);
  return {
    username: "octavia",
    password: createPassword(),
    totp_secret: createTotpSecret(),
    applications: [makeApplication(0), ...others],
    tokens: Array.from({ length: tokensOfFirst }, () => makeToken(false)),
  };
}

function makeApplication(index: number): SeededApplication {
  return { ...nameApplication(index), client_id: createClientId(), client_secret: createToken() };
}

/** Fills an empty store in one transaction. `at` is the present, in seconds. */
export async function fillStore(
  { store, behaviour }: Pick<HandlerOptions, "store" | "behaviour">,
  { credentials, password: hashing }: Seed,
  sizes: SeedSizes,
  at: number,
): Promise<void> {
  const password = await hashing;
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
    for (let index = 0; index < sizes.authorizations; index += 1) {
      const fields = planAuthorization(index, sizes, accountId, applicationIds);
      const isOfFirst = fields.applicationId === applicationIds[0];
      const token =
        (isOfFirst ? described.next().value : undefined) ??
        behaviour.makeToken(fields.applicationId === null);
      const createdAt = at - twoYears + Math.floor((twoYears * (index + 0.5)) / sizes.authorizations);
      const id = store.access.add({
        ...fields,
        tokenHash: hashToken(token),
        tokenLastEight: token.slice(-8),
        createdAt,
        // Every third was changed since, some of them long ago.
        updatedAt: index % 3 === 2 ? createdAt + Math.floor((at - createdAt) / 2) : createdAt,
        expiresAt: behaviour.isOfToday ? planExpiry(index, sizes, at) : null,
      });
      if (behaviour.tellsApprovals) approve(store, id, index - sizes.grants, createdAt, at);
    }
  });
}

const day = 24 * 3600;

/** The first personal token expires soon, the second application's one much later; the others never do. */
function planExpiry(index: number, { grants }: SeedSizes, at: number): number | null {
  if (index === grants) return at + 10 * day;
  return index === 1 ? at + 200 * day : null;
}

/** The personal tokens are approved for one organization: the first was used some days ago, the second not for months. */
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

/** First one token for each application, then two personal ones, then more of the first application. */
function planAuthorization(
  index: number,
  { grants }: SeedSizes,
  accountId: number,
  applicationIds: readonly number[],
): NewAuthorizationFields {
  const extra = index - grants;
  const scopes = chooseScopes(index);
  if (extra >= 0 && (extra < personalExtras || grants === 0)) {
    const fields = { accountId, note: notePersonalToken(extra), fingerprint: null, scopes };
    return { ...fields, applicationId: null, noteUrl: null };
  }
  return {
    accountId,
    applicationId: applicationIds[extra < 0 ? index : 0] ?? null,
    note: noteApplicationToken(index),
    noteUrl: index % 4 === 1 ? `https://notes.example.com/${index}` : null,
    fingerprint: extra < 0 ? null : `machine-${extra - personalExtras + 1}`,
    scopes,
  };
}
