// `grantctl auth login` and `logout`: nothing is stored, and nothing written, that the service did not prove; what is
// stored is where it was asked to be, private, and gone afterwards.
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { main } from "../../../src/main.ts";
import { openAccount, type Account } from "../../support/account.ts";
import { runBinary } from "../../support/binary.ts";
import { makeConfigurationFolder, type ConfigurationFolder } from "../../support/configuration.ts";
import { jsonAnswer, startRawServer } from "../../support/raw-server.ts";
import {
  credentials,
  credentialsOf,
  startRecordingServer,
  type Answer,
} from "../../support/recording-server.ts";
import { makeFolder } from "../../support/state-folder.ts";
import { createTestHost, runMain, type World } from "../../support/test-host.ts";
import { whyNoTracing } from "../../support/tracing.ts";

const secret = "c4nary pass word";
const { clientId, clientSecret } = credentials;

/** A keychain in memory that lives as long as its file: one entry a line. */
function makeKeychain(): {
  readonly helper: readonly [string, ...string[]];
  /** Whose secrets there are; the key that journals are sealed with is nobody's. */
  entries(): Record<string, string>;
} {
  const folder = makeFolder();
  const kept = join(folder, "kept.json");
  const program = join(folder, "helper.cjs");
  writeFileSync(kept, "{}");
  writeFileSync(
    program,
    `const fs = require("node:fs"), path = ${JSON.stringify(kept)};
     require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
       const { call, service, account, secret } = JSON.parse(line);
       const kept = JSON.parse(fs.readFileSync(path)), key = service + " " + account, before = kept[key] ?? null;
       if (call === "set") kept[key] = secret;
       if (call === "delete") delete kept[key];
       fs.writeFileSync(path, JSON.stringify(kept));
       console.log(JSON.stringify({ secret: call === "get" || call === "delete" ? before : null }));
     }).on("close", () => process.exit());`,
  );
  return {
    helper: [process.execPath, program],
    entries: () => {
      const { "grantctl journal-key": _, ...entries } = JSON.parse(readFileSync(kept, "utf8")) as Record<
        string,
        string
      >;
      return entries;
    },
  };
}

function run(
  words: readonly string[],
  folder: ConfigurationFolder,
  world: Omit<World, "argv"> = {},
): ReturnType<typeof runMain> {
  return runMain(words, { ...world, environment: { ...folder.environment, ...world.environment } });
}

/** Logs octavia in at this address with a password on standard input. */
function login(
  root: string,
  folder: ConfigurationFolder,
  flags: readonly string[] = ["--store", "file"],
  world: Omit<World, "argv"> = {},
): ReturnType<typeof runMain> {
  const words = [
    "auth",
    "login",
    "--base-url",
    root,
    "--username",
    "octavia",
    "--password-stdin",
    "--retries",
    "0",
    ...flags,
  ];
  return run(words, folder, { input: `${secret}\n`, ...world });
}

/** Takes everything. */
const accept: Answer = () => ({ status: 200, body: [] });

const otp = (what: string): Readonly<Record<string, string>> => ({ "X-Service-OTP": what });

describe("a login that is not proven", () => {
  test.each<[string, Answer, number]>([
    ["is answered 401", () => ({ status: 401, body: { message: "Bad credentials" } }), 4],
    ["is answered 404", () => ({ status: 404, body: { message: "Not Found" } }), 3],
    [
      "is answered 403",
      () => ({ status: 403, body: { message: "Maximum number of login attempts exceeded" } }),
      1,
    ],
    [
      "wants an approval",
      () => ({ status: 403, body: {}, headers: { "X-Service-SSO": "required; url=https://sso.test/x" } }),
      6,
    ],
    [
      "is asked for a code, by application",
      () => ({ status: 401, body: {}, headers: otp("required; app") }),
      5,
    ],
    [
      "is asked for a code, by text message",
      () => ({ status: 401, body: {}, headers: otp("required; sms") }),
      5,
    ],
    ["is answered 500", () => ({ status: 500, body: {} }), 11],
    ["is answered 503", () => ({ status: 503, body: {} }), 7],
    ["is answered with something else", () => ({ status: 200, body: { id: 1 } }), 11],
    ["is answered with HTML", () => ({ status: 200, body: "<html>" }), 11],
    ["is sent elsewhere", () => ({ status: 302, headers: { Location: "/grants" } }), 11],
    ["is cut off", () => Promise.resolve("cut" as const), 8],
  ])("because it %s leaves nothing behind", async (_, answer, code) => {
    const server = await startRecordingServer(answer);
    for (const flags of [
      ["--store", "file"],
      ["--store", "keychain"],
      ["--store", "none"],
    ]) {
      const keychain = makeKeychain();
      const folder = makeConfigurationFolder();
      const ended = await login(server.root, folder, flags, { keychainHelper: keychain.helper });
      expect(server.requests.length).toBeGreaterThan(0);
      expect([ended.code, ended.stdout]).toEqual([code, ""]);
      expect(ended.stderr).not.toContain(secret);
      expect(folder.names()).toEqual([]);
      expect(keychain.entries()).toEqual({});
    }
  });

  test("leaves what an earlier one stored", async () => {
    let isRight = true;
    const server = await startRecordingServer(() =>
      isRight ? { status: 200, body: [] } : { status: 401, body: {} },
    );
    const folder = makeConfigurationFolder();
    expect((await login(server.root, folder)).code).toBe(0);
    isRight = false;
    const before = [folder.text(), readFileSync(join(folder.path, "credentials.json"), "utf8")];
    expect((await login(server.root, folder, ["--store", "file"], { input: "another" })).code).toBe(4);
    expect([folder.text(), readFileSync(join(folder.path, "credentials.json"), "utf8")]).toEqual(before);
  });

  test.each([
    ["the service is not there", ["--base-url", "http://127.0.0.1:1"], 8],
    ["the address is none", ["--base-url", "ftp://x.test"], 2],
    ["the address is not safe", ["--base-url", "http://ghe.example.com"], 2],
    ["the user name has a colon", ["--base-url", "http://127.0.0.1:1", "--username", "a:b"], 2],
  ])("because %s leaves nothing behind", async (_, flags, code) => {
    const folder = makeConfigurationFolder();
    const ended = await run(
      [
        "auth",
        "login",
        "--username",
        "octavia",
        "--password-stdin",
        "--store",
        "file",
        "--retries",
        "0",
        ...flags,
      ],
      folder,
      { input: secret },
    );
    expect([ended.code, ended.stdout, folder.names()]).toEqual([code, "", []]);
    expect(ended.stderr).not.toContain(secret);
  });

  test.each([
    ["empty", ""],
    ["an empty line", "\n"],
    ["of two lines", `${secret}\nx\n`],
    ["with a NUL", `a\u0000${secret}`],
    ["with an escape", `\u001b${secret}`],
  ])("because the password is %s sends nothing", async (_, input) => {
    const server = await startRecordingServer(accept);
    const folder = makeConfigurationFolder();
    const ended = await login(server.root, folder, ["--store", "file"], { input });
    expect([ended.code, server.requests.length, folder.names()]).toEqual([2, 0, []]);
    expect(ended.stderr).not.toContain(secret);
  });

  test("with a wrong password says that, not that a list is missing", async () => {
    const server = await startRecordingServer(() => ({ status: 404, body: { message: "Not Found" } }));
    const folder = makeConfigurationFolder();
    const { code, stderr } = await login(server.root, folder, ["--store", "file"]);
    expect([code, folder.names()]).toEqual([3, []]);
    expect(stderr).toMatch(
      /the user name or the password is wrong, or there is no such API here\nhint: nothing was stored/,
    );
  });

  test("because nobody can be asked sends nothing, and says what to do", async () => {
    const server = await startRecordingServer(accept);
    const folder = makeConfigurationFolder();
    for (const [flags, code] of [
      [[], 2],
      [["--base-url", server.root], 4],
      [["--base-url", server.root, "--username", "o"], 4],
    ] as const) {
      const ended = await run(["auth", "login", "--store", "file", ...flags], folder);
      expect([ended.code, ended.stdout]).toEqual([code, ""]);
      expect(ended.stderr).toMatch(/\nhint: .*(--base-url|--username|--password-stdin)/);
    }
    expect([server.requests.length, folder.names()]).toEqual([0, []]);
  });
});

describe("a login with a one-time password", () => {
  let account: Account;
  beforeAll(async () => {
    account = await openAccount({ otp: "app" });
  });
  afterAll(async () => {
    await account.sandbox.close();
  });

  test("is proven with a code from a flag, a variable or a command, and keeps none of them but the command", async () => {
    const { base_url: root, username, password } = account.sandbox.description;
    const code = async (): Promise<string> => {
      const { TOTP, Secret } = await import("otpauth");
      return new TOTP({
        secret: Secret.fromBase32(account.sandbox.description.totp_secret ?? ""),
      }).generate();
    };
    const words = [
      "auth",
      "login",
      "--base-url",
      root,
      "--username",
      username,
      "--password-stdin",
      "--store",
      "file",
    ];
    const command = `echo ${await code()}`;
    for (const [flags, environment] of [
      [["--otp", await code()], {}],
      [[], { GRANTCTL_OTP: await code() }],
      [[], { GRANTCTL_OTP_COMMAND: command }],
      [["--otp-command", command], {}],
    ] as const) {
      const folder = makeConfigurationFolder();
      expect(await run([...words, ...flags], folder, { input: password, environment })).toMatchObject({
        code: 0,
        stdout: "",
      });
      const { profiles } = folder.content() as { profiles: { default: object } };
      expect(profiles.default).toEqual({
        base_url: root,
        username,
        ...(flags[0] === "--otp-command" ? { otp_command: command } : {}),
      });
    }
    const wrong = makeConfigurationFolder();
    expect((await run([...words, "--otp", "000000"], wrong, { input: password })).code).toBe(5);
    expect(wrong.names()).toEqual([]);
  });
});

describe("a login that is proven", () => {
  test("with --store file is private, said to be unencrypted, and used by the next run", async () => {
    const server = await startRecordingServer(accept);
    const folder = makeConfigurationFolder();
    const ended = await login(server.root, folder);
    expect(ended).toMatchObject({ code: 0, stdout: "" });
    expect(ended.stderr).toMatch(/^warning: the password is stored unencrypted in a file/);
    expect([folder.mode(), folder.mode("credentials.json"), folder.mode("config.json")]).toEqual([
      0o700, 0o600, 0o600,
    ]);
    expect(folder.text()).not.toContain(secret);
    expect(server.lines().filter((line) => !line.endsWith("/meta"))).toEqual([
      "GET /applications/grants?per_page=1",
    ]);
    expect((await run(["grant", "list"], folder)).code).toBe(0);
    expect(server.besidesMeta().map(credentialsOf)).toEqual(Array(2).fill(`Basic octavia:${secret}`));
    const quiet = await login(server.root, folder, ["--store", "file", "--quiet"]);
    expect(quiet.stderr.split("\n")).toHaveLength(2);
    expect((await run(["auth", "logout"], folder)).code).toBe(0);
    expect(folder.names()).toEqual(["config.json"]);
    expect((await run(["grant", "list"], folder)).code).toBe(4);
  });

  test("with --store none writes the profile alone", async () => {
    const server = await startRecordingServer(accept);
    const folder = makeConfigurationFolder();
    expect((await login(server.root, folder, ["--store", "none"])).code).toBe(0);
    expect(folder.names()).toEqual(["config.json"]);
    expect(folder.content()).toEqual({
      profiles: { default: { base_url: server.root, username: "octavia" } },
    });
    expect((await run(["grant", "list"], folder)).code).toBe(4);
  });

  test("with --dry-run proves, says what it would do, and changes nothing", async () => {
    const server = await startRecordingServer(accept);
    const keychain = makeKeychain();
    const folder = makeConfigurationFolder();
    for (const store of ["file", "none", "keychain"]) {
      const ended = await login(server.root, folder, ["--store", store, "--dry-run"], {
        keychainHelper: keychain.helper,
      });
      expect([ended.code, ended.stderr]).toEqual([0, expect.stringContaining("would log in")]);
    }
    expect([folder.names(), keychain.entries(), server.besidesMeta().length]).toEqual([[], {}, 3]);
    await login(server.root, folder);
    const before = [folder.text(), readFileSync(join(folder.path, "credentials.json"), "utf8")];
    const logout = await run(["auth", "logout", "--dry-run"], folder);
    expect([logout.code, logout.stderr]).toEqual([0, expect.stringContaining("would forget")]);
    expect([folder.text(), readFileSync(join(folder.path, "credentials.json"), "utf8")]).toEqual(before);
  });

  test("with --json prints one object, without the secret", async () => {
    const server = await startRecordingServer(accept);
    const ended = await login(server.root, makeConfigurationFolder(), ["--store", "file", "--json"]);
    expect(JSON.parse(ended.stdout)).toEqual({
      profile: "default",
      base_url: server.root,
      username: "octavia",
      store: "file",
      proven: true,
    });
    expect(ended.stdout + ended.stderr).not.toContain(secret);
  });

  test("moves from store to store, and is never in two", async () => {
    const server = await startRecordingServer(accept);
    const keychain = makeKeychain();
    const world = { keychainHelper: keychain.helper };
    const folder = makeConfigurationFolder();
    const key = `grantctl:${server.root} octavia`;
    for (const store of ["keychain", "file", "keychain", "none", "file", "none"]) {
      expect((await login(server.root, folder, ["--store", store], world)).code).toBe(0);
      expect(keychain.entries()).toEqual(store === "keychain" ? { [key]: secret } : {});
      expect(folder.names()).toEqual(
        store === "file" ? ["config.json", "credentials.json"] : ["config.json"],
      );
      const index = folder.content()["stored_secrets"];
      expect(index).toEqual(
        store === "none" ? undefined : [{ origin: server.root, kind: "password", user: "octavia", store }],
      );
    }
  });

  test("is of its profile, and the first one that is named becomes the default", async () => {
    const server = await startRecordingServer(accept);
    const folder = makeConfigurationFolder();
    expect((await login(server.root, folder, ["--store", "file", "--profile", "work"])).code).toBe(0);
    expect(
      (await login(server.root, folder, ["--store", "file", "--profile", "home", "--username", "hubert"]))
        .code,
    ).toBe(0);
    expect(folder.content()).toMatchObject({
      default_profile: "work",
      profiles: { work: { username: "octavia" }, home: { username: "hubert" } },
    });
    await run(["--profile", "home", "grant", "list"], folder);
    await run(["grant", "list"], folder);
    expect(server.besidesMeta().slice(-2).map(credentialsOf)).toEqual([
      `Basic hubert:${secret}`,
      `Basic octavia:${secret}`,
    ]);
    expect((await run(["--profile", "home", "auth", "logout"], folder)).code).toBe(0);
    expect((await run(["grant", "list"], folder)).code).toBe(0);
    expect((await run(["--profile", "home", "grant", "list"], folder)).code).toBe(4);
  });

  test("side by side with others loses none", async () => {
    const server = await startRecordingServer(accept);
    const folder = makeConfigurationFolder();
    const runs = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        runBinary(
          [
            "auth",
            "login",
            "--base-url",
            server.root,
            "--username",
            `u${index}`,
            "--password-stdin",
            "--store",
            "file",
            "--profile",
            `p${index}`,
          ],
          { environment: folder.environment, input: `secret-${index}` },
        ),
      ),
    );
    expect(runs.map(({ code }) => code)).toEqual(Array(8).fill(0));
    const kept = JSON.parse(readFileSync(join(folder.path, "credentials.json"), "utf8")) as {
      user: string;
      secret: string;
    }[];
    expect(kept.map((entry) => `${entry.user} ${entry.secret}`).toSorted()).toEqual(
      Array.from({ length: 8 }, (_, index) => `u${index} secret-${index}`),
    );
    expect(folder.content()["stored_secrets"]).toHaveLength(8);
  });

  test("is refused where a command of the profile would go before it", async () => {
    const server = await startRecordingServer(accept);
    const folder = makeConfigurationFolder({
      profiles: { default: { base_url: server.root, username: "octavia", password_command: "echo x" } },
    });
    const before = folder.text();
    const refused = await login(server.root, folder);
    expect([refused.code, refused.stderr, server.besidesMeta().length]).toEqual([
      2,
      expect.stringContaining("config unset password_command"),
      0,
    ]);
    expect(folder.text()).toBe(before);
    expect((await run(["auth", "login", "--store", "none"], folder)).code).toBe(0);
    expect(server.besidesMeta().map(credentialsOf)).toEqual(["Basic octavia:x"]);
  });
});

const stored = async (): Promise<{ folder: ConfigurationFolder; file: string; root: string }> => {
  const server = await startRecordingServer(accept);
  const folder = makeConfigurationFolder();
  await login(server.root, folder);
  return { folder, file: join(folder.path, "credentials.json"), root: server.root };
};

describe.skipIf(process.platform === "win32")("the file of secrets", () => {
  test.each([0o640, 0o604, 0o620, 0o666])("is not used when others can get at it (%o)", async (mode) => {
    const { folder, file, root } = await stored();
    chmodSync(file, mode);
    for (const ended of [
      await run(["grant", "list"], folder),
      await login(root, folder),
      await run(["auth", "logout"], folder),
    ]) {
      expect([ended.code, ended.stderr]).toEqual([2, expect.stringContaining(`chmod 600 ${file}`)]);
      expect(ended.stderr).not.toContain(secret);
    }
    const status = await run(["auth", "status"], folder);
    expect([status.code, status.stdout]).toEqual([4, expect.stringContaining("others can read or change")]);
  });

  test("is not used through a symbolic link, nor written through one", async () => {
    const { folder, root } = await stored();
    const other = makeConfigurationFolder();
    mkdirSync(other.path, { mode: 0o700 });
    const target = join(folder.path, "credentials.json");
    const before = readFileSync(target, "utf8");
    symlinkSync(target, join(other.path, "credentials.json"));
    expect((await login(root, other)).code).toBe(2);
    expect(readFileSync(target, "utf8")).toBe(before);
    expect(other.names()).toEqual(["credentials.json"]);
  });

  test.each([
    ["broken", '[{"secret": "c4nary'],
    ["something else", '{"secret": "c4nary"}'],
    ["empty", ""],
    ["an entry without its user", '[{"origin":"x","kind":"password","secret":"c4nary"}]'],
  ])("that is %s is told about, and not repeated", async (_, content) => {
    const { folder, file } = await stored();
    writeFileSync(file, content);
    const list = await run(["grant", "list"], folder);
    expect([list.code, list.stderr]).toEqual([
      2,
      expect.stringContaining("does not hold what grantctl stored"),
    ]);
    expect(list.stderr).not.toContain("c4nary");
  });

  test("that is gone is told about", async () => {
    const { folder, file, root } = await stored();
    writeFileSync(file, "[]");
    const list = await run(["grant", "list"], folder);
    expect([list.code, list.stderr]).toEqual([
      4,
      expect.stringContaining(`stored for octavia at ${root} is not in the file any more`),
    ]);
  });

  const cannotTrace = whyNoTracing();
  test.skipIf(cannotTrace !== null)(
    `that cannot be removed is not said to be${cannotTrace ?? ""}`,
    async () => {
      const { folder, file } = await stored();
      const { runProgram, program } = await import("../../support/binary.ts");
      const logout = await runProgram(
        "strace",
        [
          "-f",
          "-qq",
          "-o",
          "/dev/null",
          "-P",
          file,
          "-e",
          "trace=unlink",
          "-e",
          "inject=unlink:error=EACCES",
          process.execPath,
          program,
          "auth",
          "logout",
        ],
        { environment: folder.environment },
      );
      expect([logout.code, logout.stderr]).toEqual([
        2,
        expect.stringContaining(`cannot remove ${file}: EACCES`),
      ]);
      expect(folder.content()).toHaveProperty("stored_secrets");
    },
  );
});

const appWords = (root: string): string[] => [
  "auth",
  "login",
  "--app",
  "--store",
  "file",
  "--base-url",
  root,
  "--client-id",
  clientId,
];

describe("an application's login", () => {
  const token = "0123456789abcdef0123456789abcdef01234567";
  const knows: Answer = ({ path, headers }) => {
    const isKnown =
      headers.authorization === `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString("base64")}`;
    return isKnown && path.endsWith(token)
      ? {
          status: 200,
          body: {
            id: 1,
            token: "",
            token_last_eight: token.slice(-8),
            app: { name: "a", url: "u", client_id: clientId },
            scopes: [],
            note: null,
            note_url: null,
            url: "u",
            hashed_token: "h",
            created_at: "2020-01-01T00:00:00Z",
            updated_at: "2020-01-01T00:00:00Z",
            fingerprint: null,
            user: { login: "octavia", id: 1 },
          },
        }
      : { status: 404, body: { message: "Not Found" } };
  };
  const environment = { GRANTCTL_CLIENT_SECRET: clientSecret };

  test("with a live token on standard input is proven", async () => {
    const server = await startRecordingServer(knows);
    const folder = makeConfigurationFolder();
    const ended = await run([...appWords(server.root), "--json"], folder, {
      input: `\uFEFF${token}\r\n`,
      environment,
    });
    expect(ended.code).toBe(0);
    expect(JSON.parse(ended.stdout)).toMatchObject({ client_id: clientId, proven: true, store: "file" });
    expect(server.lines().filter((line) => !line.endsWith("/meta"))).toEqual([
      `GET /applications/${clientId}/tokens/${token}`,
    ]);
    expect(ended.stdout + ended.stderr + folder.text()).not.toContain(token);
    const check = await run(["token", "check"], folder, { input: token });
    expect(check.code).toBe(0);
    expect((await run(["auth", "logout"], folder)).stderr).toContain(
      `forgot the client secret of ${clientId}`,
    );
    expect(folder.names()).toEqual(["config.json"]);
  });

  test.each([
    ["a wrong token", token.replace("0", "f"), environment],
    ["a wrong secret", token, { GRANTCTL_CLIENT_SECRET: "wrong".repeat(8) }],
  ])("with %s is not proven, and leaves nothing behind", async (_, input, variables) => {
    const server = await startRecordingServer(knows);
    const folder = makeConfigurationFolder();
    const ended = await run(appWords(server.root), folder, { input, environment: variables });
    expect([ended.code, ended.stdout, folder.names()]).toEqual([3, "", []]);
    for (const word of [token.slice(1), clientSecret, "wrong".repeat(8)])
      expect(ended.stderr).not.toContain(word);
  });

  test("with something that is no token sends nothing", async () => {
    const server = await startRecordingServer(knows);
    const folder = makeConfigurationFolder();
    const ended = await run(appWords(server.root), folder, { input: "a b\nc\n", environment });
    expect([ended.code, server.requests.length, folder.names()]).toEqual([2, 0, []]);
  });

  test("without a token is stored, and said not to be proven", async () => {
    const server = await startRecordingServer(knows);
    for (const world of [
      { input: "", environment },
      { input: null, environment },
    ]) {
      const folder = makeConfigurationFolder();
      const ended = await run([...appWords(server.root), "--json", "--quiet"], folder, world);
      expect([ended.code, JSON.parse(ended.stdout)]).toEqual([0, expect.objectContaining({ proven: false })]);
      expect(ended.stderr).toContain("warning: the client secret is not proven");
    }
    const piped = await run([...appWords(server.root), "--client-secret-stdin"], makeConfigurationFolder(), {
      input: `${clientSecret}\n`,
    });
    expect([piped.code, piped.stderr]).toEqual([0, expect.stringContaining("is not proven")]);
    expect(server.besidesMeta()).toEqual([]);
  });

  test("does not wait for ever for a token on a pipe that nobody writes to", async () => {
    const server = await startRecordingServer(knows);
    const folder = makeConfigurationFolder();
    const recorded = createTestHost({
      argv: appWords(server.root),
      environment: { ...folder.environment, ...environment },
    });
    const started = performance.now();
    const code = await main({ ...recorded.host, stdin: { stream: new PassThrough(), isTerminal: false } });
    expect(performance.now() - started).toBeGreaterThan(4900);
    expect([code, recorded.stderr()]).toEqual([0, expect.stringContaining("is not proven")]);
  });

  test("does not touch the account's, nor the account's this one's", async () => {
    const server = await startRecordingServer((request, position) =>
      request.path.includes("/tokens/") ? knows(request, position) : { status: 200, body: [] },
    );
    const folder = makeConfigurationFolder();
    await login(server.root, folder);
    await run(appWords(server.root), folder, { input: token, environment });
    const { stored_secrets } = folder.content() as { stored_secrets: { kind: string }[] };
    expect(stored_secrets.map(({ kind }) => kind)).toEqual(["password", "client-secret"]);
    expect((await run(["auth", "logout", "--app"], folder)).code).toBe(0);
    expect((await run(["grant", "list"], folder)).code).toBe(0);
    expect((await run(["token", "check"], folder, { input: token })).code).toBe(4);
  });
});

test("a login that cannot be written down leaves no secret behind", async () => {
  const server = await startRawServer((socket) => {
    // While the proof is on its way, the configuration becomes one that cannot be changed.
    folder.write('{"profiles": {"default": {"username": 1}}}');
    socket.end(jsonAnswer(200, []));
  });
  const folder = makeConfigurationFolder();
  const keychain = makeKeychain();
  for (const store of ["file", "keychain"]) {
    folder.write({});
    const ended = await login(server.root, folder, ["--store", store], { keychainHelper: keychain.helper });
    expect([ended.code, ended.stderr]).toEqual([
      2,
      expect.stringContaining("profiles.default.username must be text"),
    ]);
    expect([folder.names(), keychain.entries()]).toEqual([["config.json"], {}]);
  }
  await server.close();
});

test("a login elsewhere says which commands of the profile go there too", async () => {
  const server = await startRecordingServer(accept);
  const folder = makeConfigurationFolder({
    profiles: { default: { base_url: "https://before.test", otp_command: "oathtool" } },
  });
  const moved = await login(server.root, folder, ["--store", "file"]);
  expect([moved.code, moved.stderr]).toEqual([
    0,
    expect.stringContaining(`otp_command of this profile now serve ${server.root}`),
  ]);
});
