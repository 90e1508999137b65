// The verb `list` of grants and authorizations: its flags, and the pipeline behind it:
//
//   pages of the server  ->  filters (filters.ts)  ->  --limit  ->  order  ->  printer
//
// Without an order, items are printed while later pages are read. --sort and --reverse need the whole list first. The
// flags are checked before any request.
import type { Command } from "commander";
import { addExamples, addNote, printsFields, type Define } from "../command-line/command.ts";
import { collectSomeScopes, once, parseFilled, parsePositive } from "../config/global-options.ts";
import { counted } from "../errors/words.ts";
import type { ResourceName } from "../api/resources.ts";
import type { Context } from "../run/context.ts";
import { parseAge } from "./age.ts";
import { createFilter, createSorter, type FilterOptions, type Listed, type SortOptions } from "./filters.ts";
import type { Noun } from "../nouns.ts";

type ListOptions = { readonly limit?: number } & FilterOptions & SortOptions;

/** Defines the verb `list` of a noun. */
export function defineList<T extends Listed>(
  noun: Noun<T>,
  description: string,
  examples: readonly string[],
): Define {
  return (command, act) => {
    command.description(description).option("--limit <n>", "Maximum number of items", parsePositive);
    addFilterOptions(command, noun.name)
      .option("--sort <field>", "Sort by any --json field, such as created_at")
      .option("--reverse", "Reverse the order")
      .action(act((context, options: ListOptions) => showList(options, context, noun), { isPaged: true }));
    addNote(
      command,
      "About lists",
      "Filters apply to every format, and --limit counts the items that match. With --sort or --reverse, the whole list is read before anything is printed. An age is a number followed by m (minutes), h, d, w or y (365 days); a date means 00:00 UTC on that day. The server does not report when a token was last used.",
    );
    printsFields(command, noun.presentation.fields);
    addExamples(command, examples);
  };
}

/** Adds the filters; only authorizations have a note, a fingerprint and an expiry. */
export function addFilterOptions(command: Command, noun: ResourceName): Command {
  command
    .option("--app <name>", "Filter by application: full name (any case) or client ID", once(parseFilled))
    .option("--scope <scope>", "Filter by scope (can be repeated: all must match)", collectSomeScopes);
  if (noun === "authorization") {
    command
      .option("--note <text>", "Filter by text in the note (case-insensitive)", once(parseFilled))
      .option("--fingerprint <text>", "Filter by fingerprint (exact match)", once(parseFilled));
  }
  const addAge = (flag: string, description: string): Command => {
    const parse = once((text) => parseAge(flag, text));
    return command.option(`${flag} <age>`, description, parse);
  };
  addAge(
    "--older-than",
    "Filter by creation date: older than this age, or before this date (90d, 12h, 2026-01-31)",
  );
  addAge("--not-updated-for", "Filter by date of the last update: older than this age, or before this date");
  if (noun === "grant") return command;
  return addAge(
    "--expires-within",
    "Filter by expiration: within this time or before this date (includes expired items)",
  );
}

/** Reads and prints a list. Throws a usage failure for invalid flags before any request. */
async function showList<T extends Listed>(
  options: ListOptions,
  context: Context,
  { name, list, presentation }: Noun<T>,
): Promise<void> {
  const { printer, host, notices } = context;
  const filter = createFilter(options, host.now());
  const sort = createSorter(options, presentation.fields);
  const { service } = await context.server.accountService();
  const output = printer.openList(presentation);
  const { limit = null } = options;
  const paging = context.paging(sort === null ? limit : null);
  const held: T[] = [];
  let count = 0;
  const print = async (items: readonly T[]): Promise<void> => {
    count += items.length;
    await output.add(items);
  };
  for await (const items of list(service, paging, filter?.isMatch)) {
    if (sort === null) await print(items);
    // Not push(...items): a page may hold more items than a call takes arguments.
    else for (const item of items) held.push(item);
  }
  if (sort !== null) await print(sort(held).slice(0, limit ?? Infinity));
  await output.end();
  const empty = filter === null ? `no ${name}s` : `no ${name}s match the filters`;
  // Without rows, it looks as if nothing had been done.
  const most = count === limit ? ` (--limit ${limit})` : "";
  if (printer.isForPerson) notices.note(count === 0 ? empty : counted(count, name) + most);
  filter?.warnUnmatched(notices);
}
