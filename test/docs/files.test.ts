// Documents that are written by hand match the sources that they describe.
import { Command } from "commander";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import type { Context, Define } from "../../src/command-line/command.ts";
import type { Call } from "../../src/http/service.ts";
import { runProgram } from "../support/binary.ts";

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");

test("the first commands of README.md print the output below them", () => {
  const [, shown = ""] = /^```text\n(.*?)^```$/ms.exec(read("README.md")) ?? [];
  const recorded = read("test/scripts/account/readme.txt").replaceAll(/^(?:[|!] |= \d\n)/gm, "");
  expect(shown.split("\n").length).toBeGreaterThan(3);
  expect(recorded).toContain(shown);
});

test("the tour of README.md runs to its end", async () => {
  const { scripts } = JSON.parse(read("package.json")) as {
    readonly scripts: Readonly<Record<string, string>>;
  };
  const folder = fileURLToPath(new URL("../..", import.meta.url));
  const { code, stdout } = await runProgram("sh", ["-c", scripts["tour"] ?? ""], { folder });
  expect(stdout).toMatch(/That was all of it\.[^]*\n\n$/);
  expect(code).toBe(0);
});

test("CONTRIBUTING.md and docs/development.md name only existing files, and every module", () => {
  const pages = read("CONTRIBUTING.md") + read("docs/development.md");
  const named = [...pages.matchAll(/`((?:src|test|bin|docs)\/[\w./-]+)`/g)].map(([, path = ""]) => path);
  const missing = named.filter((path) => !existsSync(new URL(`../../${path}`, import.meta.url)));
  // CONTRIBUTING describes how to add these, so they need not exist yet.
  const toAdd = ["src/commands/grant/count.ts", "test/scripts/account/count.txt"];
  expect(missing.filter((path) => !toAdd.includes(path))).toEqual([]);
  const modules = readdirSync(new URL("../../src", import.meta.url)).filter((name) => !name.includes("."));
  expect(modules.filter((name) => !pages.includes(`\`${name}\``))).toEqual([]);
});

test("the command in CONTRIBUTING.md counts all grants", async () => {
  const [, code = ""] = /```ts\n([^]*?)```/.exec(read("CONTRIBUTING.md")) ?? [];
  const folder = mkdtempSync(join(tmpdir(), "grantctl-count-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "count.ts");
  writeFileSync(
    file,
    code.replaceAll('"../../', `"${fileURLToPath(new URL("../../src/", import.meta.url))}`),
  );
  const { define } = (await import(file)) as { readonly define: Define };
  const grants = Array.from({ length: 150 }, (_, id) => ({ id, url: "", app: null, scopes: [] }));
  const exchange = ({ query }: Call) => {
    const page = Number(query?.["page"] ?? 1);
    const link = page === 1 ? '</x?page=2>; rel="next"' : "";
    const body = Buffer.from(JSON.stringify(grants.slice(page * 100 - 100, page * 100)));
    return Promise.resolve({ request: {}, response: { status: 200, headers: { link }, body } });
  };
  const printed: unknown[] = [];
  const context = {
    server: { accountService: () => Promise.resolve({ service: { exchange } }) },
    paging: (limit: number | null = null) => ({ limit, concurrency: 8 }),
    printer: { printItem: (item: unknown) => Promise.resolve(printed.push(item)) },
  };
  const act: Parameters<Define>[1] = (run) => () => run(context as unknown as Context);
  const command = new Command();
  define(command, act, null as never);
  await command.parseAsync([], { from: "user" });
  expect(printed).toEqual([{ count: 150 }]);
});
