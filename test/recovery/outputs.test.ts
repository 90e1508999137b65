// grantctl rejects unusable outputs before anything is sent. If an output fails later, grantctl recover keeps the
// value. Output files are new, private and complete.
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { program, runBinary, runProgram } from "../support/binary.ts";
import { makeFolder, makeStateFolder } from "../support/state-folder.ts";
import { runMain } from "../support/test-host.ts";
import { mountSmallDisk, runTraced, whyNoSmallDisk, whyNoTracing } from "../support/tracing.ts";
import { startTruthService, type FaultPlan } from "../support/truth-service.ts";

type Stage = Awaited<ReturnType<typeof setStage>>;

async function setStage(plan?: FaultPlan) {
  const service = await startTruthService(plan);
  const state = makeStateFolder();
  const environment = { ...service.environment, ...state.environment };
  return { service, state, environment, folder: makeFolder() };
}

const words = ["token", "reset", "--yes", "--output-file"];

const refused404: FaultPlan = () => ({ instead: { status: 404, body: { message: "Not Found" } } });
const noDisk = whyNoSmallDisk();

describe("an output file that cannot be created", () => {
  test.each([
    [
      "is a symbolic link to a file",
      (folder: string) => {
        writeFileSync(join(folder, "target"), "old\n");
        symlinkSync(join(folder, "target"), join(folder, "out"));
      },
    ],
    ["is a folder", (folder: string) => mkdirSync(join(folder, "out"))],
    ["is in no folder", (folder: string) => rmSync(folder, { recursive: true })],
  ])("because it %s is rejected before anything is sent or changed", async (_, arrange) => {
    for (const more of [[], ["--force"]]) {
      const { service, state, environment, folder } = await setStage();
      arrange(folder);
      const before = existsSync(folder) && readdirSync(folder);
      const line = [...words, join(folder, "out"), ...more];
      const run = await runMain(line, { environment, input: service.addToken() });
      expect([run.code, run.stdout, service.requests, state.journals()]).toEqual([2, "", [], []]);
      expect(existsSync(folder) && readdirSync(folder)).toEqual(before);
      const targets = [join(folder, "target")].filter((path) => existsSync(path));
      expect(targets.map((path) => readFileSync(path, "utf8"))).toEqual(targets.map(() => "old\n"));
    }
  });
});

describe("an output file", () => {
  test("is private, whatever the mask", async () => {
    const { service, environment, folder } = await setStage();
    const before = process.umask(0);
    try {
      const out = join(folder, "out");
      expect((await runMain([...words, out], { environment, input: service.addToken() })).code).toBe(0);
      expect(statSync(out).mode & 0o777).toBe(0o600);
    } finally {
      process.umask(before);
    }
  });

  test("is not there if nothing was written, so that the next run can use the name", async () => {
    const { service, environment, folder } = await setStage(refused404);
    const input = Array.from({ length: 3 }, () => service.addToken()).join("\n");
    const out = join(folder, "out");
    for (let time = 0; time < 2; time += 1) {
      expect((await runMain([...words, out], { environment, input })).code).toBe(9);
      expect(readdirSync(folder)).toEqual([]);
    }
    service.plan(() => undefined);
    expect((await runMain([...words, out], { environment, input })).code).toBe(0);
    expect(readFileSync(out, "utf8")).toContain(service.writes[0]?.value);
  });

  test("with --force keeps its old content until a value is written, and is private then", async () => {
    const { service, environment, folder } = await setStage(refused404);
    const out = join(folder, "out");
    writeFileSync(out, "old\n", { mode: 0o644 });
    const input = service.addToken();
    expect((await runMain([...words, out, "--force"], { environment, input })).code).toBe(9);
    expect(readFileSync(out, "utf8")).toBe("old\n");
    expect(readdirSync(folder)).toEqual(["out"]);
    service.plan(() => undefined);
    expect((await runMain([...words, out, "--force"], { environment, input })).code).toBe(0);
    expect(readFileSync(out, "utf8")).toBe(`${service.writes[0]?.value}\n`);
    expect(statSync(out).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toEqual(["out"]);
  });

  test.each([
    ["the token file", (tokens: string) => ["--token-file", tokens], ""],
    ["standard input", () => [], "< "],
  ])(
    "must not be %s for several tokens, because --resume needs it again, but may be for one",
    async (_, from, redirected) => {
      const { service, environment, folder } = await setStage();
      const tokens = join(folder, "tokens");
      const input = [service.addToken(), service.addToken()].join("\n");
      const reset = (): ReturnType<typeof runProgram> => {
        const line = [program, ...words, tokens, "--force", ...from(tokens)].join(" ");
        const command = `exec node ${line}${redirected === "" ? "" : ` ${redirected}${tokens}`}`;
        return runProgram("bash", ["-c", command], { environment });
      };
      writeFileSync(tokens, input);
      expect(await reset()).toMatchObject({
        code: 2,
        stderr: expect.stringContaining("is also an input file"),
      });
      expect(service.requests).toEqual([]);
      expect(readFileSync(tokens, "utf8")).toBe(input);
      writeFileSync(tokens, service.addToken());
      expect((await reset()).code).toBe(0);
      expect(readFileSync(tokens, "utf8")).toBe(`${service.writes[0]?.value}\n`);
    },
  );
});

/** Runs it in a shell that redirects standard output. */
function runSending(where: string, typed: readonly string[], stage: Stage, input: string) {
  const quoted = [process.execPath, program, ...typed].map((word) => `'${word}'`).join(" ");
  const line = ["-o", "pipefail", "-c", `${quoted} ${where}`];
  return runProgram("bash", line, { environment: stage.environment, input });
}

describe("standard output", () => {
  test("that is full ends a job with 12, and no new value of requests in flight is lost", async () => {
    const stage = await setStage();
    const tokens = Array.from({ length: 40 }, () => stage.service.addToken());
    const file = join(stage.folder, "new.txt");
    const typed = ["token", "reset", "--yes", "--output-file", file];
    const run = await runSending(">/dev/full", typed, stage, tokens.join("\n"));
    expect([run.code, run.stderr]).toEqual([12, expect.stringContaining("changes were sent")]);
    const [id = "none"] = stage.state.ids();
    const shown = await runMain(["recover", "show", id], { environment: stage.environment });
    expect(stage.service.writes.length).toBeGreaterThan(0);
    for (const { value } of stage.service.writes) expect(shown.stdout).toContain(value);
  });

  test.each([
    ["full", "token reset --yes"],
    ["full", "authorization rotate 1001 1002 --yes"],
    ["closed by its reader", "token reset --yes"],
    ["closed by its reader", "authorization rotate 1001 1002 --yes"],
    ["closed by its reader", "authorization rotate 1001 1002 --yes --json"],
  ])("that is %s leaves the values of %s for recover, and a rotation both old tokens", async (how, typed) => {
    const stage = await setStage();
    const { service, state, environment, folder } = stage;
    const olds = ["a", "b"].map((note) => service.addToken({ app: null, note, fingerprint: null }));
    const gone = join(folder, "gone");
    if (how !== "full")
      service.plan(({ operation }) => (operation === "view" ? undefined : { afterFile: gone }));
    const where = how === "full" ? ">/dev/full" : `| { exec <&-; : > '${gone}'; }`;
    const isRotation = typed.includes("rotate");
    const run = await runSending(where, typed.split(" "), stage, isRotation ? "" : service.addToken());
    expect([run.code, run.stdout, /--resume|recover show/.test(run.stderr)]).toEqual([12, "", true]);
    expect(olds.map((old) => service.isLive(old))).toEqual([true, true]);
    expect(service.writes).toHaveLength(isRotation ? 2 : 1);
    const shown = await runMain(["recover", "show", ...state.ids()], { environment });
    for (const { value } of service.writes) expect(shown.stdout).toContain(value);
  });

  test.each(["token reset", "authorization rotate 1001 1002 1003"])(
    "that is full while %s is resumed leaves for recover what the new file lacks",
    async (typed) => {
      const stage = await setStage();
      const { service, state, environment, folder } = stage;
      const app = typed.startsWith("token") ? {} : { app: null, fingerprint: null };
      const tokens = ["a", "b", "c"].map((note) => service.addToken({ ...app, note }));
      const input = typed.startsWith("token") ? tokens.join("\n") : "";
      const line = `${typed} --yes --concurrency 1 --output-file ${join(folder, "new.txt")}`.split(" ");
      const failing = new Set(["reset", "create"]);
      service.plan(({ operation }) =>
        failing.delete(operation) ? { instead: { status: 503, body: {} } } : undefined,
      );
      expect((await runMain(line, { environment, input })).code).toBe(13);
      const [id = "none"] = state.ids();
      const resumed = await runSending(">/dev/full", [...line, "--resume", id], stage, input);
      expect(resumed.code).toBe(12);
      expect((await runMain(["recover", "list"], { environment })).stdout).toContain(`${id}\tvalue`);
      const shown = await runMain(["recover", "show", id], { environment });
      for (const { value } of service.writes) expect(shown.stdout).toContain(value ?? "");
    },
  );
});

describe("a state folder that cannot be written", () => {
  test.each(["a-file", "a-file/below"])("because of %s is rejected before anything is sent", async (name) => {
    const { service, environment, folder } = await setStage();
    writeFileSync(join(folder, "a-file"), "");
    const more = { ...environment, GRANTCTL_STATE_DIR: join(folder, name) };
    const input = service.addToken();
    for (const typed of [
      ["token", "reset", "--yes"],
      ["authorization", "create", "--note", "n"],
      ["authorization", "get-or-create"],
    ]) {
      const run = await runMain(typed, { environment: more, input });
      expect(run).toMatchObject({ code: 2, stdout: "" });
    }
    const many = await runMain(["token", "revoke", "--yes"], {
      environment: more,
      input: `${input}\n${"f".repeat(40)}`,
    });
    expect(many.code).toBe(2);
    // A revocation returns no value to lose.
    expect(many.stderr).not.toMatch(/value|lost/);
    expect(service.requests).toEqual([]);
  });
});

const nothingLost = { code: 12, saysResume: true, lost: 0, broken: 0 };

/** What is left of a job with a full output: values missing from it and from recover, and whole lines that are not JSON. */
async function remainsOf(
  { service, environment }: Pick<Stage, "service" | "environment">,
  output: string,
  run: { readonly code: number | null; readonly stderr: string },
) {
  const listed = await runMain(["recover", "list", "--json", "id"], { environment });
  let kept = "";
  for (const { id } of JSON.parse(listed.stdout) as readonly { readonly id: string }[])
    kept += (await runMain(["recover", "show", id], { environment })).stdout;
  const written = readFileSync(output, "utf8");
  const lost = service.writes.filter(
    ({ value }) => !written.includes(`"token":"${value}"`) && !kept.includes(`"token":"${value}"`),
  );
  const lines = written.slice(0, written.lastIndexOf("\n") + 1).match(/.+/g) ?? [];
  const broken = lines.filter((line) => !/^\{.*\}$/.test(line));
  return {
    code: run.code,
    saysResume: run.stderr.includes("--resume"),
    lost: lost.length,
    broken: broken.length,
  };
}

describe.skipIf(noDisk !== null)(`on a small disk${noDisk === null ? "" : ` (${noDisk})`}`, () => {
  test.each([0, 8, 200, 260])("with %i KiB for state, nothing is sent or the value is kept", async (free) => {
    const { service, environment } = await setStage();
    const disk = mountSmallDisk(free + 4);
    writeFileSync(join(disk, "ballast"), Buffer.alloc(4096));
    const state = { GRANTCTL_STATE_DIR: join(disk, "state") };
    const run = await runBinary(["token", "reset", "--yes"], {
      environment: { ...environment, ...state },
      input: service.addToken(),
    });
    expect(run.code).toBe(service.writes.length === 0 ? 2 : 0);
    expect(run.stdout).toBe(service.writes.map(({ value }) => `${value}\n`).join(""));
  });

  test.each([4, 12])("of %i KiB, a bulk reset fills its output file and loses no value", async (size) => {
    const stage = await setStage();
    const output = join(mountSmallDisk(size), "new.txt");
    const tokens = Array.from({ length: 200 }, () => stage.service.addToken());
    const run = await runBinary([...words, output], {
      environment: stage.environment,
      input: tokens.join("\n"),
    });
    expect(await remainsOf(stage, output, run)).toEqual(nothingLost);
  });

  test("no value is lost if state and output fill up the same disk", async () => {
    const stage = await setStage();
    const disk = mountSmallDisk(304);
    const output = join(disk, "new.txt");
    const environment = { ...stage.environment, GRANTCTL_STATE_DIR: join(disk, "state") };
    const tokens = Array.from({ length: 300 }, () => stage.service.addToken());
    const run = await runBinary([...words, output], { environment, input: tokens.join("\n") });
    expect(stage.service.writes.length).toBeGreaterThan(10);
    const remains = await remainsOf({ ...stage, environment }, output, run);
    // Either the state or the output fails first.
    expect([9, 12]).toContain(remains.code);
    expect({ ...remains, code: 12 }).toEqual(nothingLost);
  });
});

const failing = (when: string) =>
  ["-o", "/dev/null", "-e", "trace=pwrite64", "-e", `inject=pwrite64:error=EIO:when=${when}`] as const;

describe.skipIf(whyNoTracing() !== null)("a disk that fails when an answer comes", () => {
  test("ends a job after that value, which is delivered to a file that no later run replaces", async () => {
    const { service, state, environment, folder } = await setStage();
    const out = join(folder, "out");
    const input = [service.addToken(), service.addToken(), service.addToken()].join("\n");
    const line = [...words, out, "--concurrency", "1"];
    // After the second request, the record gets neither the answer nor that it is done; the file, of another thread, does.
    const run = await runTraced(failing("6+"), line, { environment, input });
    expect(run).toMatchObject({ code: 9, stderr: expect.stringContaining("nothing more is sent") });
    const written = readFileSync(out, "utf8");
    expect(service.writes.map(({ value }) => written.includes(value ?? "none"))).toEqual([true, true]);
    const resumed = await runMain([...line, "--resume", ...state.ids()], { environment, input });
    expect([resumed.code, readFileSync(out, "utf8")]).toEqual([2, written]);
  });

  test("says that a value is lost which its receiver does not take", async () => {
    const { service, environment } = await setStage();
    const run = await runTraced(failing("4+"), ["token", "reset", "--yes", "--to-command", "false"], {
      environment,
      input: service.addToken(),
    });
    expect(run).toMatchObject({
      code: 12,
      stderr: expect.stringContaining("its value is lost: nothing more is sent"),
    });
  });
});

describe("an output file that is removed while the request is in flight", () => {
  test("the run exits with 12, and recover keeps every value", async () => {
    const { service, state, environment, folder } = await setStage();
    const file = join(folder, "new.txt");
    let come = 0;
    service.onRequest(({ operation }) => {
      if (operation !== "check") come += 1;
      if (come === 3) rmSync(file);
    });
    const input = Array.from({ length: 3 }, () => service.addToken()).join("\n");
    expect((await runMain([...words, file, "--concurrency", "1"], { environment, input })).code).toBe(12);
    const shown = await runMain(["recover", "show", state.ids()[0] ?? "none"], { environment });
    expect(service.writes).toHaveLength(3);
    for (const { value } of service.writes) expect(shown.stdout).toContain(value);
  });
});
