// Pagination: page sizes, the `Link` header, and lenient parsing of the query.
import { assert, asyncProperty, constantFrom, integer, nat, webQueryParameters } from "fast-check";
import { expect, test } from "vitest";
import { inFull } from "../support/soak.ts";
import { authorizationsOf, grantsOf, rowsOf } from "./resource-shapes.ts";
import { startTestSandbox, type Reply } from "./sandbox-client.ts";

/** The relations and URLs in a `Link` header, in order. */
function linksOf(reply: Reply): [string, string][] {
  return [...(reply.headers["link"] ?? "").matchAll(/<([^>]*)>; rel="(\w+)"(?:, |$)/g)].map((match) => [
    match[2] ?? "",
    match[1] ?? "",
  ]);
}

test("a page has thirty rows and links to the others", async () => {
  const sandbox = await startTestSandbox({ grants: 1, authorizations: 95 });
  const address = `${sandbox.description.base_url}/authorizations`;
  const expected: [string, number, [string, string][]][] = [
    [
      "",
      30,
      [
        ["next", `${address}?page=2`],
        ["last", `${address}?page=4`],
      ],
    ],
    [
      "?page=2",
      30,
      [
        ["next", `${address}?page=3`],
        ["last", `${address}?page=4`],
        ["first", `${address}?page=1`],
        ["prev", `${address}?page=1`],
      ],
    ],
    [
      "?page=4",
      5,
      [
        ["first", `${address}?page=1`],
        ["prev", `${address}?page=3`],
      ],
    ],
    [
      "?page=5",
      0,
      [
        ["first", `${address}?page=1`],
        ["prev", `${address}?page=4`],
      ],
    ],
    [
      "?page=400",
      0,
      [
        ["first", `${address}?page=1`],
        ["prev", `${address}?page=4`],
      ],
    ],
  ];
  for (const [query, length, links] of expected) {
    const reply = await sandbox.asAccount("GET", `/authorizations${query}`);
    expect(reply.status).toBe(200);
    expect([query, rowsOf(reply).length, linksOf(reply)]).toEqual([query, length, links]);
  }
});

test.each([[30], [31]])("%i rows have a Link header only if they need two pages", async (rows) => {
  const sandbox = await startTestSandbox({ grants: 0, authorizations: rows });
  const reply = await sandbox.asAccount("GET", "/authorizations");
  expect(reply.headers["link"] === undefined).toBe(rows === 30);
  expect((await sandbox.asAccount("GET", "/authorizations?page=9")).status).toBe(200);
});

test("an empty list has no Link header", async () => {
  const sandbox = await startTestSandbox({ grants: 0, authorizations: 0 });
  const reply = await sandbox.asAccount("GET", "/applications/grants?per_page=1");
  expect(JSON.parse(reply.text)).toEqual([]);
  expect(reply.headers["link"]).toBeUndefined();
});

test("links begin with the base URL and repeat the other parameters", async () => {
  const sandbox = await startTestSandbox({ hosts: ["api.example.com"] });
  const { base_url, username, password } = sandbox.description;
  const reply = await sandbox.send(
    "GET",
    "//api/v3/authorizations?q=a%20%3E%22%C3%A9&page=2&per_page=2&empty=",
    {
      headers: {
        Host: "api.example.com",
        Authorization: `basic ${Buffer.from(`${username}:${password}`).toString("base64")}`,
      },
    },
  );
  expect(reply.status).toBe(200);
  const [[relation, next] = []] = linksOf(reply);
  expect(relation).toBe("next");
  expect(next?.startsWith(`${base_url}/authorizations?`)).toBe(true);
  const parameters = Object.fromEntries(new URL(next ?? "").searchParams);
  expect(parameters).toMatchObject({ per_page: "2", page: "3", empty: "" });
  expect(parameters["q"]).toBe('a >"é');
});

test.each([
  ["per_page=2", [1, 2]],
  ["per_page=2&page=2", [3, 4]],
  ["per_page=2&page=3?per_page=5", [5, 6]],
  ["page=2&page=3&per_page=2", [5, 6]],
  ["per_page=4&page=2x", [5, 6]],
  ["per_page=0", [1, 2, 3, 4, 5, 6]],
  ["per_page=-7", [1, 2, 3, 4, 5, 6]],
  ["per_page=2&page=0", [1, 2]],
  ["per_page=2&page=-3", [1, 2]],
  ["per_page=abc", [1, 2, 3, 4, 5, 6]],
  ["per_page=&page=", [1, 2, 3, 4, 5, 6]],
  ["per_page=%zz&page[]=2", [1, 2, 3, 4, 5, 6]],
  ["per_page=1000", [1, 2, 3, 4, 5, 6]],
  ["page=99999999999999999999999", []],
  ["page=1e3&per_page=2.9", [1, 2]],
])("?%s gives the ids %j", async (query, ids) => {
  const sandbox = await startTestSandbox();
  const reply = await sandbox.asAccount("GET", `/authorizations?${query}`);
  expect(reply.status).toBe(200);
  expect(rowsOf(reply).map(({ id }) => id)).toEqual(ids);
});

test("a page has at most a hundred rows", async () => {
  const sandbox = await startTestSandbox({ grants: 120, authorizations: 120 });
  expect(grantsOf(await sandbox.asAccount("GET", "/applications/grants?per_page=1000"))).toHaveLength(100);
  expect(authorizationsOf(await sandbox.asAccount("GET", "/authorizations?per_page=101"))).toHaveLength(100);
});

test("following the Link header returns each row once, in order, for any page size", async () => {
  const sandboxes = {
    "/authorizations": await startTestSandbox({ grants: 2, authorizations: 57 }),
    "/applications/grants": await startTestSandbox({ grants: 23, authorizations: 23 }),
  };
  const totals = { "/authorizations": 57, "/applications/grants": 23 };
  await assert(
    asyncProperty(
      constantFrom("/authorizations" as const, "/applications/grants" as const),
      integer({ min: 1, max: 60 }),
      async (path, size) => {
        const ids: number[] = [];
        let next: string | undefined = `${path}?per_page=${size}`;
        while (next !== undefined) {
          const reply: Reply = await sandboxes[path].asAccount("GET", next);
          ids.push(...rowsOf(reply).map(({ id }) => id));
          const address = new Map(linksOf(reply)).get("next");
          next = address?.slice(sandboxes[path].description.base_url.length);
        }
        expect(ids).toEqual(Array.from({ length: totals[path] }, (_, index) => index + 1));
      },
    ),
    { numRuns: 25 },
  );
});

test("no query makes a list fail or its links invalid", { tags: "soak" }, async () => {
  const sandbox = await startTestSandbox();
  await assert(
    asyncProperty(webQueryParameters(), nat(9), async (query, page) => {
      const reply = await sandbox.asAccount("GET", `/authorizations?per_page=2&${query}&page=${page}`);
      expect(reply.status).toBe(200);
      for (const [, address] of linksOf(reply)) {
        expect(new URL(address).pathname).toBe("/authorizations");
        expect(new URL(address).searchParams.getAll("page")).toHaveLength(1);
      }
    }),
    { numRuns: inFull(20, 60) },
  );
});
