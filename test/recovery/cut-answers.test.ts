// The answer that makes a token is cut off at the bytes it has; at every one of them in a soak. Whatever the place: one request, no value on
// standard output that is not whole, and afterwards either the value or an honest word about it.
import { rmSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { runBinary } from "../support/binary.ts";
import { inFull, inTurn, isPlaceToCut } from "../support/soak.ts";
import { makeStateFolder } from "../support/state-folder.ts";
import { runMain } from "../support/test-host.ts";
import { startTruthService, truthCredentials, type TruthService } from "../support/truth-service.ts";

interface Making {
  readonly words: readonly string[];
  readonly input: string;
  /** What names it in the service's records. */
  readonly subject: string;
}

/** The three commands that are shown a value once; `number` makes each run's subject a new one. */
const makings: Readonly<Record<string, (service: TruthService, number: number) => Making>> = {
  create: (_, number) => ({
    words: ["authorization", "create", "--note", `note ${number}`, "--scope", "repo"],
    input: "",
    subject: `note ${number}`,
  }),
  "get-or-create": (_, number) => ({
    words: ["authorization", "get-or-create", "--fingerprint", `machine-${number}`],
    input: "",
    subject: `${truthCredentials.clientId} machine-${number}`,
  }),
  reset: (service) => {
    const token = service.addToken();
    return { words: ["token", "reset", "--yes"], input: `${token}\n`, subject: token };
  },
};

/** Ways in which an answer says where it ends. */
const framings: Readonly<Record<string, (answer: Buffer) => Buffer>> = {
  "with its length": (answer) => answer,
  "that ends with the connection": (answer) =>
    Buffer.from(answer.toString("latin1").replace(/Content-Length: \d+\r\n/, ""), "latin1"),
  "in chunks": (answer) => {
    const text = answer.toString("latin1").replace(/Content-Length: \d+/, "Transfer-Encoding: chunked");
    const start = text.indexOf("\r\n\r\n") + 4;
    const body = text.slice(start);
    const middle = 20;
    const chunks = [body.slice(0, middle), body.slice(middle)];
    const framed = chunks.map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`).join("");
    return Buffer.from(`${text.slice(0, start)}${framed}0\r\n\r\n`, "latin1");
  },
};

/** The value whose bytes arrived, quotes included, in the first `cut` bytes of a plainly framed answer. */
function hasArrived(answer: Buffer, cut: number, value: string): boolean {
  return answer.subarray(0, cut).toString("latin1").includes(`"token":"${value}"`);
}

function isWrite(operation: string): boolean {
  return !["list", "check", "view"].includes(operation);
}

/** Where an answer begins to say something else: its body, its value, what comes after it. */
const remarkable = (value: string): readonly string[] => [
  "\r\n\r\n",
  '"token":"',
  `"token":"${value}"`,
  '"token_last_eight"',
];

/** Cuts answers at one byte after the other; gives back how many cuts there were, and what was wrong with which. */
async function cutEverywhere(
  making: (service: TruthService, number: number) => Making,
  frame: (answer: Buffer) => Buffer,
): Promise<{ readonly cuts: number; readonly wrong: readonly string[] }> {
  const service = await startTruthService();
  const state = makeStateFolder();
  const world = { environment: { ...service.environment, ...state.environment } };
  const wrong: string[] = [];
  let cuts = 0;
  /** The one before, which is as long but for the digits of an id. */
  let previous: Buffer = Buffer.alloc(0);
  let previousValue = "";
  for (let cut = 0, isWhole = false; !isWhole; cut += 1) {
    if (!isPlaceToCut(cut, previous, remarkable(previousValue)) && cut < previous.length) continue;
    cuts += 1;
    service.clear();
    const { words, input, subject } = making(service, cut);
    const at = cut;
    service.plan(({ operation }) => (isWrite(operation) ? { cutAt: at, rewrite: frame } : undefined));
    const before = service.requests.length;
    let answer: Buffer = Buffer.alloc(0);
    const sent = (): number =>
      service.requests.slice(before).filter(({ operation }) => isWrite(operation)).length;
    service.onRequest(({ operation }) => {
      if (!isWrite(operation) && answer.length === 0) answer = service.lastAnswer();
    });
    const run = await runMain(words, { ...world, input });
    if (answer.length === 0) answer = service.lastAnswer();
    isWhole = cut >= answer.length;
    const complain = (problem: string): void => void wrong.push(`byte ${at} of ${answer.length}: ${problem}`);

    const write = service.writes.findLast((each) => each.subject === subject);
    const value = write?.value ?? "";
    previous = answer;
    previousValue = value;
    if (sent() !== 1) complain(`${sent()} requests`);
    if (service.writes.filter((each) => each.subject === subject).length !== 1) complain("not one write");
    if (run.stderr.includes(value)) complain("the value on standard error");
    // An answer without a length may lack its last bytes of framing and still be whole.
    if (run.code === 0 && run.stdout === `${value}\n`) {
      if (!isWhole && !answer.subarray(0, cut).toString("latin1").includes("}}"))
        complain("0 for a cut answer");
      if (state.ids().length > 0) complain("a leftover of a delivered value");
      continue;
    }
    if (isWhole) complain(`${run.code} for a whole answer: ${run.stderr}`);
    if (run.code !== 13) complain(`exit ${run.code}: ${run.stderr}`);
    if (run.stdout !== "") complain(`on standard output: ${run.stdout}`);
    const [id = "none", ...others] = state.ids();
    if (id === "none" || others.length > 0) complain(`${state.ids().length} leftovers`);
    if (!run.stderr.includes(`grantctl recover show ${id}`)) complain("no hint to recover");
    const shown = await runMain(["recover", "show", id], { ...world, input });
    const outcome = `exit ${shown.code}, standard output ${JSON.stringify(shown.stdout)}: ${shown.stderr}`;
    if (hasArrived(answer, cut, value)) {
      if (shown.code !== 0 || shown.stdout !== `${value}\n`) complain(`the value arrived, but ${outcome}`);
    } else if (shown.code !== 13 || shown.stdout !== "") complain(`the value did not arrive, but ${outcome}`);
    rmSync(state.path, { recursive: true, force: true });
  }
  return { cuts, wrong };
}

test.each([
  ["create", "with its length"],
  ["get-or-create", "with its length"],
  ["reset", "with its length"],
  ["reset", "that ends with the connection"],
  ["reset", "in chunks"],
])(
  "an answer to %s, %s, cut anywhere, loses nothing without a word",
  { tags: "soak" },
  async (name, framing) => {
    const making = makings[name];
    const frame = framings[framing];
    if (making === undefined || frame === undefined) throw new Error("no such case");
    const { cuts, wrong } = await cutEverywhere(making, frame);
    expect(wrong.slice(0, 5)).toEqual([]);
    expect(cuts).toBeGreaterThan(inFull(40, 500));
  },
);

test(
  "an answer that an authorization exists, cut anywhere, is never taken for a value",
  { tags: "soak" },
  async () => {
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
      service.plan(({ operation }) => (operation === "get-or-create" ? { cutAt: cut } : undefined));
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
  },
);

test.each(Object.keys(makings))("a value of %s that did arrive is not said to be lost", async (name) => {
  const service = await startTruthService(({ operation }) =>
    operation === name
      ? { rewrite: (answer) => answer.subarray(0, answer.indexOf('"token_last_eight"') + 4) }
      : undefined,
  );
  const state = makeStateFolder();
  const making = makings[name]?.(service, 1);
  if (making === undefined) throw new Error("no such case");
  const run = await runMain(making.words, {
    input: making.input,
    environment: { ...service.environment, ...state.environment },
  });
  expect(run.code).toBe(13);
  expect(run.stderr).toContain("grantctl recover show");
  expect(run.stderr).not.toMatch(/never arrived|cannot be shown again|authorization delete/);
});

test("a kept value is given as the service meant it, whatever way it was written in JSON", async () => {
  const service = await startTruthService();
  service.plan(({ operation }) =>
    operation === "reset"
      ? {
          rewrite(answer) {
            const text = answer
              .toString("latin1")
              .replace(/"token":"[^"]*"/, String.raw`"token":"ab\/cd\u002bef"`);
            return Buffer.from(text.slice(0, text.indexOf('"token_last_eight"')), "latin1");
          },
        }
      : undefined,
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
  test.each(Object.keys(makings).map((name, row) => ({ name, row })))(
    "keeps $name from being lost at a few of the bytes",
    { tags: "soak" },
    async ({ name, row }) => {
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
        const making = makings[name]?.(service, number);
        if (making === undefined) throw new Error("no such case");
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
