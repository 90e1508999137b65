// The jq programs that are only a path; jq itself confirms that the output is the same.
import { assert, constantFrom, oneof, property, tuple } from "fast-check";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { createJq } from "../src/jq.ts";
import { parseJson } from "../src/json.ts";
import { openJqWriter } from "../src/output/writers.ts";
import { inFull } from "./support/soak.ts";

describe("a path", () => {
  const value = constantFrom(
    ..."0 -0 7 -3 7.0 1.5 1e3 9007199254740993 -20000000000000000001 true false null {} []".split(" "),
    "1".repeat(31),
    "1".repeat(40),
    `1${"0".repeat(25)}`,
    ...["", "a", "naïve 漢 🦀", "\n\t\r", "\0\u007f\u0085\ufeff", " x ", '"\\', "null", "\ud800"].map(
      (text) => JSON.stringify(text),
    ),
  );
  const holder = oneof(
    value,
    tuple(value, value).map(([id, name]) => `{"id":${id},"app":{"name":${name},"id":1},"__proto__":${name}}`),
    value.map((app) => `{"app":${app}}`),
  );
  const programs = [
    ".[]",
    ".[].id",
    " .[] | .app.name ",
    ".[].app|.name",
    ".[].__proto__",
    ".[].and",
    ".[].app.name.x",
  ];

  test.each(programs)(
    "%s returns the same as jq without it, or nothing at all",
    { tags: "soak" },
    async (text) => {
      const jq = await createJq(text, (work) => work());
      await jq.load();
      let found = 0;
      assert(
        property(holder, (json) => {
          const result = jq.resultOf(parseJson(json));
          if (result === null) return;
          found += 1;
          expect([json, [result]]).toEqual([json, jq.run(`[${json}]`)]);
        }),
        { numRuns: inFull(25, 150), examples: [["null"], ["{}"], ['{"app":null}']] },
      );
      expect(found).toBeGreaterThan(0);
    },
  );

  test.each([
    ".",
    ".id",
    ".[0]",
    ".[].id?",
    '.[]."id"',
    ".[].id,.[].id",
    ".[]|",
    ".[]. id",
    ".[].scopes[]",
    ".[]|.",
    "..",
    ".[].1a",
  ])("%s is left to jq", async (text) => {
    const jq = await createJq(text, (work) => work()).catch(() => null);
    expect(jq?.isPath ?? false).toBe(false);
    expect(jq?.resultOf({ id: 1, scopes: [] }) ?? null).toBeNull();
  });
});

describe("jq that runs out of memory", () => {
  test("reports the limit and what to do for a long list, without collecting all of it", async () => {
    const written: string[] = [];
    const write = (results: readonly string[]): Promise<void> =>
      Promise.resolve(void written.push(...results));
    const show = { toText: (item: string) => item, toValue: (item: string) => item };
    const writer = openJqWriter<string>(write, show, await createJq("length", (work) => work()), true);
    const item = JSON.stringify("x".repeat(30_000_000));
    await writer.add([item, item]);
    await expect(writer.add([item, item])).rejects.toMatchObject({
      kind: "usage",
      message: expect.stringMatching(/at least \d+ MB of JSON at once, of which about 45 MB fit/) as string,
      details: { hint: expect.stringContaining("--format ndjson") as string },
    });
    expect(written).toEqual([]);
  });

  test("is not run again", async () => {
    const said = vi.spyOn(console, "error").mockImplementation(() => undefined);
    onTestFinished(() => said.mockRestore());
    const greedy = "if . == 1 then ([]|.[100000000]=1|length) else . end";
    const jq = await createJq(greedy, (work) => work());
    expect(jq.run("2")).toEqual(["2"]);
    expect(() => jq.run("1")).toThrow("--jq: jq ran out of memory");
    expect(() => jq.run("2")).toThrow("--jq: jq ran out of memory");
  });
});
