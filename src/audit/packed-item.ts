// Stores most fields of an item outside of the heap: as plain objects, a hundred thousand tokens would take twice the
// memory, and the garbage collector as much again. Texts are copied, because a part of a page's text would keep the
// whole page in memory.
import type { Item } from "./item.ts";

type Encoding = "latin1" | "utf16le";

const blockBytes = 256 * 1024;

/** Written between fields. An item with this character in a field is not packed. */
const separator = "\0";

/** The fields of the item that was read last: a second field is mostly read of the same item. */
interface Unpacked {
  of: PackedItem | null;
  fields: readonly string[];
}

/** Packs items, one behind the other, into blocks of bytes. None of their fields may be an empty text. */
export function createPacker(): (item: Item) => Item {
  let block = Buffer.allocUnsafeSlow(blockBytes);
  let end = 0;
  const unpacked: Unpacked = { of: null, fields: [] };
  const reserve = (length: number): void => {
    if (end + length <= block.length) return;
    block = Buffer.allocUnsafeSlow(Math.max(blockBytes, length));
    end = 0;
  };
  /** A copy of the text, which does not keep a longer one in memory. */
  const copyOf = (text: string): string => {
    const encoding = encodingOf(text);
    reserve(2 * text.length);
    return block.toString(encoding, end, end + block.write(text, end, encoding));
  };
  return (item) => {
    const note = item.note === null ? null : copyOf(item.note);
    const name = item.name === item.note && note !== null ? note : copyOf(item.name);
    const { createdAt, updatedAt, expiresAt, usedAt, fingerprint, hash, lastEight } = item;
    // The fields that are rarely read, in the order of the getters below; null becomes an empty text.
    const fields = [createdAt, updatedAt, expiresAt, usedAt, fingerprint, hash, lastEight];
    const text = fields.join(separator);
    const kept = { ...item, note, name };
    if (fields.some((field) => field?.includes(separator) === true)) return kept;
    const encoding = encodingOf(text);
    reserve(2 * text.length);
    const start = end;
    end += block.write(text, end, encoding);
    return new PackedItem(kept, { block, start, end, encoding }, unpacked);
  };
}

/** The shorter encoding that writes a text without loss, lone surrogates included. */
function encodingOf(text: string): Encoding {
  return /^[\0-\xff]*$/.test(text) ? "latin1" : "utf16le";
}

interface Place {
  readonly block: Buffer;
  readonly start: number;
  readonly end: number;
  readonly encoding: Encoding;
}

class PackedItem implements Item {
  readonly resource: Item["resource"];
  readonly id: Item["id"];
  readonly name: string;
  readonly application: string | null;
  readonly clientId: string | null;
  readonly note: string | null;
  readonly scopes: Item["scopes"];
  readonly breadth: Item["breadth"];
  readonly #hasExpiry: boolean;
  readonly #block: Buffer;
  readonly #start: number;
  readonly #end: number;
  readonly #encoding: Encoding;
  readonly #unpacked: Unpacked;

  constructor(item: Item, { block, start, end, encoding }: Place, unpacked: Unpacked) {
    this.resource = item.resource;
    this.id = item.id;
    this.name = item.name;
    this.application = item.application;
    this.clientId = item.clientId;
    this.note = item.note;
    this.scopes = item.scopes;
    this.breadth = item.breadth;
    this.#hasExpiry = item.expiresAt !== null;
    this.#block = block;
    this.#start = start;
    this.#end = end;
    this.#encoding = encoding;
    this.#unpacked = unpacked;
  }

  get createdAt(): string | null {
    return this.#field(0);
  }

  get updatedAt(): string | null {
    return this.#field(1);
  }

  get expiresAt(): string | null {
    return this.#hasExpiry ? this.#field(2) : null;
  }

  get usedAt(): string | null {
    return this.#field(3);
  }

  get fingerprint(): string | null {
    return this.#field(4);
  }

  get hash(): string | null {
    return this.#field(5);
  }

  get lastEight(): string | null {
    return this.#field(6);
  }

  #field(position: number): string | null {
    const unpacked = this.#unpacked;
    if (unpacked.of !== this) {
      unpacked.fields = this.#block.toString(this.#encoding, this.#start, this.#end).split(separator);
      unpacked.of = this;
    }
    const text = unpacked.fields[position] ?? "";
    return text === "" ? null : text;
  }
}
