// Tokens in `grantctl auth`: verified before they are stored, sent only to their own server, shown, deleted.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { startRecordingServer, type RecordingServer } from "../../support/recording-server.ts";
import { makeFolder } from "../../support/state-folder.ts";
import { runMain } from "../../support/test-host.ts";

const token = "a1b2c3d4".repeat(5);
const other = "e5f60718".repeat(5);

type Run = Awaited<ReturnType<typeof runMain>>;

interface Desk {
  readonly server: RecordingServer;
  readonly folder: string;
  /** Runs grantctl with only the stored credentials. */
  run(
    words: readonly string[],
    more?: { input?: string; environment?: Record<string, string> },
  ): Promise<Run>;
}

/** A server that accepts two tokens, with a separate configuration folder. */
async function openDesk(folder = makeFolder()): Promise<Desk> {
  const server = await startRecordingServer(({ headers }) => {
    const login = { [`token ${token}`]: "octavia", [`token ${other}`]: "robot" }[
      String(headers["authorization"])
    ];
    return login === undefined
      ? { status: 401, body: { message: "Bad credentials" } }
      : { status: 200, body: { login } };
  });
  const environment = { GRANTCTL_BASE_URL: server.root, GRANTCTL_CONFIG_DIR: join(folder, "config") };
  return {
    server,
    folder,
    run: (words, { input = "", environment: more = {} } = {}) =>
      runMain(words, { environment: { ...environment, ...more }, input }),
  };
}

const login = ["auth", "login", "--with-token", "--store", "file"];
const whoami = ["api", "/user", "--jq", ".login"];

describe("auth login --with-token", () => {
  test.each([[token], [`${token}\n`], [`\ufeff${token}\r\n`], [`{"token":"${token}"}`]])(
    "stores %j, and api sends it",
    async (input) => {
      const desk = await openDesk();
      const run = await desk.run(login, { input });
      expect([run.code, run.stdout]).toEqual([0, ""]);
      expect(run.stderr).toContain("as octavia");
      expect(run.stderr).not.toContain(token);
      expect(desk.server.lines().filter((line) => !line.endsWith("/meta"))).toEqual(["GET /user"]);
      expect(await desk.run(whoami)).toEqual({ code: 0, stdout: "octavia\n", stderr: "" });
      // Only the secrets file contains it.
      const path = join(desk.folder, "config", "config.json");
      const configuration = readFileSync(path, "utf8");
      expect(configuration).toContain("octavia");
      expect(configuration).not.toContain(token);
    },
  );

  test.each([
    ["", 2],
    ["\n\n", 2],
    [`${token}\n${other}\n`, 2],
    ["two words", 2],
    [`"${token}"`, 2],
    [`'${token}'\r\n`, 2],
    [`${token},`, 2],
    [`TOKEN=="${token}"`, 2],
    ['{"token":1.5}x', 2],
    ["0".repeat(40), 4],
  ])("rejects %j", async (input, code) => {
    const desk = await openDesk();
    const run = await desk.run(login, { input });
    expect([run.code, run.stdout]).toEqual([code, ""]);
    expect(desk.server.besidesMeta()).toHaveLength(code === 4 ? 1 : 0);
    expect(desk.server.requests.length > 0).toBe(code === 4);
    expect((await desk.run([...whoami, "--auth", "token"])).code).toBe(4);
  });

  test.each(["", ":robot", "ro\u0007bot"])(
    "a response with the name %j exits with code 1 and stores nothing",
    async (name) => {
      const server = await startRecordingServer(() => ({ status: 200, body: { login: name } }));
      const environment = {
        GRANTCTL_BASE_URL: server.root,
        GRANTCTL_CONFIG_DIR: join(makeFolder(), "config"),
      };
      expect((await runMain(login, { environment, input: token })).code).toBe(1);
      expect((await runMain([...whoami, "--auth", "token"], { environment })).code).toBe(4);
    },
  );

  test("cannot be combined with --app", async () => {
    const desk = await openDesk();
    expect((await desk.run([...login, "--app"], { input: token })).code).toBe(2);
    expect((await desk.run([...whoami, "--auth", "token"])).code).toBe(4);
  });

  test("sends the token only to its own server", async () => {
    const desk = await openDesk();
    await desk.run(login, { input: token });
    const elsewhere = await startRecordingServer();
    const run = await desk.run([...whoami, "--auth", "token", "--base-url", elsewhere.root]);
    expect([run.code, elsewhere.requests]).toEqual([4, []]);
  });

  test("the variable overrides the stored token, and --auth overrides both", async () => {
    const desk = await openDesk();
    await desk.run(login, { input: token });
    const environment = { GRANTCTL_TOKEN: other };
    expect((await desk.run(whoami, { environment })).stdout).toBe("robot\n");
    expect((await desk.run([...whoami, "--auth", "none"], { environment })).code).toBe(4);
    expect(desk.server.requests.at(-1)?.headers["authorization"]).toBeUndefined();
  });

  test("a second login replaces the profile's token", async () => {
    const desk = await openDesk();
    await desk.run(login, { input: token });
    await desk.run(login, { input: other });
    expect((await desk.run(whoami)).stdout).toBe("robot\n");
    const former = await desk.run([...whoami, "--username", "octavia", "--auth", "token"]);
    expect(former.code).toBe(4);
    expect((await desk.run(["auth", "logout"])).stderr).not.toContain("octavia");
    expect(await isStored(desk)).toBe(false);
  });

  test("api does not send the token for a different --username", async () => {
    const desk = await openDesk();
    await desk.run(login, { input: other });
    const run = await desk.run([...whoami, "--username", "octavia", "--auth", "token"]);
    expect(run).toMatchObject({ code: 4, stdout: "" });
    expect((await desk.run(whoami)).stdout).toBe("robot\n");
  });

  test("api does not send the token for another profile's user", async () => {
    const desk = await openDesk();
    await desk.run(["--profile", "person", "config", "set", "username", "octavia"]);
    await desk.run(["--profile", "person", "config", "set", "base_url", `${desk.server.root}/`]);
    await desk.run(["--profile", "robot", ...login], { input: other });
    const person = ["--profile", "person", ...whoami];
    expect(await desk.run([...person, "--auth", "token"])).toMatchObject({ code: 4, stdout: "" });
    await desk.run([...person, "--auth", "basic"], { environment: { GRANTCTL_PASSWORD: "p" } });
    const basic = desk.server.requests.at(-1)?.headers["authorization"];
    await desk.run(person, { environment: { GRANTCTL_PASSWORD: "p" } });
    expect(desk.server.requests.at(-1)?.headers["authorization"]).toBe(basic);
    expect((await desk.run(["--profile", "robot", ...whoami])).stdout).toBe("robot\n");
  });

  test("logout of another profile without a user keeps the token", async () => {
    const desk = await openDesk();
    await desk.run(["--profile", "robot", ...login], { input: other });
    await desk.run(["--profile", "app", "config", "set", "client_id", "0".repeat(20)]);
    await desk.run(["--profile", "app", "config", "set", "base_url", `${desk.server.root}/`]);
    expect((await desk.run(["--profile", "app", "auth", "logout"])).stderr).toContain(
      "no stored credentials",
    );
    expect((await desk.run(["--profile", "robot", ...whoami])).stdout).toBe("robot\n");
  });

  test("a profile keeps its token if another profile logs in as a different user", async () => {
    const desk = await openDesk();
    await desk.run(["--profile", "person", "config", "set", "username", "nobody"]);
    await desk.run(["--profile", "person", ...login], { input: other });
    const person = ["--profile", "person", ...whoami, "--auth", "token"];
    expect((await desk.run(person)).stdout).toBe("robot\n");
    await desk.run(["--profile", "octavia", ...login], { input: token });
    expect((await desk.run(person)).stdout).toBe("robot\n");
  });
});

describe("auth status", () => {
  test("shows the source of the token, but never the token", async () => {
    const desk = await openDesk();
    const stateOf = async (environment: Record<string, string> = {}): Promise<string> => {
      const expression = '.[] | select(.name == "token") | "\\(.value) \\(.source)"';
      const run = await desk.run(["auth", "status", "--jq", expression], { environment });
      expect(run.stderr + run.stdout).not.toContain(token);
      return run.stdout;
    };
    expect(await stateOf()).toBe("null null\n");
    await desk.run(login, { input: token });
    expect(await stateOf()).toMatch(/^verified 2\S+Z, by reading its user file\n$/);
    expect(await stateOf({ GRANTCTL_TOKEN: token })).toBe("null environment\n");
  });
});

/** True if a token is stored. */
async function isStored(desk: Desk): Promise<boolean> {
  return (await desk.run([...whoami, "--auth", "token"])).code === 0;
}

describe("auth logout", () => {
  test("deletes the token and reports it", async () => {
    const desk = await openDesk();
    await desk.run(login, { input: token });
    const run = await desk.run(["auth", "logout"]);
    expect([run.code, run.stdout, await isStored(desk)]).toEqual([0, "", false]);
    expect(run.stderr).toContain("deleted the token of octavia");
  });

  test("deletes the token that api would send, even if the profile has another username", async () => {
    const desk = await openDesk();
    await desk.run(login, { input: other });
    await desk.run(["config", "set", "username", "octavia"]);
    expect(await isStored(desk)).toBe(true);
    const run = await desk.run(["auth", "logout"]);
    expect([run.code, await isStored(desk)]).toEqual([0, false]);
    expect(run.stderr).toContain("deleted the token of robot");
  });

  test("keeps it with --app", async () => {
    const desk = await openDesk();
    await desk.run(login, { input: token });
    await desk.run(["auth", "logout", "--app"]);
    expect(await isStored(desk)).toBe(true);
  });
});
