// The items of a page, kept in few values: one string of all texts, and the dates as numbers. As separate objects,
// a hundred thousand items take several times the memory, and the garbage collector as much again.
import { parseInstant } from "../lists/age.ts";
import type { Item } from "./item.ts";
import { JoinedTexts } from "./joined-texts.ts";
import { hashOf } from "./repeated-notes.ts";

/** Values that items share with others; equal ones are kept once. */
export type Application = Pick<Item, "application" | "clientId">;
export type Reach = Pick<Item, "scopes" | "breadth">;

/** An item as it is handed in. None of its texts is empty. */
export interface Draft extends Omit<
  Item,
  keyof Application | keyof Reach | "noteHash" | "created" | "updated" | "expires" | "used"
> {
  readonly app: Application;
  readonly reach: Reach;
}

interface Page {
  readonly ids: readonly Item["id"][];
  readonly apps: readonly Application[];
  readonly reaches: readonly Reach[];
  readonly noteHashes: Uint32Array;
  /** All texts joined, one kind of text after the other, each kind for all items. Null is kept as an empty text. */
  readonly texts: JoinedTexts;
  /** Where the texts of each kind begin; -1 for a kind that no item has. */
  readonly textStarts: readonly number[];
  /** Dates in the same order, in milliseconds since 1970; NaN where there is none or it cannot be read. */
  readonly moments: Float64Array;
  readonly momentStarts: readonly number[];
}

/** The kinds of texts, in the order in which a page keeps them. */
const textKinds = {
  /** A name that is neither the note nor the application's name. */
  ownName: 0,
  note: 1,
  fingerprint: 2,
  hash: 3,
  lastEight: 4,
  createdAt: 5,
  updatedAt: 6,
  expiresAt: 7,
  usedAt: 8,
} as const;

/** The kinds of dates, in the order in which a page keeps them. */
const momentKinds = { created: 0, updated: 1, expires: 2, used: 3 } as const;

/** The items of a page, in its order. */
export function keepItems(drafts: readonly Draft[]): readonly Item[] {
  const created = drafts.map(({ createdAt }) => createdAt);
  const updated = drafts.map(({ updatedAt }) => updatedAt);
  const expires = drafts.map(({ expiresAt }) => expiresAt);
  const used = drafts.map(({ usedAt }) => usedAt);
  const page: Page = {
    ids: drafts.map(({ id }) => id),
    apps: drafts.map(({ app }) => app),
    reaches: drafts.map(({ reach }) => reach),
    noteHashes: new Uint32Array(drafts.map(({ note }) => (note === null ? 0 : hashOf(note)))),
    // In the order of `textKinds`. Most items are named by their note or their application.
    ...keepTexts([
      drafts.map(({ name, note, app }) => (name === (note ?? app.application) ? null : name)),
      drafts.map(({ note }) => note),
      drafts.map(({ fingerprint }) => fingerprint),
      drafts.map(({ hash }) => hash),
      drafts.map(({ lastEight }) => lastEight),
      created,
      updated,
      expires,
      used,
    ]),
    // In the order of `momentKinds`.
    ...keepMoments([created, updated, expires, used]),
  };
  return drafts.map(({ resource }, index) => new PageItem(resource, page, index));
}

type Column = readonly (string | null)[];

function keepTexts(columns: readonly Column[]): Pick<Page, "texts" | "textStarts"> {
  const texts: string[] = [];
  const textStarts = columns.map((column) => {
    if (isEmpty(column)) return -1;
    for (const text of column) texts.push(text ?? "");
    return texts.length - column.length;
  });
  return { texts: new JoinedTexts(texts), textStarts };
}

function keepMoments(columns: readonly Column[]): Pick<Page, "moments" | "momentStarts"> {
  const moments: number[] = [];
  const momentStarts = columns.map((column) => {
    if (isEmpty(column)) return -1;
    for (const text of column) moments.push(text === null ? NaN : (parseInstant(text) ?? NaN));
    return moments.length - column.length;
  });
  return { moments: new Float64Array(moments), momentStarts };
}

function isEmpty(column: Column): boolean {
  return column.every((text) => text === null);
}

class PageItem implements Item {
  readonly resource: Item["resource"];
  readonly #page: Page;
  readonly #index: number;

  constructor(resource: Item["resource"], page: Page, index: number) {
    this.resource = resource;
    this.#page = page;
    this.#index = index;
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
    return this.#text(textKinds.ownName) ?? this.note ?? this.application ?? "";
  }

  get note(): string | null {
    return this.#text(textKinds.note);
  }

  get noteHash(): number | null {
    return this.#hasText(textKinds.note) ? (this.#page.noteHashes[this.#index] ?? 0) : null;
  }

  get fingerprint(): string | null {
    return this.#text(textKinds.fingerprint);
  }

  get hash(): string | null {
    return this.#text(textKinds.hash);
  }

  get lastEight(): string | null {
    return this.#text(textKinds.lastEight);
  }

  get createdAt(): string | null {
    return this.#text(textKinds.createdAt);
  }

  get updatedAt(): string | null {
    return this.#text(textKinds.updatedAt);
  }

  get expiresAt(): string | null {
    return this.#text(textKinds.expiresAt);
  }

  get usedAt(): string | null {
    return this.#text(textKinds.usedAt);
  }

  get created(): number | null {
    return this.#moment(momentKinds.created);
  }

  get updated(): number | null {
    return this.#moment(momentKinds.updated);
  }

  get expires(): number | null {
    return this.#moment(momentKinds.expires);
  }

  get used(): number | null {
    return this.#moment(momentKinds.used);
  }

  get #reach(): Reach {
    return this.#page.reaches[this.#index] as Reach;
  }

  #text(kind: number): string | null {
    const { texts, textStarts } = this.#page;
    return this.#hasText(kind) ? texts.at((textStarts[kind] ?? 0) + this.#index) : null;
  }

  #hasText(kind: number): boolean {
    const { texts, textStarts } = this.#page;
    const start = textStarts[kind] ?? -1;
    return start !== -1 && !texts.isEmpty(start + this.#index);
  }

  #moment(kind: number): number | null {
    const { moments, momentStarts } = this.#page;
    const start = momentStarts[kind] ?? -1;
    const moment = start === -1 ? NaN : (moments[start + this.#index] ?? NaN);
    return Number.isNaN(moment) ? null : moment;
  }
}
