// The witnesses of a run: items that must be there. If the server finds one after it has said "not found" of others, the
// credentials were right.
//
//   proof tokens   never items of the job; asked first
//   found items    those that a read of this run found, and that the run left alone; the newest are asked first
//   listed items   for an account, those on the list's first page
//
// An item that the run found or changed counts as a witness without being asked, if its request was sent after the last
// response that accepted nothing.
//
// An OAuth 2.0 server may show access tokens and hide refresh tokens. So a token vouches there only for those of its own
// type. An opaque text does not show its type: it is vouched for by an access token and a refresh token together, which
// the server must tell apart.
import { readPayload, typeInText } from "../token.ts";

/** At an OAuth 2.0 server, "access" or "refresh" for each token that it showed active. Null if a server hides none. */
export type ShownTypes = ReadonlyMap<string, string> | null;

/** At most so many absent witnesses are asked, the newest first, because the least time has passed since they were found. */
const mostWitnesses = 5;

export class Witnesses {
  readonly #proofTokens: readonly string[];
  readonly #types: ShownTypes;
  /** Those that may be asked, oldest first. */
  readonly #standing: Set<string>;
  readonly #changed = new Set<string>();
  #round = 0;
  /** Items found by requests of this round, which began with the last response that accepted nothing. */
  #foundSince: readonly string[] = [];

  constructor(proofTokens: readonly string[], types: ShownTypes) {
    this.#proofTokens = proofTokens;
    this.#types = types;
    this.#standing = new Set(proofTokens);
  }

  get isEmpty(): boolean {
    return this.#standing.size === 0;
  }

  /** The items that vouch without a question. */
  get foundSince(): readonly string[] {
    return this.#foundSince;
  }

  /** For `addSuccess`: to be taken before a request is sent. */
  get round(): number {
    return this.#round;
  }

  /** Notes a response that accepted nothing. */
  startRound(): void {
    this.#round += 1;
    this.#foundSince = [];
  }

  /** Notes that the server accepted an item, in response to a request that was sent in this round. */
  addSuccess(item: string, round: number): void {
    if (round === this.#round && !this.#foundSince.some((other) => this.#isAlike(other, item)))
      this.#foundSince = [...this.#foundSince, item];
  }

  addFound(item: string): void {
    if (this.#changed.has(item)) return;
    this.#standing.delete(item);
    this.#standing.add(item);
  }

  addListed(items: readonly string[]): void {
    for (const item of items) if (!this.#changed.has(item)) this.#standing.add(item);
  }

  isChanged(item: string): boolean {
    return this.#changed.has(item);
  }

  addChanged(item: string): void {
    this.#changed.add(item);
    this.#standing.delete(item);
  }

  limitTo(items: readonly string[]): void {
    const kept = new Set([...this.#proofTokens, ...items]);
    for (const other of this.#standing) if (!kept.has(other)) this.#standing.delete(other);
  }

  /**
   * Asks one witness after the other until each absent item is vouched for; without any, until one is found. Resolves with
   * those that were found. One that is absent itself is replaced by the next.
   */
  async ask(
    absent: readonly string[],
    isFound: (witness: string) => Promise<boolean>,
  ): Promise<readonly string[]> {
    const found: string[] = [];
    const areVouchedFor = (): boolean =>
      found.length > 0 && absent.every((item) => this.vouchFor(item, found));
    let missing = 0;
    const newestFirst = [...this.#standing].toReversed();
    for (const witness of new Set([...this.#proofTokens, ...newestFirst])) {
      if (missing === mostWitnesses || areVouchedFor()) break;
      // It may have been changed meanwhile.
      if (!this.#standing.has(witness) || found.some((other) => this.#isAlike(other, witness))) continue;
      if (await isFound(witness)) found.push(witness);
      else {
        this.#standing.delete(witness);
        missing += 1;
      }
    }
    return found;
  }

  /** The types of the tokens that the server showed active; undefined if it hides none, or showed none. */
  typesShown(): readonly string[] | undefined {
    const names = [...(this.#types ?? [])].map(([token, type]) =>
      readPayload(token) === null ? (typeInText(token) ?? type) : "JWT",
    );
    return names.length === 0 ? undefined : [...new Set(names)];
  }

  /** True if these items, which the server found, vouch for another one. */
  vouchFor(item: string, found: readonly string[]): boolean {
    const types = this.#types;
    const isShown = found.some((other) => this.#isOfType(other, item));
    if (types === null || typeInText(item) !== null) return isShown;
    return isShown && ["access", "refresh"].every((type) => found.some((other) => types.get(other) === type));
  }

  /** True if both texts show the same type, or none. */
  #isOfType(found: string, item: string): boolean {
    return this.#types === null || typeInText(found) === typeInText(item);
  }

  /** True if both vouch for the same items. */
  #isAlike(found: string, item: string): boolean {
    return this.#isOfType(found, item) && this.#types?.get(found) === this.#types?.get(item);
  }
}
