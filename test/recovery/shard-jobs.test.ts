// A job of shards on several machines, each with its own state folder: the job is complete when all shards are,
// including empty ones, and only `recover forget` deletes the record of that.
import { cpSync, existsSync, mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { itemsOfShard } from "../../src/jobs/shard.ts";
import { makeFolder, makeStateFolder } from "../support/state-folder.ts";
import { runMain } from "../support/test-host.ts";
import { startTruthService } from "../support/truth-service.ts";

interface JobRow {
  readonly id: string;
  readonly state: string;
  readonly items: number;
  readonly done: number;
  readonly failed: number;
  readonly to_go: number;
  readonly parts: number | null;
  readonly parts_done: number | null;
  readonly shards: readonly { readonly shard: string; readonly id: string; readonly resume: string | null }[];
}

const count = 3;

/** The given number of machines, and the `recover list` report on all of them from another machine. */
async function setStage(tokenCount: number) {
  const service = await startTruthService();
  const tokens = Array.from({ length: tokenCount }, () => service.addToken());
  const machines = [1, 2, 3].map(() => makeStateFolder());
  for (const { path } of machines) mkdirSync(path, { mode: 0o700 });
  const folders = machines.flatMap(({ path }) => ["--state-dir", path]);
  const worldOf = (index: number) => ({
    environment: { ...service.environment, ...machines[index - 1]?.environment },
    input: tokens.join("\n"),
  });
  const overlook = async (flags = folders) => {
    const run = await runMain(["recover", "list", "--json", ...flags], { environment: service.environment });
    return { ...run, rows: (run.stdout === "" ? [] : JSON.parse(run.stdout)) as readonly JobRow[] };
  };
  return { service, tokens, machines, folders, worldOf, overlook };
}

test.each([
  ["token", "reset"],
  ["authorization", "delete", "-"],
])(
  "%s %s: recover list exits with 9 until the shards of all machines are done, with one row of counts",
  async (...words: readonly string[]) => {
    const { service, tokens, machines, worldOf, overlook } = await setStage(30);
    const items = words[0] === "token" ? tokens : tokens.map((token) => String(service.idOf(token)));
    const worldFor = (index: number) => ({ ...worldOf(index), input: items.join("\n") });
    const shard = (index: number): string[] => [...words, "--yes", "--shard", `${index}/${count}`];
    const sizes = [1, 2, 3].map((index) => itemsOfShard(items, { shard: { index, count } }).length);
    const [first = 0, second = 0, third = 0] = sizes;

    expect(await overlook()).toMatchObject({ code: 9, rows: [] });
    expect((await runMain(shard(1), worldFor(1))).code).toBe(0);
    expect(machines[0]?.journals()).toEqual([]);
    const one = await overlook();
    expect(one.code).toBe(9);
    expect(one.rows).toMatchObject([
      { state: "unfinished", items: first, done: first, failed: 0, to_go: 0, parts: 3, parts_done: 1 },
    ]);

    // Rejections stop the second shard; of its untried items only the number is known.
    let refused = 0;
    service.plan(() => {
      refused += 1;
      return refused > 2 ? { instead: { status: 403, body: { message: "no" } } } : undefined;
    });
    expect((await runMain([...shard(2), "--concurrency", "1"], worldFor(2))).code).toBe(9);
    service.plan(() => undefined);
    expect((await runMain(shard(3), worldFor(3))).code).toBe(0);
    const two = await overlook();
    expect(two.code).toBe(9);
    const [job] = two.rows;
    expect(two.rows).toHaveLength(1);
    expect(job).toMatchObject({ state: "unfinished", done: first + third + 2, parts: 3, parts_done: 2 });
    expect(job?.failed).toBeGreaterThan(0);
    expect((job?.done ?? 0) + (job?.failed ?? 0) + (job?.to_go ?? 0)).toBe(first + second + third);
    expect(two.stderr).toContain(`${job?.id}: 2 of 3 shards are finished; `);
    const [journal = "none"] = machines[1]?.journals() ?? [];
    expect(job?.shards.map(({ resume }) => resume?.includes(`--shard 2/3 --resume ${journal}`))).toEqual([
      undefined,
      true,
      undefined,
    ]);

    expect((await runMain([...shard(2), "--resume", journal], worldFor(2))).code).toBe(0);
    const all = await overlook();
    expect([all.code, all.stderr]).toEqual([0, ""]);
    const total = items.length;
    expect(all.rows).toMatchObject([
      { id: job?.id, state: "finished", items: total, done: total, failed: 0, to_go: 0, parts_done: 3 },
    ]);
    // `recover list` changes nothing, and a single folder is not the whole job.
    expect(await overlook()).toEqual(all);
    expect((await overlook(["--state-dir", machines[0]?.path ?? ""])).code).toBe(9);
  },
);

const shardOf = (index: number): string[] => ["token", "revoke", "--yes", "--shard", `${index}/${count}`];

test("a shard without items counts as finished, but not in a dry run", async () => {
  const { tokens, machines, worldOf, overlook } = await setStage(1);
  const [own = 0] = [1, 2, 3].filter((index) => itemsOfShard(tokens, { shard: { index, count } }).length > 0);
  for (const index of [1, 2, 3].filter((other) => other !== own)) {
    await runMain([...shardOf(index), "--dry-run"], worldOf(index));
    expect(readdirSync(machines[index - 1]?.path ?? "")).toEqual([]);
    expect((await runMain(shardOf(index), worldOf(index))).code).toBe(0);
  }
  expect(await overlook()).toMatchObject({ code: 9, rows: [{ parts_done: 2, items: 0 }] });
  expect((await runMain(shardOf(own), worldOf(own))).code).toBe(0);
  expect(await overlook()).toMatchObject({ code: 0, rows: [{ parts_done: 3, items: 1, done: 1 }] });
});

test("a different input, number of shards or operation is a different job", async () => {
  const { tokens, worldOf, overlook } = await setStage(18);
  const run = async (verb: string, shard: string, input: readonly string[]) => {
    const world = { ...worldOf(1), input: input.join("\n") };
    expect((await runMain(["token", verb, "--yes", "--shard", shard], world)).code).toBe(0);
  };
  const [input, other, third] = [tokens.slice(0, 6), tokens.slice(6, 12), tokens.slice(12)];
  await run("reset", "1/2", input);
  await run("reset", "2/2", other);
  const { code, rows } = await overlook();
  expect([code, rows.map(({ parts_done }) => parts_done)]).toEqual([9, [1, 1]]);
  expect(new Set(rows.map(({ id }) => id)).size).toBe(2);
  // The order of the input does not matter.
  await run("reset", "2/2", input.toReversed());
  await run("revoke", "1/2", third);
  await run("reset", "2/2", third);
  expect((await overlook()).rows.filter(({ parts_done }) => parts_done === 2)).toHaveLength(1);
  expect((await overlook()).rows).toHaveLength(4);
});

test("the file of a finished shard is listed and not announced, has no token, and is deleted by recover forget", async () => {
  const { service, tokens, machines, worldOf, overlook } = await setStage(9);
  const [machine] = machines;
  for (const shard of ["1/3", "2/3", "3/3"])
    await runMain(["token", "revoke", "--yes", "--shard", shard], worldOf(1));
  const { environment } = worldOf(1);
  const listed = await runMain(["recover", "list", "--json", "id,state,shard"], { environment });
  const rows = JSON.parse(listed.stdout) as readonly Record<string, string>[];
  expect(rows.map(({ state, shard }) => [state, shard])).toEqual([
    ["finished", "1/3"],
    ["finished", "2/3"],
    ["finished", "3/3"],
  ]);
  const other = await runMain(["token", "check"], { environment, input: service.addToken() });
  expect(other).toMatchObject({ code: 0, stderr: "" });
  for (const token of tokens) expect(machine?.content()).not.toContain(token);

  const [job] = (await overlook()).rows;
  const [one] = rows;
  expect((await runMain(["recover", "forget", one?.["id"] ?? ""], { environment })).code).toBe(0);
  expect(await overlook()).toMatchObject({ code: 9, rows: [{ id: job?.id, parts_done: 2 }] });
  expect((await runMain(["recover", "forget", job?.id ?? ""], { environment })).code).toBe(0);
  expect(readdirSync(machine?.path ?? "")).toEqual([]);
  expect((await runMain(["recover", "forget", job?.id ?? ""], { environment })).code).toBe(2);
});

test("a journal that is copied or linked into a second folder is counted once", async () => {
  const { service, tokens, machines, folders, worldOf, overlook } = await setStage(30);
  const { length } = itemsOfShard(tokens, { shard: { index: 2, count } });
  // Rejections stop the second shard halfway.
  let sent = 0;
  service.plan(() => ((sent += 1) > 2 ? { instead: { status: 403, body: { message: "no" } } } : undefined));
  expect((await runMain([...shardOf(2), "--concurrency", "1"], worldOf(2))).code).toBe(9);
  const once = await overlook();
  expect(once.rows).toMatchObject([{ items: length, done: 2, parts_done: 0 }]);
  const [copy, link] = [join(makeFolder(), "copy"), join(makeFolder(), "link")];
  cpSync(machines[1]?.path ?? "", copy, { recursive: true });
  symlinkSync(machines[1]?.path ?? "", link);
  expect(await overlook([...folders, "--state-dir", copy, "--state-dir", link])).toEqual(once);
});

test("a missing state folder is an error, and is not created", async () => {
  const { overlook } = await setStage(1);
  const nowhere = join(makeFolder(), "nowhere");
  const { code, stderr } = await overlook(["--state-dir", nowhere]);
  expect([code, existsSync(nowhere)]).toEqual([2, false]);
  expect(stderr).toContain(nowhere);
});

test("a terminal shows the job in one line, and how to resume each shard", async () => {
  const { service, folders, machines, worldOf } = await setStage(12);
  service.plan((_, position) =>
    position > 0 ? { instead: { status: 403, body: { message: "no" } } } : undefined,
  );
  const words = ["token", "revoke", "--yes", "--concurrency", "1", "--shard", "2/3"];
  expect((await runMain(words, worldOf(2))).code).toBe(9);
  const { environment } = service;
  const run = await runMain(["recover", "list", ...folders, "--no-color"], { environment, columns: 140 });
  expect(run.code).toBe(9);
  expect(run.stdout).toMatch(/SHARDS.*\n.*job-[0-9a-f]{12} .*0 of 3/);
  expect(run.stderr).toContain(
    `  grantctl token revoke --token-file FILE --shard 2/3 --resume ${machines[1]?.journals()[0]}\n`,
  );
});
