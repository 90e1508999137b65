// A document in the making. While pages are on their way there is nothing else to do: what a document can make of a page
// it makes at once, and what is known only in the end, findings and changes, is put in when it is written.
import type { JsonItem } from "../../json/json-items.ts";
import type { Draft } from "../item-page.ts";
import type { Report } from "../report.ts";
import type { SnapshotList } from "../snapshot.ts";

export interface Document {
  /** Takes a page of a list: its items, and the same as the service sent them. Without it, a document needs none. */
  readonly add?: KeepPage;
  /** The document in pieces, once everything was added. */
  write(report: Report): Iterable<string>;
}

export type KeepPage = (
  list: SnapshotList,
  items: readonly Draft[],
  sent: readonly JsonItem<unknown>[],
) => void;
