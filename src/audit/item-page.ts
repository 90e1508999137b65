// The items of a page, kept as few values: all their texts as one, all their moments as numbers. As objects of their own
// a hundred thousand items take several times the memory, and the garbage collector as much again.
import { parseInstant } from "../lists/age.ts";
import type { Item } from "./item.ts";
import { JoinedTexts } from "./joined-texts.ts";
import { hashOf } from "./repeated-notes.ts";

/** What items have in common with others: there is one of each. */
export type Application = Pick<Item, "application" | "clientId">;
export type Reach = Pick<Item, "scopes" | "breadth">;

/** An item to be kept. None of its texts is empty. */
export interface Draft extends Omit<
  Item,
  "resource" | keyof Application | keyof Reach | "noteHash" | "created" | "updated" | "expires" | "used"
> {
  readonly app: Application;
  readonly reach: Reach;
}

/** How many texts, and how many moments, are kept of each item. */
const textCount = 9;
const momentCount = 4;

interface Page {
  readonly resource: Item["resource"];
  readonly ids: readonly Item["id"][];
  readonly apps: readonly Application[];
  readonly reaches: readonly Reach[];
  /** The texts of all items, one behind the other. What is null is empty. */
  readonly texts: JoinedTexts;
  readonly noteHashes: Uint32Array;
  /** Milliseconds since 1970; what is no moment is not a number. */
  readonly moments: Float64Array;
}

/** The items of a page, in its order. */
export function keepItems(resource: Item["resource"], drafts: readonly Draft[]): readonly Item[] {
  const texts: string[] = [];
  const moments: number[] = [];
  const keepText = (text: string | null): void => {
    texts.push(text ?? "");
  };
  const keepMoment = (text: string | null): void => {
    keepText(text);
    moments.push(parseInstant(text) ?? NaN);
  };
  for (const draft of drafts) {
    const { name, note, app } = draft;
    // In the order of the getters below. Most items are named by their note or their application.
    keepText(name === (note ?? app.application) ? null : name);
    keepText(note);
    keepText(draft.fingerprint);
    keepText(draft.hash);
    keepText(draft.lastEight);
    keepMoment(draft.createdAt);
    keepMoment(draft.updatedAt);
    keepMoment(draft.expiresAt);
    keepMoment(draft.usedAt);
  }
  const page: Page = {
    resource,
    ids: drafts.map(({ id }) => id),
    apps: drafts.map(({ app }) => app),
    reaches: drafts.map(({ reach }) => reach),
    texts: new JoinedTexts(texts),
    noteHashes: Uint32Array.from(drafts, ({ note }) => (note === null ? 0 : hashOf(note))),
    moments: Float64Array.from(moments),
  };
  return drafts.map((_, index) => new PageItem(page, index));
}

class PageItem implements Item {
  readonly #page: Page;
  readonly #index: number;

  constructor(page: Page, index: number) {
    this.#page = page;
    this.#index = index;
  }

  get resource(): Item["resource"] {
    return this.#page.resource;
  }

  get id(): Item["id"] {
    return this.#page.ids[this.#index] ?? 0;
  }

  get application(): string | null {
    return this.#page.apps[this.#index]?.application ?? null;
  }

  get clientId(): string | null {
    return this.#page.apps[this.#index]?.clientId ?? null;
  }

  get scopes(): Item["scopes"] {
    return this.#reach.scopes;
  }

  get breadth(): Item["breadth"] {
    return this.#reach.breadth;
  }

  get name(): string {
    return this.#text(0) ?? this.note ?? this.application ?? "";
  }

  get note(): string | null {
    return this.#text(1);
  }

  get noteHash(): number | null {
    const { noteHashes, texts } = this.#page;
    return texts.isEmpty(this.#index * textCount + 1) ? null : (noteHashes[this.#index] ?? 0);
  }

  get fingerprint(): string | null {
    return this.#text(2);
  }

  get hash(): string | null {
    return this.#text(3);
  }

  get lastEight(): string | null {
    return this.#text(4);
  }

  get createdAt(): string | null {
    return this.#text(5);
  }

  get updatedAt(): string | null {
    return this.#text(6);
  }

  get expiresAt(): string | null {
    return this.#text(7);
  }

  get usedAt(): string | null {
    return this.#text(8);
  }

  get created(): number | null {
    return this.#moment(0);
  }

  get updated(): number | null {
    return this.#moment(1);
  }

  get expires(): number | null {
    return this.#moment(2);
  }

  get used(): number | null {
    return this.#moment(3);
  }

  get #reach(): Reach {
    return this.#page.reaches[this.#index] as Reach;
  }

  #text(position: number): string | null {
    const { texts } = this.#page;
    const at = this.#index * textCount + position;
    return texts.isEmpty(at) ? null : texts.at(at);
  }

  #moment(position: number): number | null {
    const moment = this.#page.moments[this.#index * momentCount + position] ?? NaN;
    return Number.isNaN(moment) ? null : moment;
  }
}
