// Whether the account's list shows that something is not in it: the pages that are read for it, and what remains unclear. An
// entry is a letter, its note; `-` has none. `|` ends a page, and `!` is one that fails.
import { expect, test } from "vitest";
import { failureOf } from "../../src/errors/errors.ts";
import { searchAuthorizations } from "../../src/jobs/search-authorizations.ts";
import type { Context } from "../../src/run/context.ts";
import { connectTo, makeAnswer } from "../http/doubles.ts";
import { authorizationJson } from "../support/resources.ts";

const gap = "a page that the server announced is empty";
const lacking = "entries of the list lack what is compared";
const hidden = "single sign-on hides a part of the list";
const goesOn = "the list goes on without a link to its next page";
const failed = "the list could not be read a second time: the server failed: status 500";

const entryOf = (note: string) =>
  authorizationJson({ id: note.codePointAt(0), note: note === "-" ? undefined : note });

const paged = { paging: () => ({ limit: null, concurrency: 1 }) };

/** Searches a list for some letters; `again` has the pages of its second reading. */
async function search(wanted: string, list: string, again: string, headers = {}) {
  const asked: number[] = [];
  const last = list.split("|").length;
  const connections = { hasPartialResults: false };
  const service = connectTo(
    async ({ target }) => {
      const page = Number(/[?&]page=(\d+)/.exec(target.path)?.[1] ?? 1);
      const isAgain = asked.push(page) > last;
      const text = (isAgain ? again : list).split("|")[page - 1] ?? "";
      const link = page < last ? `<x?page=${page + 1}>; rel=next, <x?page=${last}>; rel=last` : "";
      if (text === "!") return makeAnswer(500);
      return makeAnswer(200, text.split("").map(entryOf), { link, ...headers });
    },
    { onPartialResults: () => void (connections.hasPartialResults = true) },
  );
  const { found, unclear } = await searchAuthorizations(
    service,
    {
      wanted: wanted.length,
      match: ({ note }) => (note && wanted.includes(note) ? note : null),
      isComparable: ({ note }) => note !== undefined,
    },
    { ...paged, server: { connections } } as unknown as Context,
  );
  return { found: [...found.keys()].join(""), unclear, asked: asked.join(" ") };
}

type Said = readonly [found: string, unclear: string | null, asked: string];

test.each<[words: string, wanted: string, list: string, ...Said, again?: string, headers?: object]>([
  ["all are found: nothing is read twice", "ac", "ab|c", "ac", null, "1 2"],
  ["an empty list has nothing, twice", "a", "", "", null, "1 2 1"],
  ["an empty list that was wrong", "a", "", "a", null, "1 2 1", "a"],
  ["all pages are read again, backwards", "a", "b|c|d", "", null, "1 2 3 4 3 2 1"],
  ["one of two is found: also then", "ab", "b|c", "b", null, "1 2 3 2 1"],
  ["an entry that moved between pages is found", "a", "b|c", "a", null, "1 2 3 2 1", "ab|c"],
  ["one on a page that no link leads to is found", "a", "b|c", "a", goesOn, "1 2 3", "b|c|a"],
  ["another entry there", "a", "b", "", goesOn, "1 2", "b|c"],
  ["an empty page in the middle", "a", "b||c", "", gap, "1 2 3"],
  ["an empty first page", "a", "|b", "", gap, "1 2"],
  ["an empty last page", "a", "b|", "", gap, "1 2"],
  ["an empty page, although all are found", "a", "a||c", "a", gap, "1 2 3"],
  ["single sign-on cuts it", "a", "b|c", "", hidden, "1 2", "", { "x-service-sso": "partial-results" }],
  ["an entry lacks what is compared", "a", "b|-", "", lacking, "1 2"],
  ["one lacks it in the second reading", "a", "b|c", "", lacking, "1 2 3 2 1", "b-|c"],
  ["the second reading fails", "a", "b|c", "", failed, "1 2 3 2", "b|!"],
])("%s", async (...[, wanted, list, found, unclear, asked, again = list, headers]) => {
  expect(await search(wanted, list, again, headers)).toEqual({ found, unclear, asked });
});

test("a list that cannot be read is a failure", async () => {
  expect(await failureOf(search("a", "b|!", ""))).toMatchObject({ kind: "protocol" });
});
