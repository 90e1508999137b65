// A long list on several machines: each bulk command processes its shard, all shards together process each item once,
// and an interrupted job is resumed with its shard.
import { expect, test } from "vitest";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { itemsOfShard } from "../../src/jobs/shard.ts";
import { makeFolder, makeStateFolder } from "../support/state-folder.ts";
import { startRecordingServer } from "../support/recording-server.ts";
import { grantJson, tokenValue } from "../support/resources.ts";
import { runMain } from "../support/test-host.ts";
import { on, startTruthService, type TruthService } from "../support/truth-service.ts";

const count = 3;
const shards = [1, 2, 3] as const;
const refusal = { instead: { status: 403, body: { message: "no" } } };

async function startWithTokens(
  tokens: number,
): Promise<{ service: TruthService; tokens: readonly string[] }> {
  const service = await startTruthService();
  return { service, tokens: Array.from({ length: tokens }, () => service.addToken()) };
}

test.each(["check", "reset", "revoke", "revoke-grant"] as const)(
  "token %s: the shards together process every token once",
  async (verb) => {
    const { service, tokens } = await startWithTokens(20);
    for (const index of shards) {
      const before = service.requests.length;
      const run = await runMain(["token", verb, "--yes", "--shard", `${index}/${count}`], {
        environment: service.environment,
        input: tokens.join("\n"),
      });
      expect(run).toMatchObject({ code: 0, stderr: "" });
      const own = itemsOfShard(tokens, { shard: { index, count } });
      expect(
        service.requests
          .slice(before)
          .map(({ subject }) => subject)
          .toSorted(),
      ).toEqual(own.toSorted());
      expect(run.stdout.trimEnd().split("\n")).toHaveLength(own.length);
    }
    expect(service.requests).toHaveLength(tokens.length);
  },
);

test.each(["grant", "authorization"] as const)(
  "%s: a shard of the deletion deletes the items of the same shard of the list",
  async (noun) => {
    const ids = [...Array.from({ length: 12 }, (_, index) => String(index + 1)), "9007199254740993"];
    const server = await startRecordingServer(({ method }) =>
      method === "DELETE"
        ? { status: 204 }
        : {
            status: 200,
            body: `[${ids.map((id) => JSON.stringify(grantJson()).replace('"id":42', `"id":${id}`)).join(",")}]`,
          },
    );
    const listed: string[] = [];
    for (const index of shards) {
      const flags = ["--shard", `${index}/${count}`];
      const list = await server.run([noun, "list", "--json", "id", "--format", "tsv", ...flags]);
      const whole = await server.run([noun, "delete", "-", "--yes", ...flags], { input: ids.join("\n") });
      expect([list.code, whole.code]).toEqual([0, 0]);
      expect(whole.stdout).toBe(list.stdout.replaceAll(/^/gm, "deleted\t").replace(/deleted\t$/, ""));
      listed.push(...list.stdout.trimEnd().split("\n"));
    }
    expect(listed.toSorted()).toEqual(ids.toSorted());
    expect(server.writes()).toHaveLength(ids.length);
  },
);

/** The first shard with exactly the given number of these tokens. */
function shardWith(size: number, tokens: readonly string[]): string {
  for (let of = 2; of < 200; of += 1) {
    for (let index = 1; index <= of; index += 1) {
      if (itemsOfShard(tokens, { shard: { index, count: of } }).length === size) return `${index}/${of}`;
    }
  }
  throw new Error("there is no such shard");
}

const tokens = [tokenValue(1), tokenValue(2), tokenValue(3)];

test.each([
  [["token", "check"], "no token to check"],
  [["token", "reset", "--yes"], "no token to reset"],
  [["token", "reset", "--yes", "--output-file", "never.txt"], "no token to reset"],
  [["token", "reset", "--dry-run"], "no token to reset"],
  [["token", "revoke", "--no-input"], "no token to revoke"],
  [["token", "revoke-grant", "--yes"], "no token to revoke"],
  [["grant", "delete", "-", "--no-input"], "no grant to delete"],
  [["authorization", "delete", "1", "2", "3"], "no authorization to delete"],
])(
  "an empty shard for %j exits with 0, a note and an empty report, and sends nothing",
  async (words, note) => {
    const items = words[0] === "token" ? tokens : ["1", "2", "3"];
    const shard = shardWith(0, items);
    const server = await startRecordingServer();
    const world = { environment: server.environment, input: items.join("\n") };
    const run = await runMain([...words, "--shard", shard], world);
    expect(run).toEqual({ code: 0, stdout: "", stderr: `${note} in shard ${shard}\n` });
    const json = await runMain([...words, "--shard", shard, "--json"], world);
    expect([json.code, json.stdout]).toEqual([0, "[]\n"]);
    expect(server.requests).toEqual([]);
  },
);

test("an input without any token is still an error", async () => {
  const server = await startRecordingServer();
  const run = await server.run(["token", "revoke", "--yes", "--shard", "1/2"]);
  expect(run.code).toBe(2);
  expect(run.stderr).toContain("the list of tokens is empty");
});

test("a shard of one token is reported, kept and resumed like any other shard", async () => {
  const { service, tokens: live } = await startWithTokens(6);
  const state = makeStateFolder();
  const shard = shardWith(1, live);
  const world = { environment: { ...service.environment, ...state.environment }, input: live.join("\n") };
  const checked = await runMain(["token", "check", "--json", "status", "--shard", shard], world);
  expect(checked.stdout).toBe('[\n{"status":"live"}\n]\n');
  // The response is cut off, so the token may be reset and the journal is kept.
  service.plan(on("reset", { cutAt: 0 }));
  const cut = await runMain(["token", "reset", "--yes", "--shard", shard], world);
  expect(cut.code).toBe(13);
  expect(state.journals()).toHaveLength(1);
  const listed = await runMain(["recover", "list", "--json", "items,journal"], world);
  expect(JSON.parse(listed.stdout)).toEqual([{ items: 1, journal: state.journals()[0] }]);
  const { environment } = world;
  const shown = await runMain(["recover", "show", state.ids()[0] ?? "none"], { environment });
  expect(shown.stderr).toContain(
    `grantctl token reset --token-file FILE --shard ${shard} --resume ${state.ids()[0]}`,
  );
});

test("an interrupted shard is resumed only with the same shard", async () => {
  const { service, tokens: live } = await startWithTokens(24);
  const state = makeStateFolder();
  const output = join(makeFolder(), "new.txt");
  const environment = { ...service.environment, ...state.environment };
  const input = live.join("\n");
  const own = itemsOfShard(live, { shard: { index: 2, count } });
  service.plan(({ subject }) => (subject === own[0] ? undefined : refusal));
  const words = ["token", "reset", "--yes", "--concurrency", "1", "--output-file", output];
  const first = await runMain([...words, "--shard", "2/3"], { environment, input });
  expect(first.code).toBe(9);
  const [journal = "none"] = state.journals();
  expect(first.stderr).toContain(
    `\`grantctl ${[...words, "--shard", "2/3", "--resume", state.ids()[0]].join(" ")}\``,
  );
  expect(service.writes).toHaveLength(1);

  service.plan(() => undefined);
  const requests = service.requests.length;
  for (const [flags, why] of [
    [[], "the journal belongs to --shard 2/3"],
    [["--shard", "1/3"], "the journal belongs to --shard 2/3"],
    [["--shard", "2/4"], "the journal belongs to --shard 2/3"],
  ] as const) {
    const wrong = await runMain([...words, "--resume", journal, ...flags], { environment, input });
    expect([wrong.code, wrong.stderr.includes(why)]).toEqual([2, true]);
  }
  const other = await runMain([...words, "--resume", journal, "--shard", "2/3"], {
    environment,
    input: live.filter((token) => token !== own.at(-1)).join("\n"),
  });
  expect([other.code, other.stderr.includes("this is not the input")]).toEqual([2, true]);
  expect(service.requests.length).toBe(requests);

  const run = await runMain([...words, "--resume", journal, "--shard", "2/3"], { environment, input });
  expect([run.code, state.journals()]).toEqual([0, []]);
  expect(service.writes.map(({ subject }) => subject)).toEqual(own);
  const values = readFileSync(output, "utf8").trimEnd().split("\n");
  expect(values.map((line) => (JSON.parse(line) as { token: string }).token)).toEqual(
    service.writes.map(({ value }) => value),
  );
});

test("a job is not resumed with an empty shard of its input", async () => {
  const server = await startRecordingServer();
  const words = ["token", "revoke", "--yes", "--resume", "x", "--shard", shardWith(0, tokens)];
  const run = await server.run(words, { input: tokens.join("\n") });
  expect(run.code).toBe(2);
  expect(run.stderr).toContain("not the input that the job was started with");
});
