// `grantctl grant delete`: its requests, its prompts, and the outcome of each item.
import { setImmediate as nextTurn } from "node:timers/promises";
import { expect } from "vitest";
import { test } from "../../support/grantctl.ts";
import { json, on, plain } from "../../support/serve.ts";

const deletions = "DELETE /applications/grants/:id";

const deleted = (id: string): string => `{"id":${id},"status":"deleted","name":null,"reason":null}`;

test("keeps every digit of ids beyond 2^53, from arguments, lines and JSON to path, tsv and JSON", async ({
  grantctl,
  serve,
}) => {
  const server = await serve(on(deletions, plain(204)));
  const ids = ["9007199254740993", "12345678901234567890", "99999999999999999999999999"];
  const asWords = await grantctl(["grant", "delete", ...ids, "--yes"]);
  const asLines = await grantctl(["grant", "delete", "-", "--yes"], { input: ids.join("\r\n") });
  const input = `[${ids.map((id) => `{"id":${id}}`).join(",")}]`;
  const asJson = await grantctl(["grant", "delete", "-", "--yes", "--format", "ndjson"], { input });
  const paths = ids.map((id) => `DELETE /applications/grants/${id}`).toSorted();
  const sent = server.lines();
  for (const from of [0, 3, 6]) expect(sent.slice(from, from + 3).toSorted()).toEqual(paths);
  expect(asWords.stdout).toBe(ids.map((id) => `deleted\t${id}\n`).join(""));
  expect(asLines.stdout).toBe(asWords.stdout);
  expect(asJson.stdout).toBe(ids.map((id) => `${deleted(id)}\n`).join(""));
  const table = await grantctl(["grant", "delete", ...ids, "--yes", "--no-color"], { columns: 100 });
  for (const id of ids) expect(table.stdout).toContain(id);
});

test.for<readonly [flags: readonly string[], variables: Readonly<Record<string, string>>]>([
  [["--no-input"], {}],
  [[], { GRANTCTL_NO_INPUT: "1" }],
])("does not open the terminal with %j and %j", async ([flags, variables], { grantctl, serve }) => {
  const server = await serve();
  const run = await grantctl(["grant", "delete", "42", ...flags], {
    environment: variables,
    world: {
      openTerminal: () => {
        throw new Error("the terminal was opened");
      },
    },
  });
  expect([run.code, server.lines()]).toEqual([2, []]);
});

test.for<readonly [what: string, ids: readonly string[], list: Response]>([
  ["one that is not there", ["9999"], json(200, [])],
  ["several of which none is there", ["9997", "9998", "9999", "10000"], json(200, [])],
  ["several, and nothing proves the credentials", ["9998", "9999", "10000"], json(403, {})],
  ["so many that they are in doubt", ["9991", "9992", "9993", "9994", "9995", "9996"], json(200, [])],
])("--dry-run has the output and exit code of the run: %s", async ([, ids, list], { grantctl, serve }) => {
  const flags = ["--concurrency", "1"];
  await serve(on("GET /applications/grants", list), on("ALL /*", json(404, { message: "Not Found" })));
  const plan = await grantctl(["grant", "delete", ...ids, "--dry-run", ...flags]);
  const run = await grantctl(["grant", "delete", ...ids, "--yes", ...flags]);
  expect([plan.code, plan.stdout]).toEqual([run.code, run.stdout]);
});

test("reports the number of duplicate ids on standard error", async ({ grantctl, serve }) => {
  await serve(on(deletions, plain(204)));
  const run = await grantctl(["grant", "delete", "-", "--yes"], { input: `1\n2\n${"1\n".repeat(1001)}` });
  expect(run).toEqual({
    code: 0,
    stdout: "deleted\t1\ndeleted\t2\n",
    stderr: "skipped 1,001 duplicate ids\n2 deleted\n",
  });
});

test("rejects - beside an ID with exit code 2 before any request", async ({ grantctl, serve }) => {
  const server = await serve();
  const run = await grantctl("grant delete --yes - 1", { input: "5\n" });
  expect([run.code, run.stdout, server.lines()]).toEqual([2, "", []]);
});

test("--concurrency limits the requests in flight", async ({ grantctl, serve }) => {
  let now = 0;
  let most = 0;
  const goOn: (() => void)[] = [];
  const threeAreHere = new Promise<void>((resolve) => {
    goOn.push(resolve);
  });
  const answer = async (): Promise<Response> => {
    most = Math.max(most, (now += 1));
    if (most === 3) goOn[0]?.();
    await threeAreHere;
    // A fourth concurrent request would be read in the same turn of the event loop.
    await nextTurn();
    now -= 1;
    return plain(204);
  };
  await serve(on(deletions, answer));
  const ids = Array.from({ length: 20 }, (_, index) => String(index + 1));
  const run = await grantctl(["grant", "delete", ...ids, "--yes", "--concurrency", "3"]);
  expect(run.code).toBe(0);
  expect(most).toBe(3);
});
