// The rotation guide's promises about its scripts, besides that they run: the fake tools reject unexpected input,
// a .env file is replaced atomically, and the script for cron resumes an earlier run.
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { makeExampleWorld, type ExampleWorld } from "../support/example-world.ts";

let world: ExampleWorld;

beforeEach(async () => {
  world = await makeExampleWorld();
  onTestFinished(() => world.close());
});

const rotate = "grantctl authorization rotate 52 --yes --to-command";

test("a tool rejects unexpected input, and the old token stays active", async () => {
  for (const words of ["gh secret set OTHER", "pass insert ci/token", "docker login registry.example.com"]) {
    const run = await world.run(`${rotate} '${words}'`);
    expect([words, run.code, run.stderr]).toEqual([words, 12, expect.stringContaining("other words")]);
  }
  expect((await world.run("grantctl authorization view 52")).code).toBe(0);
  const lost = await world.run("printf '%s' too-short | gh secret set CI_TOKEN --repo example/app");
  expect(lost.code).toBe(9);
});

test("a .env file is replaced atomically or left unchanged", async () => {
  const file = join(world.folder, ".env");
  const before = readFileSync(file, "utf8");
  expect((await world.run("./to-env.sh .env < /dev/null")).code).not.toBe(0);
  expect(readFileSync(file, "utf8")).toBe(before);
  const run = await world.run(`${rotate} './to-env.sh .env' && ls -A`);
  expect(run.code).toBe(0);
  expect(readFileSync(file, "utf8")).toMatch(/^NAME=app\nCI_TOKEN=[0-9a-f]{40}\n$/);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(run.stdout).not.toContain(".env.");
});

test("the script for cron resumes an earlier run, and creates nothing twice", async () => {
  const list = `grantctl authorization list --jq '.[] | select(.note | tostring | startswith("ci token")).id'`;
  const [old] = (await world.run(list)).stdout.split("\n");
  const cut = await world.run(
    `${list} > rotating.txt; grantctl authorization rotate - --yes --to-command false < rotating.txt`,
  );
  expect(cut.code).toBe(12);
  const ids = (await world.run(list)).stdout.trim().split("\n");
  expect(ids).toHaveLength(2);
  const run = await world.run("./rotate-ci.sh");
  expect([run.code, run.stderr]).toEqual([0, ""]);
  const left = (await world.run(`${list}; cat rotating.txt; grantctl recover list --json`)).stdout;
  expect(left).toBe(`${ids.find((id) => id !== old)}\n[]\n`);
});
