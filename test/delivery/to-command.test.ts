// --to-command: each new value is passed to a command only on standard input. A value is kept if its
// command fails, and unusable commands are rejected before anything is sent.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { writeScript } from "../support/binary.ts";
import { startRecordingServer } from "../support/recording-server.ts";
import { authorizationJson, tokenValue } from "../support/resources.ts";
import { makeFolder, makeStateFolder, type StateFolder } from "../support/state-folder.ts";
import { runUntilStruck } from "../support/struck.ts";
import { runMain } from "../support/test-host.ts";
import { startTruthService, type TruthService } from "../support/truth-service.ts";

let service: TruthService;
let state: StateFolder;
let folder: string;
let environment: Readonly<Record<string, string>>;

/** A command that records its input, arguments and environment in files per value, and then runs `ending`. */
function taker(ending = "exit 0"): string {
  const path = join(folder, "take.sh");
  const text = [
    "#!/bin/sh",
    `to='${folder}'/"$GRANTCTL_AUTHORIZATION_ID"`,
    'cat > "$to.input"; env > "$to.environment"; echo "$*" > "$to.words"',
    ending,
  ];
  writeScript(path, `${text.join("\n")}\n`);
  return path;
}

const given = (id: number | string, what: "input" | "environment" | "words"): string =>
  readFileSync(join(folder, `${id}.${what}`), "utf8");
const wasRun = (id: number | string): boolean => existsSync(join(folder, `${id}.input`));

beforeEach(async () => {
  service = await startTruthService();
  state = makeStateFolder();
  folder = makeFolder();
  environment = { ...service.environment, ...state.environment };
});

describe("one value", () => {
  const create = ["authorization", "create", "--note", "the ci", "--to-command"];

  test("is passed on standard input with a line feed, and nowhere else", async () => {
    const run = await runMain([...create, `${taker()} 'two words' $HOME`], { environment });
    const [{ value } = { value: null }] = service.writes;
    expect(run).toEqual({ code: 0, stdout: "", stderr: "" });
    expect(given(1001, "input")).toBe(`${value}\n`);
    expect(given(1001, "words")).toBe("two words $HOME\n");
    const variables = given(1001, "environment");
    expect(variables).toContain(`GRANTCTL_TOKEN_LAST_EIGHT=${value?.slice(-8)}\n`);
    expect(variables).toContain("GRANTCTL_NOTE=the ci\n");
    expect(variables).not.toContain(value);
    expect(variables).not.toContain("correct horse");
    expect(state.journals()).toEqual([]);
  });

  test("leaves the other fields as JSON on standard output, without the value", async () => {
    const run = await runMain([...create, taker(), "--json", "id,note,token"], { environment });
    expect(JSON.parse(run.stdout)).toEqual({ id: 1001, note: "the ci", token: "" });
  });

  test("is kept with exit code 12 if the command fails, and recover delivers and forgets it", async () => {
    const run = await runMain([...create, taker('echo "no: $(cat "$to.input")" >&2; exit 3')], {
      environment,
    });
    const [{ value } = { value: "" }] = service.writes;
    const [id = ""] = state.ids();
    expect(run.code).toBe(12);
    expect(run.stderr).toContain("no: [secret]\n");
    expect(run.stderr).toContain("take.sh exited with code 3");
    expect(run.stderr).toContain(`grantctl recover show ${id} --to-command `);
    expect(run.stderr).not.toContain(value);

    const again = ["recover", "show", id, "--to-command"];
    const unresolvedCount = await runMain([...again, taker("kill -9 $$")], { environment });
    expect(unresolvedCount.code).toBe(12);
    expect(unresolvedCount.stderr).toContain("was ended by SIGKILL");
    expect(state.ids()).toEqual([id]);
    const taken = await runMain([...again, taker()], { environment });
    expect(taken).toMatchObject({ code: 0, stdout: "" });
    expect(given(1001, "input")).toBe(`${value}\n`);
    expect(state.ids()).toEqual([]);
  });

  test("is kept regardless of its position in the response", async () => {
    const value = tokenValue(7);
    const { token: _, ...others } = authorizationJson({ token: value, scopes: [], app: { token: "none" } });
    const body = { ...others, note: "", note_url: "n".repeat(100_000), token: value };
    const server = await startRecordingServer(() => ({ status: 201, body }));
    const there = { environment: { ...server.environment, ...state.environment } };
    expect((await runMain([...create, taker("exit 1")], there)).code).toBe(12);
    const shown = await runMain(["recover", "show", state.ids()[0] ?? ""], there);
    expect(shown).toMatchObject({ code: 0, stdout: `${value}\n` });
  });

  test.each([
    ["a list", (made: unknown) => [made]],
    ["inside of an object", (made: unknown) => ({ authorization: made })],
  ])("is kept with exit code 13 if the response has it in %s, an undocumented place", async (_, shape) => {
    const made = authorizationJson({ token: tokenValue(7) });
    const server = await startRecordingServer(() => ({ status: 201, body: shape(made) }));
    environment = { ...server.environment, ...state.environment };
    expect((await runMain([...create, taker()], { environment })).code).toBe(13);
    const shown = await runMain(["recover", "show", state.ids()[0] ?? ""], { environment });
    expect(shown).toMatchObject({ code: 0, stdout: `${tokenValue(7)}\n` });
  });

  test("is not delivered if the command times out", async () => {
    const run = await runUntilStruck(
      1,
      async (seconds) => ({
        ...(await runMain([...create, taker("exec sleep 600"), "--timeout", String(seconds)], {
          environment,
        })),
        seconds,
      }),
      // Any earlier, the request would time out instead.
      ({ code }) => code !== 13 && code !== 8,
    );
    expect(run.code).toBe(12);
    expect(run.stderr).toContain(`took longer than ${run.seconds} s`);
  });

  test("is delivered if the command exits with 0 without reading it", async () => {
    const run = await runMain([...create, "true"], { environment });
    expect(run).toEqual({ code: 0, stdout: "", stderr: "" });
    expect(state.journals()).toEqual([]);
  });

  test.runIf(existsSync("/dev/shm"))(
    "can be opened as /dev/stdin, which a socket cannot be on Linux",
    async () => {
      const run = await runMain([...create, taker('cat /dev/stdin > "$to.words"')], { environment });
      expect(run).toEqual({ code: 0, stdout: "", stderr: "" });
      expect(given(1001, "words")).toBe(`${service.writes[0]?.value}\n`);
    },
  );

  test("of a reset or of get-or-create is delivered the same way", async () => {
    const token = service.addToken();
    const reset = ["token", "reset", "--yes", "--to-command", taker()];
    expect(await runMain(reset, { environment, input: token })).toMatchObject({ code: 0, stdout: "" });
    expect(given(1001, "input")).toBe(`${service.writes[0]?.value}\n`);
    const made = ["authorization", "get-or-create", "--to-command", taker()];
    expect(await runMain(made, { environment })).toMatchObject({ code: 0, stdout: "" });
    expect(given(1002, "input")).toBe(`${service.writes[1]?.value}\n`);
  });

  test("the command's output goes to standard error, without control sequences", async () => {
    const run = await runMain([...create, taker(String.raw`printf 'seen\033[2J\nhalf'`), "--quiet"], {
      environment,
    });
    expect(run).toEqual({ code: 0, stdout: "", stderr: "seen\\x1b[2J\nhalf\n" });
  });
});

describe("exits with 2 before anything is sent", () => {
  const create = ["authorization", "create", "--note", "ci"];
  test.each([
    [["--to-command", "/no/such/program"], "command not found: /no/such/program"],
    [["--to-command", "no-such-program-at-all x"], "command not found: no-such-program-at-all"],
    [
      ["--to-command", "cat > token"],
      "--to-command: the command is run without a shell, so > has no meaning",
    ],
    [["--to-command", ""], "--to-command: the command is empty"],
    [["--to-command", "cat", "--output-file", "new.txt"], "cannot be used together"],
    [["--to-command", "cat", "--force"], "--force requires --output-file"],
  ])("%j", async (words, message) => {
    const server = await startRecordingServer();
    const commands = [create, ["token", "reset", "--yes"]];
    for (const command of commands) {
      const run = await server.run([...command, ...words], {
        environment: state.environment,
        input: "f".repeat(40),
      });
      expect([command, run.code, run.stderr]).toEqual([command, 2, expect.stringContaining(message)]);
    }
    expect(server.lines()).toEqual([]);
    expect(state.journals()).toEqual([]);
  });
});

describe("many values", () => {
  const reset = ["token", "reset", "--yes", "--to-command"];

  test("run one command each; each delivery decides its item's state, and --resume delivers kept values first", async () => {
    const tokens = Array.from({ length: 5 }, () => service.addToken());
    const input = tokens.join("\n");
    const picky = taker('case "$GRANTCTL_AUTHORIZATION_ID" in 1002|1004) exit 9;; esac');
    const first = await runMain([...reset, picky], { environment, input });
    expect(first.code).toBe(12);
    expect(first.stdout.split("\n").map((line) => line.split("\t")[0])).toEqual([
      "reset",
      "undelivered",
      "reset",
      "undelivered",
      "reset",
      "",
    ]);
    const [id = ""] = state.ids();
    const sent = service.requests.length;
    const again = await runMain([...reset, taker(), "--resume", id], { environment, input });
    expect(again.code).toBe(0);
    expect(again.stdout.match(/^reset\t/gm)).toHaveLength(2);
    expect(service.requests).toHaveLength(sent);
    for (const { subject, value } of service.writes) {
      const place = 1001 + tokens.indexOf(subject);
      expect(given(place, "input")).toBe(`${value}\n`);
    }
    expect(state.journals()).toEqual([]);
  });

  test("kept values are delivered before anything more is sent", async () => {
    const tokens = Array.from({ length: 8 }, () => service.addToken());
    const input = tokens.join("\n");
    const words = [...reset, taker("exit 9"), "--concurrency", "1"];
    const first = await runMain(words, { environment, input });
    expect(first.code).toBe(12);
    // This many consecutive failures are not about single items.
    expect(service.writes).toHaveLength(5);
    expect(first.stdout.match(/^not-tried\t/gm)).toHaveLength(3);
    const [id = ""] = state.ids();
    const keptTaken: boolean[] = [];
    service.onRequest(() =>
      keptTaken.push([1001, 1002, 1003, 1004, 1005].every((each) => wasRun(`kept-${each}`))),
    );
    const noting = taker('cp "$to.input" "$(dirname "$to")/kept-$GRANTCTL_AUTHORIZATION_ID.input"');
    const again = await runMain([...reset, noting, "--resume", id], { environment, input });
    expect(again.code).toBe(0);
    expect(keptTaken).toEqual([true, true, true]);
    expect(service.writes).toHaveLength(8);
  });

  test("of a job are delivered by recover, and the job records it", async () => {
    const tokens = Array.from({ length: 3 }, () => service.addToken());
    const input = tokens.join("\n");
    await runMain([...reset, taker("exit 9")], { environment, input });
    const [id = ""] = state.ids();
    const picky = taker('case "$GRANTCTL_AUTHORIZATION_ID" in 1002) exit 9;; esac');
    const some = await runMain(["recover", "show", id, "--to-command", picky], { environment });
    expect(some.code).toBe(12);
    expect(some.stderr).toContain("2 delivered, 1 kept");
    const rest = await runMain(["recover", "show", id, "--to-command", taker()], { environment });
    expect(rest.code).toBe(0);
    expect(state.journals()).toEqual([]);
  });

  test("run up to --concurrency commands in parallel", async () => {
    const tokens = Array.from({ length: 2 }, () => service.addToken());
    // Each command waits for the other.
    const meet = taker(
      `: > "$to.here"; case "$GRANTCTL_AUTHORIZATION_ID" in 1001) other=1002;; *) other=1001;; esac
until [ -e "$(dirname "$to")/$other.here" ]; do sleep 0.02; done`,
    );
    const words = [...reset, meet, "--concurrency", "2"];
    expect((await runMain(words, { environment, input: tokens.join("\n") })).code).toBe(0);
  });
});
