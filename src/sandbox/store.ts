// What the sandbox knows, in memory: applications and tokens. An application has a grant exactly while it has a token. Times
// are whole seconds.
import { hash } from "node:crypto";

export interface Application {
  /** Also that of its grant. */
  readonly id: number;
  readonly name: string;
  readonly url: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

/** What a client chooses of a token. */
export interface Details {
  readonly note: string | null;
  readonly noteUrl: string | null;
  readonly fingerprint: string | null;
  readonly scopes: readonly string[];
}

/** An authorization. Its value is not kept. */
export interface Token extends Details {
  readonly id: number;
  /** Null for a personal token. */
  readonly application: Application | null;
  readonly hash: string;
  readonly lastEight: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly expiresAt: number | null;
}

type NewToken = Details & Partial<Pick<Token, "createdAt" | "updatedAt" | "expiresAt">>;

export type Store = ReturnType<typeof createStore>;

export function createStore(seconds: () => number, firstId: number) {
  const applications: Application[] = [];
  const tokens = new Map<number, Token>();
  const byHash = new Map<string, Token>();
  const byOwner = new Map<Application | null, Set<Token>>();
  let nextId = firstId;

  const ofOwner = (owner: Application | null): ReadonlySet<Token> => byOwner.get(owner) ?? new Set();

  function setValue(token: Token, value: string): void {
    byHash.delete(token.hash);
    Object.assign(token, { hash: hash("sha256", value), lastEight: value.slice(-8) });
    byHash.set(token.hash, token);
  }

  return {
    applications,
    ofOwner,
    token: (id: number): Token | undefined => tokens.get(id),
    tokens: (): readonly Token[] => [...tokens.values()],
    withGrant: (): readonly Application[] => applications.filter((one) => ofOwner(one).size > 0),
    /** Also finds a token that has expired. */
    findByValue: (value: string): Token | undefined => byHash.get(hash("sha256", value)),
    add(value: string, application: Application | null, fields: NewToken): Token {
      const times = { createdAt: seconds(), updatedAt: seconds(), expiresAt: null };
      const token: Token = { ...times, ...fields, id: nextId, application, hash: "", lastEight: "" };
      nextId += 1;
      tokens.set(token.id, token);
      setValue(token, value);
      byOwner.set(application, (byOwner.get(application) ?? new Set()).add(token));
      return token;
    },
    change: (token: Token, details: Details): void =>
      void Object.assign(token, details, { updatedAt: seconds() }),
    reset(token: Token, value: string): void {
      setValue(token, value);
      Object.assign(token, { updatedAt: seconds() });
    },
    remove(token: Token): void {
      tokens.delete(token.id);
      byHash.delete(token.hash);
      byOwner.get(token.application)?.delete(token);
    },
  };
}
