// Stores most fields of an item outside of the heap: as plain objects, a hundred thousand tokens would take twice the
// memory, and the garbage collector as much again.
import type { Item } from "./item.ts";

/** The fields that are looked at now and then, in the order in which they are packed. */
type Packed = Pick<
  Item,
  "createdAt" | "updatedAt" | "expiresAt" | "usedAt" | "fingerprint" | "hash" | "lastEight"
>;

type Fields = readonly (string | null)[];

const blockBytes = 256 * 1024;

/** The fields of the item that was looked at last: whoever looks at one of its fields mostly looks at others, too. */
interface Unpacked {
  of: PackedItem | null;
  fields: Fields;
}

/** Packs items, one behind the other, into blocks of bytes. */
export function createPacker(): (item: Item) => Item {
  let block = Buffer.allocUnsafeSlow(blockBytes);
  let end = 0;
  const unpacked: Unpacked = { of: null, fields: [] };
  return (item) => {
    const { createdAt, updatedAt, expiresAt, usedAt, fingerprint, hash, lastEight } = item;
    const fields: Fields = [createdAt, updatedAt, expiresAt, usedAt, fingerprint, hash, lastEight];
    const text = JSON.stringify(fields);
    const length = Buffer.byteLength(text);
    if (end + length > block.length) {
      block = Buffer.allocUnsafeSlow(Math.max(blockBytes, length));
      end = 0;
    }
    block.write(text, end);
    end += length;
    return new PackedItem(item, block, [end - length, end], unpacked);
  };
}

class PackedItem implements Item {
  readonly resource: Item["resource"];
  readonly id: Item["id"];
  readonly name: string;
  readonly application: string | null;
  readonly clientId: string | null;
  readonly note: string | null;
  readonly scopes: Item["scopes"];
  readonly #block: Buffer;
  readonly #start: number;
  readonly #end: number;
  readonly #unpacked: Unpacked;

  constructor(
    item: Item,
    block: Buffer,
    [start, end]: readonly [start: number, end: number],
    unpacked: Unpacked,
  ) {
    this.resource = item.resource;
    this.id = item.id;
    this.name = item.name;
    this.application = item.application;
    this.clientId = item.clientId;
    this.note = item.note;
    this.scopes = item.scopes;
    this.#block = block;
    this.#start = start;
    this.#end = end;
    this.#unpacked = unpacked;
  }

  get createdAt(): Packed["createdAt"] {
    return this.#field(0);
  }

  get updatedAt(): Packed["updatedAt"] {
    return this.#field(1);
  }

  get expiresAt(): Packed["expiresAt"] {
    return this.#field(2);
  }

  get usedAt(): Packed["usedAt"] {
    return this.#field(3);
  }

  get fingerprint(): Packed["fingerprint"] {
    return this.#field(4);
  }

  get hash(): Packed["hash"] {
    return this.#field(5);
  }

  get lastEight(): Packed["lastEight"] {
    return this.#field(6);
  }

  #field(position: number): string | null {
    const unpacked = this.#unpacked;
    if (unpacked.of !== this) {
      unpacked.fields = JSON.parse(this.#block.toString("utf8", this.#start, this.#end)) as Fields;
      unpacked.of = this;
    }
    return unpacked.fields[position] ?? null;
  }
}
