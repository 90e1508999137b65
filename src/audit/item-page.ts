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

/** The texts that a page keeps of each item. Most items are named by their note or their application. */
const textsOf = {
  ownName: ({ name, note, app }) => (name === (note ?? app.application) ? null : name),
  note: ({ note }) => note,
  fingerprint: ({ fingerprint }) => fingerprint,
  hash: ({ hash }) => hash,
  lastEight: ({ lastEight }) => lastEight,
  createdAt: ({ createdAt }) => createdAt,
  updatedAt: ({ updatedAt }) => updatedAt,
  expiresAt: ({ expiresAt }) => expiresAt,
  usedAt: ({ usedAt }) => usedAt,
} as const satisfies Readonly<Record<string, (draft: Draft) => string | null>>;

/** The dates that a page keeps of each item. */
const datesOf = {
  created: textsOf.createdAt,
  updated: textsOf.updatedAt,
  expires: textsOf.expiresAt,
  used: textsOf.usedAt,
} as const;

type TextKind = keyof typeof textsOf;
type DateKind = keyof typeof datesOf;

interface Page {
  readonly ids: readonly Item["id"][];
  readonly apps: readonly Application[];
  readonly reaches: readonly Reach[];
  readonly noteHashes: Uint32Array;
  /** All texts joined, one kind of text after the other, each kind for all items. Null is kept as an empty text. */
  readonly texts: JoinedTexts;
  /** Where the texts of each kind begin; -1 for a kind that no item has. */
  readonly textStarts: Readonly<Record<TextKind, number>>;
  /** Dates in the same order, in milliseconds since 1970; NaN where there is none or it cannot be read. */
  readonly moments: Float64Array;
  readonly momentStarts: Readonly<Record<DateKind, number>>;
}

/** The items of a page, in its order. */
export function keepItems(drafts: readonly Draft[]): readonly Item[] {
  const texts = joinColumns(textsOf, drafts, (text) => text ?? "");
  const moments = joinColumns(datesOf, drafts, (text) => (text === null ? NaN : (parseInstant(text) ?? NaN)));
  const page: Page = {
    ids: drafts.map(({ id }) => id),
    apps: drafts.map(({ app }) => app),
    reaches: drafts.map(({ reach }) => reach),
    noteHashes: new Uint32Array(drafts.map(({ note }) => (note === null ? 0 : hashOf(note)))),
    texts: new JoinedTexts(texts.values),
    textStarts: texts.starts,
    moments: new Float64Array(moments.values),
    momentStarts: moments.starts,
  };
  return drafts.map(({ resource }, index) => new PageItem(resource, page, index));
}

/** The columns of a page one after the other, and where each begins: -1 for one without any text, which is left out. */
function joinColumns<Kind extends string, Value>(
  columns: Readonly<Record<Kind, (draft: Draft) => string | null>>,
  drafts: readonly Draft[],
  toValue: (text: string | null) => Value,
): { readonly values: readonly Value[]; readonly starts: Readonly<Record<Kind, number>> } {
  const values: Value[] = [];
  const starts = {} as Record<Kind, number>;
  for (const kind of Object.keys(columns) as Kind[]) {
    const column = drafts.map(columns[kind]);
    const isEmpty = column.every((text) => text === null);
    starts[kind] = isEmpty ? -1 : values.length;
    if (!isEmpty) for (const text of column) values.push(toValue(text));
  }
  return { values, starts };
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
    return this.#text("ownName") ?? this.note ?? this.application ?? "";
  }

  get note(): string | null {
    return this.#text("note");
  }

  get noteHash(): number | null {
    return this.#hasText("note") ? (this.#page.noteHashes[this.#index] ?? 0) : null;
  }

  get fingerprint(): string | null {
    return this.#text("fingerprint");
  }

  get hash(): string | null {
    return this.#text("hash");
  }

  get lastEight(): string | null {
    return this.#text("lastEight");
  }

  get createdAt(): string | null {
    return this.#text("createdAt");
  }

  get updatedAt(): string | null {
    return this.#text("updatedAt");
  }

  get expiresAt(): string | null {
    return this.#text("expiresAt");
  }

  get usedAt(): string | null {
    return this.#text("usedAt");
  }

  get created(): number | null {
    return this.#moment("created");
  }

  get updated(): number | null {
    return this.#moment("updated");
  }

  get expires(): number | null {
    return this.#moment("expires");
  }

  get used(): number | null {
    return this.#moment("used");
  }

  get #reach(): Reach {
    return this.#page.reaches[this.#index] as Reach;
  }

  #text(kind: TextKind): string | null {
    const { texts, textStarts } = this.#page;
    return this.#hasText(kind) ? texts.at(textStarts[kind] + this.#index) : null;
  }

  #hasText(kind: TextKind): boolean {
    const { texts, textStarts } = this.#page;
    const start = textStarts[kind];
    return start !== -1 && !texts.isEmpty(start + this.#index);
  }

  #moment(kind: DateKind): number | null {
    const { moments, momentStarts } = this.#page;
    const start = momentStarts[kind];
    const moment = start === -1 ? NaN : (moments[start + this.#index] ?? NaN);
    return Number.isNaN(moment) ? null : moment;
  }
}
