// Lists with the whole program: which items match, which pages are read for them, and lists that break off.
import { once } from "node:events";
import { describe, expect } from "vitest";
import { main } from "../../src/main.ts";
import { environmentAt, test } from "../support/grantctl.ts";
import { authorizationJson, grantJson } from "../support/resources.ts";
import { cut, json, on, plain, type ServedRequest } from "../support/serve.ts";
import { createTestHost } from "../support/test-host.ts";

type Fields = Readonly<Record<string, unknown>>;

const app = (name: string | null, client_id: string): Fields => ({ url: "https://x.test/", name, client_id });

const items = [
  { id: 1, app: app("Tidewatch CI", "0123456789abcdef0123"), scopes: ["repo", "user"], note: "CI on host1" },
  { id: 2, app: app("tidewatch ci", "0123456789abcdef0124"), scopes: ["repo"], note: "ci on host10" },
  { id: 3, app: app("Tidewatch CI Beta", "0123456789abcdef0125"), scopes: ["user"], fingerprint: "mac" },
  { id: 4, app: null, scopes: null, note: null, fingerprint: null },
  { id: 5, app: app("Cafe\u0301", "0123456789ABCDEF0123"), scopes: ["repo:status"], fingerprint: "macbook" },
  { id: 6, app: app(null, "ffffffffffffffffffff"), scopes: [], note: "*.[ci]" },
  { id: 7, app: app("0123456789abcdef0123x", "fffffffffffffffffff0"), scopes: ["REPO"], note: "straße" },
].map((item) => ({ created_at: `2026-05-0${item.id}`, updated_at: `2026-05-2${item.id}`, ...item }));

test.for<readonly [flags: string, ids: string]>([
  ["--app=Tidewatch CI", "1 2"],
  ["--app=TIDEWATCH ci", "1 2"],
  ["--app=Tidewatch", ""],
  ["--app=0123456789abcdef0123", "1"],
  ["--app=0123456789ABCDEF0123", "5"],
  ["--app=caf\u00e9", "5"],
  ["--scope=repo", "1 2"],
  ["--scope=repo|--scope=user", "1"],
  ["--scope=user, repo", "1"],
  ["--older-than=2026-05-03", "1 2"],
  ["--older-than=2026-05-03T01:00:00+01:00", "1 2"],
  ["--older-than=28d", "1 2 3"],
  ["--not-updated-for=10d", "1"],
  ["--not-updated-for=216h", "1 2"],
  ["--older-than=2026-05-04|--not-updated-for=2026-05-22", "1"],
  ["--scope=repo|--limit=1", "1"],
  ["--note=ci on host1", "1 2"],
  ["--note=HOST10", "2"],
  ["--note=*.[ci]", "6"],
  ["--note=.*", ""],
  ["--note=STRAßE", "7"],
  ["--fingerprint=mac", "3"],
  ["--fingerprint=MAC", ""],
])("%s matches %j in both lists, unknown to the server", async ([flags, ids], { grantctl, serve, clock }) => {
  clock.advance(Date.parse("2026-06-01") - clock.now());
  const all = items.map((item) => ({
    ...item,
    created_at: `${item.created_at}T00:00:00Z`,
    updated_at: `${item.updated_at}T00:00:00Z`,
  }));
  const server = await serve(
    on("GET /applications/grants", json(200, all.map(grantJson))),
    on("GET /authorizations", json(200, all.map(authorizationJson))),
  );
  const words = ["list", ...flags.split("|"), "--format=tsv", "--json=id"];
  const nouns = /note=|fingerprint=/.test(flags) ? ["authorization"] : ["grant", "authorization"];
  for (const noun of nouns) {
    const { code, stdout } = await grantctl([noun, ...words]);
    expect([code, stdout]).toEqual([0, ids.replaceAll(/\d ?/g, (id) => `${id.trim()}\n`)]);
  }
  expect(server.lines().every((line) => /^GET \S+\?per_page=100$/.test(line))).toBe(true);
});

const pageOf = ({ path }: ServedRequest): number => Number(/[?&]page=(\d+)/.exec(path)?.[1] ?? 1);

/** Pages of ten grants; every `step`th has the scope `wanted`. */
const sparse = (pages: number, step: number) =>
  on("GET /applications/grants", (request) => {
    const page = pageOf(request);
    const ids = Array.from({ length: 10 }, (_, index) => (page - 1) * 10 + index + 1);
    const body = ids.map((id) => grantJson({ id, scopes: id % step === 0 ? ["wanted"] : [] }));
    const link = `<https://x.test/?page=${page + 1}>; rel="next", <https://x.test/?page=${pages}>; rel="last"`;
    return json(200, body, page < pages ? { Link: link } : {});
  });

test.for<readonly [flags: string, step: number, ids: string, pages: number]>([
  ["--limit 1", 5, "5", 1],
  ["--limit 2", 5, "5 10", 1],
  ["--limit 2", 10, "10 20", 2],
  ["--limit 1", 35, "35", 4],
  // An order needs all pages.
  ["--limit 2 --sort id", 35, "35 70", 30],
  ["--limit 2 --reverse", 35, "280 245", 30],
  ["", 300, "300", 30],
])("%s of every %ith item: %s, from %i pages", async ([flags, step, ids, pages], { grantctl, serve }) => {
  const { requests } = await serve(sparse(30, step));
  const words = `grant list --scope wanted --format tsv --json id ${flags}`;
  expect((await grantctl(words)).stdout).toBe(`${ids.replaceAll(" ", "\n")}\n`);
  expect(requests).toHaveLength(pages);
});

/** Six pages of two grants, but for one page. */
const sixPages = (other: number, answer: Response | (() => Response | Promise<Response>)) =>
  on("ALL /*", (request) => {
    const page = pageOf(request);
    if (page === other) return typeof answer === "function" ? answer() : answer.clone();
    const next = page < 6 ? `<x?page=${page + 1}>; rel=next, ` : "";
    const ids = [page * 10, page * 10 + 1];
    return json(
      200,
      ids.map((id) => grantJson({ id })),
      { Link: `${next}<x?page=6>; rel=last` },
    );
  });

const incomplete = "the list is incomplete, it broke off after 2 pages, 4 items: ";

test.for<readonly [name: string, answer: Response | (() => Response), code: number, reason: string]>([
  ["a 500", json(500, { message: "boom" }), 1, "the server failed: boom (status 500)"],
  ["a cut answer", cut, 8, "the connection broke"],
  ["a 401", json(401, {}), 4, "the server rejected the credentials"],
  ["a 404", json(404, {}), 3, "wrong user name or password, or the base URL"],
  ["a 429", json(429, {}, { "Retry-After": "7200" }), 8, "rate limited by the server"],
  ["bad JSON", plain(200, "[{"), 1, "is not JSON"],
  ["an object", json(200, {}), 1, "(page 3 is not an array)"],
  [
    "a wrong field",
    json(200, [grantJson(), grantJson({ app: { name: 7 } })]),
    1,
    "(item 2 of page 3: app.name is not a string)",
  ],
])(
  "a list that ends at page 3 with %s is incomplete in every format",
  async ([, answer, code, reason], { grantctl, serve }) => {
    await serve(sixPages(3, answer));
    for (const words of ["", "--json", "--format csv --app nobody", "--sort id --format ndjson"]) {
      const run = await grantctl(`grant list ${words}`);
      expect([run.code, run.stdout.trimEnd().endsWith("]")]).toEqual([code, false]);
      expect(run.stderr).toContain(incomplete);
      expect(run.stderr).toContain(reason);
    }
  },
);

test("a 401 stops a list at once, even if a page waits for its next attempt", async ({ grantctl, serve }) => {
  const waiting = new AbortController();
  await serve(
    on("GET /applications/grants", async (request) => {
      const page = pageOf(request);
      if (page === 3 && !waiting.signal.aborted) await once(waiting.signal, "abort");
      if (page === 3) return json(401, {});
      if (page === 4) waiting.abort();
      if (page === 4) return json(429, {}, { "Retry-After": "30" });
      return json(200, [grantJson({ id: page })], {
        Link: `<x?page=${page + 1}>; rel=next, <x?page=6>; rel=last`,
      });
    }),
  );
  // No wait ever ends.
  const world = { setTimer: () => () => undefined };
  expect((await grantctl("grant list", { world })).code).toBe(4);
});

describe("a list that is shorter than announced", () => {
  const one = [grantJson({ id: 30 })];
  test.for<readonly [name: string, answer: Response, code: number, flags: string, stderr: string]>([
    ["a short last page", json(200, one), 1, "", "the server announced 6 pages and sent 3"],
    ["an end that was announced", json(200, one, { Link: "<x?page=3>; rel=last" }), 0, "", ""],
    ["a limit", json(200, one), 0, "--limit 4", ""],
  ])("%s", async ([, answer, code, flags, stderr], { grantctl, serve }) => {
    await serve(sixPages(3, answer));
    for (const words of ["grant list --json id", "api /applications/grants --paginate"]) {
      if (flags !== "" && words.startsWith("api")) continue;
      const run = await grantctl(`${words} ${flags}`);
      expect([run.code, run.stderr === ""]).toEqual([code, stderr === ""]);
      expect(run.stderr).toContain(stderr);
    }
  });
});

test("the first page is printed before the second one is there", async ({ serve, folder }) => {
  const held = new AbortController();
  const { root } = await serve(
    on("GET /applications/grants", async (request) => {
      if (pageOf(request) === 1) return json(200, [grantJson()], { Link: "<x?page=2>; rel=next" });
      if (!held.signal.aborted) await once(held.signal, "abort");
      return json(200, []);
    }),
  );
  const environment = { ...environmentAt(root), GRANTCTL_STATE_DIR: folder, GRANTCTL_CONFIG_DIR: folder };
  const argv = ["grant", "list", "--format", "ndjson", "--json", "id"];
  const recorded = createTestHost({ argv, environment });
  const ended = main(recorded.host);
  await expect.poll(() => recorded.stdout()).toBe('{"id":42}\n');
  held.abort();
  expect(await ended).toBe(0);
});

test.for<
  readonly [environment: Readonly<Record<string, string>>, flags: string, terminal: boolean, pipe: boolean]
>([
  [{}, "", true, false],
  [{ NO_COLOR: "1" }, "", false, false],
  [{ TERM: "dumb" }, "", false, false],
  [{}, "--no-color", false, false],
  [{ FORCE_COLOR: "1" }, "", true, true],
])(
  "with %j %s, a terminal has colours: %s, and a pipe: %s",
  async ([environment, flags, terminal, pipe], { grantctl, serve }) => {
    await serve(on("GET /applications/grants", json(200, [grantJson()])));
    const words = `grant list --format table ${flags}`;
    expect((await grantctl(words, { environment, columns: 80 })).stdout.includes("\u001b[")).toBe(terminal);
    expect((await grantctl(words, { environment })).stdout.includes("\u001b[")).toBe(pipe);
  },
);
