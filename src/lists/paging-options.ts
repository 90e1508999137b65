// The paging flags that every list command takes.
import type { Command } from "commander";
import { parseCount, parsePositive } from "../config/global-options.ts";
import type { Paging } from "../http/pages.ts";

export interface PagingOptions {
  readonly limit?: number;
  readonly page?: number;
  readonly perPage: number;
}

/** Adds --limit, --page and --per-page. */
export function addPagingOptions(command: Command): Command {
  return command
    .option("--limit <n>", "at most this many items; stops reading when it has them", parsePositive)
    .option("--page <n>", "only this page", parsePositive)
    .option("--per-page <n>", "items a page to ask for; 0 leaves it to the service", parseCount, 100);
}

/** A list from its first item to its last. */
export function wholeList(concurrency: number): Paging {
  return { limit: null, page: null, perPage: 100, concurrency };
}

/** The paging that the flags ask for. */
export function pagingOf(options: PagingOptions, concurrency: number): Paging {
  return {
    limit: options.limit ?? null,
    page: options.page ?? null,
    perPage: options.perPage,
    concurrency,
  };
}
