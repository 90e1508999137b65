// Cuts off the response that creates an authorization at some of its bytes (every byte in a soak). At any byte: one
// request, no partial value on standard output, and afterwards either the value or a report that it is missing.
import { rmSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { runBinary } from "../support/binary.ts";
import { cutEverywhere, framings, makings } from "../support/cut-responses.ts";
import { inFull, inTurn, isPlaceToCut, soakStep } from "../support/soak.ts";
import { makeStateFolder } from "../support/state-folder.ts";
import { runMain } from "../support/test-host.ts";
import { on, startTruthService } from "../support/truth-service.ts";

test.each(["create", "get-or-create"] as const)(
  "a response to %s cut at any byte never loses a value silently",
  { tags: "soak" },
  async (name) => {
    const { cuts, wrong } = await cutEverywhere(makings[name], framings["with its length"]);
    expect(wrong.slice(0, 5)).toEqual([]);
    expect(cuts).toBeGreaterThan(inFull(40, 500 / soakStep));
  },
);

test("a cut response about an existing authorization never yields a value", { tags: "soak" }, async () => {
  const service = await startTruthService();
  const state = makeStateFolder();
  const world = { environment: { ...service.environment, ...state.environment } };
  const words = ["authorization", "get-or-create", "--fingerprint", "here"];
  expect((await runMain(words, world)).code).toBe(0);
  expect((await runMain(words, world)).code).toBe(10);
  const whole = service.lastAnswer();
  const wrong: string[] = [];
  for (let cut = 0; cut < whole.length; cut += 1) {
    if (!isPlaceToCut(cut, whole, ["\r\n\r\n"])) continue;
    service.plan(on("get-or-create", { cutAt: cut }));
    const run = await runMain(words, world);
    if (run.code !== 13 || run.stdout !== "") wrong.push(`byte ${cut}: exit ${run.code} ${run.stdout}`);
    const [id = "none"] = state.ids();
    const shown = await runMain(["recover", "show", id], world);
    if (shown.code !== 13 || shown.stdout !== "")
      wrong.push(`byte ${cut}: recover show, exit ${shown.code}: ${shown.stdout}`);
    await runMain(["recover", "forget", id], world);
  }
  expect(wrong.slice(0, 5)).toEqual([]);
  expect(service.writes).toHaveLength(1);
});

test("a kept value is decoded from JSON, including escapes", async () => {
  const service = await startTruthService();
  service.plan(
    on("reset", {
      rewrite(answer) {
        const text = answer
          .toString("latin1")
          .replace(/"token":"[^"]*"/, String.raw`"token":"ab\/cd\u002bef"`);
        return Buffer.from(text.slice(0, text.indexOf('"token_last_eight"')), "latin1");
      },
    }),
  );
  const state = makeStateFolder();
  const world = { environment: { ...service.environment, ...state.environment } };
  const input = service.addToken();
  expect((await runMain(["token", "reset", "--yes"], { ...world, input })).code).toBe(13);
  const shown = await runMain(["recover", "show", state.ids()[0] ?? "none"], { ...world, input });
  expect(shown).toMatchObject({ code: 0, stdout: "ab/cd+ef\n" });
});

const afterTheValue = (answer: Buffer): number => answer.indexOf('"token_last_eight"');

describe("the real program", () => {
  test.each(Object.entries(makings).map(([name, make], row) => ({ name, make, row })))(
    "keeps the value of $name when the response is cut at some bytes",
    { tags: "soak" },
    async ({ name, make, row }) => {
      const service = await startTruthService();
      const state = makeStateFolder();
      const environment = { ...service.environment, ...state.environment };
      const places: readonly ((answer: Buffer) => number)[] = [
        () => 0,
        () => 15,
        (answer) => answer.indexOf("\r\n\r\n") + 4,
        (answer) => answer.indexOf('"token":"') + 30,
        afterTheValue,
      ];
      for (const [number, place] of inTurn(places, 2, row).entries()) {
        const making = make(service, number);
        service.plan(({ operation }) =>
          operation === name ? { rewrite: (answer) => answer.subarray(0, place(answer)) } : undefined,
        );
        const run = await runBinary(making.words, { environment, input: making.input });
        expect(run).toMatchObject({ code: 13, stdout: "" });
        expect(service.writes.filter(({ subject }) => subject === making.subject)).toHaveLength(1);
        expect(state.ids()).toHaveLength(1);
        const id = state.ids()[0] ?? "none";
        const value = service.writes.at(-1)?.value ?? "none";
        const shown = await runBinary(["recover", "show", id], { environment, input: making.input });
        expect(shown).toMatchObject(
          place === afterTheValue ? { code: 0, stdout: `${value}\n` } : { code: 13, stdout: "" },
        );
        rmSync(state.path, { recursive: true, force: true });
      }
    },
  );
});
