// `--fault` and `--seed` on the command line: effect, rejected values, messages.
import { describe, expect, test } from "vitest";
import { runMain } from "../support/test-host.ts";

/** Runs a Node script with `sandbox run` and these flags; the exit code is the script's. */
function runScript(flags: readonly string[], script: string) {
  return runMain(["sandbox", "run", ...flags, "--", process.execPath, "--eval", script]);
}

const ask = "fetch(process.env.GRANTCTL_BASE_URL + '/user')";
// Reads the whole response, because a dropped one may be truncated after its status.
const answerExit = `${ask}.then(async (answer) => { await answer.text(); process.exit(answer.status - 400); })
  .catch(() => process.exit(99))`;

describe("an invalid fault is a usage error that lists the formats", () => {
  test.each([
    "",
    "drop-answer",
    "drop-answer=",
    "drop-answer=2",
    "drop-answer=-0.1",
    "drop-answer=.",
    "drop-answer=10%",
    "drop-answer=0.1:0.2",
    "reset=0.1",
    "Delay=5",
    "status=503",
    "status=503:",
    "status=399:0.1",
    "status=600:0.1",
    "status=0503.5:0.1",
    "status=503:1.01",
    "status=503:NaN",
    "delay=",
    "delay=fast",
    "delay=-1",
    "delay=1.5",
    "delay=100:",
    "delay=100:2",
    "delay=9999999999",
    " delay=5",
    "delay=5\n",
  ])("--fault %j is rejected with the forms that there are", async (text) => {
    for (const verb of [["start"], ["run", "--", "true"]] as const) {
      const [name, ...rest] = verb;
      const { code, stdout, stderr } = await runMain(["sandbox", name, "--fault", text, ...rest]);
      expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
      expect(stderr).toContain("drop-answer=P, status=CODE:P or delay=MS[:P]");
      expect(stderr).toContain("P is from 0 to 1 and CODE from 400 to 599");
    }
  });

  test.each(["", "x", "-1", "1.5", "1e3", "12345678901"])("--seed %j is rejected", async (text) => {
    expect((await runMain(["sandbox", "run", "--seed", text, "--", "true"])).code).toBe(2);
  });

  test("one invalid fault among valid ones is rejected", async () => {
    const { code } = await runMain("sandbox run --fault delay=1 --fault status=5:1 -- true".split(" "));
    expect(code).toBe(2);
  });
});

test.each([
  [["--fault", "status=418:1"], 18],
  [["--fault", "status=418:1.0"], 18],
  [["--fault=drop-answer=1"], 99],
  [["--fault", "drop-answer=0", "--fault", "status=499:0.0", "--fault", "status=403:1"], 3],
  [["--fault", "delay=0:.5", "--fault", "drop-answer=1e-300"], 1],
  [[], 1],
] as const)("%j makes a script meet it", async (flags, code) => {
  expect((await runScript([...flags], answerExit)).code).toBe(code);
});

test("a delay without a probability always happens", async () => {
  const script = `const begun = Date.now(); ${ask}.then(() => process.exit(Date.now() - begun >= 195 ? 7 : 8))`;
  expect((await runScript(["--fault", "delay=200"], script)).code).toBe(7);
});

test("a random seed is reported, and repeats the run", async () => {
  // The hits of 30 requests, as an exit code.
  const script = `(async () => { let sum = 0; for (let i = 0; i < 30; i += 1) {
    sum = (sum * 2 + ((await ${ask}).status === 503 ? 1 : 0)) % 127; } process.exit(sum); })()`;
  const fault = ["--fault", "status=503:0.5"];
  const first = await runScript(fault, script);
  const seed = /^faults are seeded with (\d{1,9})\n$/.exec(first.stderr)?.[1];
  expect(seed).toBeDefined();
  const again = await runScript([...fault, "--seed", seed ?? ""], script);
  expect(again).toEqual({ code: first.code, stdout: "", stderr: "" });
});

test("without faults, no seed is reported", async () => {
  expect(await runScript([], "")).toEqual({ code: 0, stdout: "", stderr: "" });
});

test.each(["start", "run"])("the help of %s has the formats", async (verb) => {
  const { code, stdout } = await runMain(["sandbox", verb, "--help"]);
  expect(code).toBe(0);
  for (const form of ["  drop-answer=P  ", "  status=CODE:P  ", "  delay=MS[:P]  "])
    expect(stdout).toContain(form);
  expect(Math.max(...stdout.split("\n").map(({ length }) => length))).toBeLessThanOrEqual(100);
});
