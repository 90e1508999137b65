// What the sandbox knows, in memory: applications, tokens, grants, and approvals of single sign-on. A grant exists exactly
// while its application has a token, so tokens are added, changed and removed only here. Times are whole seconds.
import { hash } from "node:crypto";

export interface Application {
  readonly id: number;
  readonly name: string;
  readonly url: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

/** An authorization. Its value is not kept. */
export interface Token {
  readonly id: number;
  /** Null for a personal token. */
  readonly application: Application | null;
  hash: string;
  lastEight: string;
  note: string | null;
  noteUrl: string | null;
  fingerprint: string | null;
  scopes: readonly string[];
  readonly createdAt: number;
  updatedAt: number;
  readonly expiresAt: number | null;
  /** Of a refresh token: the access token that was issued with it. */
  readonly refreshes: Token | null;
}

export interface Grant {
  readonly id: number;
  readonly application: Application;
  readonly createdAt: number;
  updatedAt: number;
}

/** A change that was made, for the ledger of tests. */
export interface Write {
  readonly change: "added" | "changed" | "reset" | "removed";
  readonly token: Token;
  /** Of a new token, or after a reset. */
  readonly value: string | null;
}

export type NewToken = Omit<Token, "id" | "hash" | "lastEight">;
export type Store = ReturnType<typeof createStore>;

export function createStore(onWrite: (write: Write) => void, firstId = 1) {
  const applications: Application[] = [];
  const tokens = new Map<number, Token>();
  const byHash = new Map<string, Token>();
  const byOwner = new Map<Application | null, Set<Token>>();
  const grants = new Map<Application, Grant>();
  const approvals = new Set<string>();
  let [lastToken, lastGrant] = [firstId - 1, 0];
  /** All tokens as an array, from which pages are cut; null after a change of their number. */
  let listed: readonly Token[] | null = null;

  const ofOwner = (owner: Application | null): ReadonlySet<Token> => byOwner.get(owner) ?? new Set();

  function touch({ application }: Token, at: number): void {
    const grant = application === null ? undefined : grants.get(application);
    if (grant !== undefined) grant.updatedAt = Math.max(grant.updatedAt, at);
  }

  function setValue(token: Token, value: string): void {
    byHash.delete(token.hash);
    Object.assign(token, { hash: hash("sha256", value), lastEight: value.slice(-8) });
    byHash.set(token.hash, token);
  }

  function remove(token: Token, at: number): void {
    const { application } = token;
    if (!tokens.delete(token.id)) return;
    byHash.delete(token.hash);
    byOwner.get(application)?.delete(token);
    listed = null;
    touch(token, at);
    if (application !== null && ofOwner(application).size === 0) grants.delete(application);
    onWrite({ change: "removed", token, value: null });
  }

  return {
    applications,
    ofOwner,
    remove,
    token: (id: number): Token | undefined => tokens.get(id),
    tokens: (): readonly Token[] => (listed ??= [...tokens.values()]),
    grants: (): readonly Grant[] => [...grants.values()],
    grantOf: (application: Application): Grant | undefined => grants.get(application),
    scopesOf: ({ application }: Grant): string[] => [
      ...new Set([...ofOwner(application)].flatMap(({ scopes }) => scopes)),
    ],
    /** Also finds a token that has expired. */
    findByValue: (value: string): Token | undefined => byHash.get(hash("sha256", value)),
    add(value: string, fields: NewToken): Token {
      const token: Token = { id: (lastToken += 1), hash: "", lastEight: "", ...fields };
      const { application, createdAt, updatedAt } = token;
      tokens.set(token.id, token);
      setValue(token, value);
      byOwner.set(application, (byOwner.get(application) ?? new Set()).add(token));
      listed = null;
      if (application !== null && !grants.has(application))
        grants.set(application, { id: (lastGrant += 1), application, createdAt, updatedAt });
      touch(token, updatedAt);
      onWrite({ change: "added", token, value });
      return token;
    },
    change(
      token: Token,
      at: number,
      fields: Pick<Token, "note" | "noteUrl" | "fingerprint" | "scopes">,
    ): void {
      Object.assign(token, fields, { updatedAt: at });
      touch(token, at);
      onWrite({ change: "changed", token, value: null });
    },
    reset(token: Token, value: string, at: number): void {
      setValue(token, value);
      token.updatedAt = at;
      touch(token, at);
      onWrite({ change: "reset", token, value });
    },
    removeGrant(application: Application, at: number): void {
      for (const token of ofOwner(application)) remove(token, at);
    },
    approve: (token: Token, organizationId: number): void =>
      void approvals.add(`${token.id} ${organizationId}`),
    isApproved: (token: Token, organizationId: number): boolean =>
      approvals.has(`${token.id} ${organizationId}`),
  };
}
