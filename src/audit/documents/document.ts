// A document that is being made. While pages are on their way there is nothing else to do: what can be made of a page
// is made at once, and what is known only at the end, findings and changes, is added when the document is written.
import type { JsonItem } from "../../json/items.ts";
import type { Draft } from "../item-page.ts";
import type { Report } from "../report.ts";
import type { SnapshotList } from "../snapshot.ts";

export interface Document {
  /** Takes a page of a list: its items, and the same as the service sent them. Absent if the document needs no pages. */
  readonly add?: KeepPage;
  /** The document in pieces, once everything was added. */
  write(report: Report): Iterable<string>;
}

export type KeepPage = (
  list: SnapshotList,
  items: readonly Draft[],
  sent: readonly JsonItem<unknown>[],
) => void;
