// Tokens of `grantctl auth`: proven before they are stored, sent to their own address alone, explained, forgotten.
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
  /** Runs grantctl without any credentials but those that were stored. */
  run(
    words: readonly string[],
    more?: { input?: string; environment?: Record<string, string> },
  ): Promise<Run>;
}

/** A service that knows two tokens, and a configuration folder of its own. */
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
    "%j is stored, and sent by api",
    async (input) => {
      const desk = await openDesk();
      const run = await desk.run(login, { input });
      expect([run.code, run.stdout]).toEqual([0, ""]);
      expect(run.stderr).toContain("as octavia");
      expect(run.stderr).not.toContain(token);
      expect(desk.server.lines().filter((line) => !line.endsWith("/meta"))).toEqual(["GET /user"]);
      expect(await desk.run(whoami)).toEqual({ code: 0, stdout: "octavia\n", stderr: "" });
      // Only the file for secrets has it.
      const path = (await desk.run(["config", "path"])).stdout.trimEnd();
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
  ])("%j is not", async (input, code) => {
    const desk = await openDesk();
    const run = await desk.run(login, { input });
    expect([run.code, run.stdout]).toEqual([code, ""]);
    expect(desk.server.besidesMeta()).toHaveLength(code === 4 ? 1 : 0);
    expect(desk.server.requests.length > 0).toBe(code === 4);
    expect((await desk.run([...whoami, "--auth", "token"])).code).toBe(4);
  });

  test.each(["", ":robot", "ro\u0007bot"])(
    "a response with the name %j exits with 11, and nothing is stored",
    async (name) => {
      const server = await startRecordingServer(() => ({ status: 200, body: { login: name } }));
      const environment = {
        GRANTCTL_BASE_URL: server.root,
        GRANTCTL_CONFIG_DIR: join(makeFolder(), "config"),
      };
      expect((await runMain(login, { environment, input: token })).code).toBe(11);
      expect((await runMain([...whoami, "--auth", "token"], { environment })).code).toBe(4);
    },
  );

  test("is another login than --app, and sends nothing with --dry-run that it would store", async () => {
    const desk = await openDesk();
    expect((await desk.run([...login, "--app"], { input: token })).code).toBe(2);
    const plan = await desk.run([...login, "--dry-run"], { input: token });
    expect(plan.code).toBe(0);
    expect(plan.stderr).toContain("would log in");
    expect((await desk.run([...whoami, "--auth", "token"])).code).toBe(4);
  });

  test("goes to its own address alone", async () => {
    const desk = await openDesk();
    await desk.run(login, { input: token });
    const elsewhere = await startRecordingServer();
    const run = await desk.run([...whoami, "--auth", "token", "--base-url", elsewhere.root]);
    expect([run.code, elsewhere.requests]).toEqual([4, []]);
  });

  test("the variable goes before what is stored, and --auth before both", async () => {
    const desk = await openDesk();
    await desk.run(login, { input: token });
    const environment = { GRANTCTL_TOKEN: other };
    expect((await desk.run(whoami, { environment })).stdout).toBe("robot\n");
    expect((await desk.run([...whoami, "--auth", "none"], { environment })).code).toBe(4);
    expect(desk.server.requests.at(-1)?.headers["authorization"]).toBeUndefined();
  });

  test("of two stored ones the configured user's is sent", async () => {
    const desk = await openDesk();
    await desk.run(login, { input: token });
    await desk.run(login, { input: other });
    expect((await desk.run([...whoami, "--username", "robot"])).stdout).toBe("robot\n");
    expect((await desk.run([...whoami, "--username", "octavia"])).stdout).toBe("octavia\n");
    const nobody = await desk.run([...whoami, "--username", "nobody", "--auth", "token"]);
    expect(nobody.code).toBe(4);
  });

  test("is not sent for another user that is typed", async () => {
    const desk = await openDesk();
    await desk.run(login, { input: other });
    const run = await desk.run([...whoami, "--username", "octavia", "--auth", "token"]);
    expect(run).toMatchObject({ code: 4, stdout: "" });
    expect((await desk.run(whoami)).stdout).toBe("robot\n");
  });

  test("is not sent for the user of another profile", async () => {
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

  test("is left by the logout of another profile that names no user", async () => {
    const desk = await openDesk();
    await desk.run(["--profile", "robot", ...login], { input: other });
    await desk.run(["--profile", "app", "config", "set", "client_id", "0".repeat(20)]);
    await desk.run(["--profile", "app", "config", "set", "base_url", `${desk.server.root}/`]);
    expect((await desk.run(["--profile", "app", "auth", "logout"])).stderr).toContain(
      "no stored credentials",
    );
    expect((await desk.run(["--profile", "robot", ...whoami])).stdout).toBe("robot\n");
  });

  test("of a profile with another user stays its own when another profile logs in", async () => {
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
  test("says where the token comes from, and never shows it", async () => {
    const desk = await openDesk();
    const stateOf = async (environment: Record<string, string> = {}): Promise<string> => {
      const expression = '.[] | select(.setting == "token") | "\\(.value) \\(.source) \\(.state)"';
      const run = await desk.run(["auth", "status", "--jq", expression], { environment });
      expect(run.stderr + run.stdout).not.toContain(token);
      return run.stdout;
    };
    expect(await stateOf()).toBe("null null null\n");
    await desk.run(login, { input: token });
    expect(await stateOf()).toBe("null file kept\n");
    expect(await stateOf({ GRANTCTL_TOKEN: token })).toBe("null environment null\n");
  });
});

/** True if a token is there to be sent. */
async function isStored(desk: Desk): Promise<boolean> {
  return (await desk.run([...whoami, "--auth", "token"])).code === 0;
}

describe("auth logout", () => {
  test("forgets the token, and reports it", async () => {
    const desk = await openDesk();
    await desk.run(login, { input: token });
    const plan = await desk.run(["auth", "logout", "--dry-run"]);
    expect([plan.code, await isStored(desk)]).toEqual([0, true]);
    const run = await desk.run(["auth", "logout"]);
    expect([run.code, run.stdout, await isStored(desk)]).toEqual([0, "", false]);
    expect(run.stderr).toContain("deleted the token of octavia");
  });

  test("forgets the one that api would send, whoever the account's user is", async () => {
    const desk = await openDesk();
    await desk.run(login, { input: other });
    await desk.run(["config", "set", "username", "octavia"]);
    expect(await isStored(desk)).toBe(true);
    const run = await desk.run(["auth", "logout"]);
    expect([run.code, await isStored(desk)]).toEqual([0, false]);
    expect(run.stderr).toContain("deleted the token of robot");
  });

  test("with --app leaves it", async () => {
    const desk = await openDesk();
    await desk.run(login, { input: token });
    await desk.run(["auth", "logout", "--app"]);
    expect(await isStored(desk)).toBe(true);
  });

  test("of one leaves another user's", async () => {
    const desk = await openDesk();
    await desk.run(login, { input: token });
    await desk.run(login, { input: other });
    await desk.run(["auth", "logout", "--username", "robot"]);
    expect((await desk.run([...whoami, "--username", "octavia"])).stdout).toBe("octavia\n");
    expect((await desk.run([...whoami, "--username", "robot", "--auth", "token"])).stdout).not.toBe(
      "robot\n",
    );
  });
});
