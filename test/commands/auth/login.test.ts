// `grantctl auth login` and `logout`: login stores and writes only verified credentials. They are private, in the
// requested store, and deleted by logout.
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openAccount, type Account } from "../../support/account.ts";
import { runBinary } from "../../support/binary.ts";
import { makeConfigurationFolder } from "../../support/configuration.ts";
import { jsonAnswer, startRawServer } from "../../support/raw-server.ts";
import { credentialsOf, startRecordingServer, type Answer } from "../../support/recording-server.ts";
import { makeFolder } from "../../support/state-folder.ts";
import { runMain } from "../../support/test-host.ts";
import { secret, makeKeychain, run, login, loginWords, accept, otp } from "./logins.ts";

describe("a login that is not verified", () => {
  const stores = ["file", "keychain", "none"];
  const unproven: readonly (readonly [string, Answer, number])[] = [
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
      4,
    ],
    [
      "is asked for a code, by text message",
      () => ({ status: 401, body: {}, headers: otp("required; sms") }),
      4,
    ],
    ["is answered 500", () => ({ status: 500, body: {} }), 1],
    ["is answered 503", () => ({ status: 503, body: {} }), 8],
    ["is answered with something else", () => ({ status: 200, body: { id: 1 } }), 1],
    ["is answered with HTML", () => ({ status: 200, body: "<html>" }), 1],
    ["is sent elsewhere", () => ({ status: 302, headers: { Location: "/grants" } }), 1],
    ["is cut off", () => Promise.resolve("cut" as const), 8],
  ];

  // Verification precedes every store, so each response is tested with only one store.
  test.each(
    unproven.map(([name, answer, code], row) => ({ name, answer, code, store: stores[row % 3] ?? "" })),
  )("leaves nothing behind if it $name, with --store $store", async ({ answer, code, store }) => {
    const server = await startRecordingServer(answer);
    const keychain = makeKeychain();
    const folder = makeConfigurationFolder();
    const ended = await login(server.root, folder, ["--store", store], {
      keychainHelper: keychain.helper,
    });
    expect(server.requests.length).toBeGreaterThan(0);
    expect([ended.code, ended.stdout]).toEqual([code, ""]);
    expect(ended.stderr).not.toContain(secret);
    expect(folder.names()).toEqual([]);
    expect(keychain.entries()).toEqual({});
  });

  test("leaves the stored credentials of an earlier login", async () => {
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
  ])("leaves nothing behind because %s", async (_, flags, code) => {
    const folder = makeConfigurationFolder();
    const words = "auth login --username octavia --password-stdin --store file".split(" ");
    const ended = await run([...words, ...flags], folder, { input: secret });
    expect([ended.code, ended.stdout, folder.names()]).toEqual([code, "", []]);
    expect(ended.stderr).not.toContain(secret);
  });

  test.each([
    ["of two lines", `${secret}\nx\n`],

    ["with an escape", `\u001b${secret}`],
  ])("sends nothing because the password is %s", async (_, input) => {
    const server = await startRecordingServer(accept);
    const folder = makeConfigurationFolder();
    const ended = await login(server.root, folder, ["--store", "file"], { input });
    expect([ended.code, server.requests.length, folder.names()]).toEqual([2, 0, []]);
    expect(ended.stderr).not.toContain(secret);
  });

  test.each([
    ["its folder is a link", (path: string) => symlinkSync(makeFolder(), path)],
    ["its folder is a file", (path: string) => writeFileSync(path, "")],
    [
      "it is a link",
      (path: string) => {
        mkdirSync(path, { mode: 0o700 });
        symlinkSync(join(makeFolder(), "elsewhere.json"), join(path, "config.json"));
      },
    ],
  ])("sends nothing because the configuration cannot be written: %s", async (_, arrange) => {
    const server = await startRecordingServer(accept);
    const path = join(makeFolder(), "config");
    arrange(path);
    const ended = await runMain([...loginWords(server.root, "octavia"), "--store", "file"], {
      environment: { GRANTCTL_CONFIG_DIR: path },
      input: secret,
    });
    expect([ended.code, server.requests.length]).toEqual([2, 0]);
    expect(ended.stderr).toContain(path);
  });

  test("without a terminal sends nothing and reports what to do", async () => {
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

  test("is verified with a code from a flag, variable or command, and stores only the command", async () => {
    const { base_url: root, username, password } = account.sandbox.description;
    const code = async (): Promise<string> => {
      const { TOTP, Secret } = await import("otpauth");
      return new TOTP({
        secret: Secret.fromBase32(account.sandbox.description.totp_secret ?? ""),
      }).generate();
    };
    const words = [...loginWords(root, username), "--store", "file"];
    const command = `echo ${await code()}`;
    for (const [flags, environment] of [
      [["--otp", await code()], {}],
      [[], { GRANTCTL_OTP: await code() }],
      [[], { GRANTCTL_OTP_COMMAND: command }],
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
      });
    }
    const wrong = makeConfigurationFolder();
    expect((await run([...words, "--otp", "000000"], wrong, { input: password })).code).toBe(4);
    expect(wrong.names()).toEqual([]);
  });
});

describe("a verified login", () => {
  test("with --store file writes a private file, warns that it is unencrypted, and serves the next run", async () => {
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

  test("with --store none writes only the profile", async () => {
    const server = await startRecordingServer(accept);
    const folder = makeConfigurationFolder();
    expect((await login(server.root, folder, ["--store", "none"])).code).toBe(0);
    expect(folder.names()).toEqual(["config.json"]);
    expect(folder.content()).toEqual({
      profiles: { default: { base_url: server.root, username: "octavia" } },
    });
    expect((await run(["grant", "list"], folder)).code).toBe(4);
  });

  test("with --json prints one object without the secret", async () => {
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
    const some = await login(server.root, makeConfigurationFolder(), ["--store", "file", "--json", "store"]);
    expect(some.stdout).toBe('{"store":"file"}\n');
  });

  test("moves the secret between stores without a second copy", async () => {
    const server = await startRecordingServer(accept);
    const keychain = makeKeychain();
    const world = { keychainHelper: keychain.helper };
    const folder = makeConfigurationFolder();
    const verified = expect.stringMatching(/^2\S+Z, by listing grants$/) as string;
    const key = `grantctl:default:${server.root} password:octavia`;
    for (const store of ["keychain", "file", "keychain", "none", "file", "none"]) {
      expect((await login(server.root, folder, ["--store", store], world)).code).toBe(0);
      expect(keychain.entries()).toEqual(store === "keychain" ? { [key]: secret } : {});
      expect(folder.names()).toEqual(
        store === "file" ? ["config.json", "credentials.json"] : ["config.json"],
      );
      const index = folder.content()["stored_secrets"];
      expect(index).toEqual(
        store === "none"
          ? undefined
          : [
              {
                profile: "default",
                base_url: server.root,
                kind: "password",
                name: "octavia",
                store,
                verified,
              },
            ],
      );
    }
  });

  test("applies to its profile; the first named profile becomes the default", async () => {
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

  test("in parallel with others loses no credentials", async () => {
    const server = await startRecordingServer(accept);
    const folder = makeConfigurationFolder();
    const runs = await Promise.all(
      Array.from({ length: 4 }, (_, index) =>
        runBinary([...loginWords(server.root, `u${index}`), "--store", "file", "--profile", `p${index}`], {
          environment: folder.environment,
          input: `secret-${index}`,
        }),
      ),
    );
    expect(runs.map(({ code }) => code)).toEqual(Array(4).fill(0));
    const kept = JSON.parse(readFileSync(join(folder.path, "credentials.json"), "utf8")) as {
      name: string;
      secret: string;
    }[];
    expect(kept.map((entry) => `${entry.name} ${entry.secret}`).toSorted()).toEqual(
      Array.from({ length: 4 }, (_, index) => `u${index} secret-${index}`),
    );
    expect(folder.content()["stored_secrets"]).toHaveLength(4);
  });

  test("is rejected if a command in the profile takes precedence", async () => {
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

test("leaves no secret behind if the configuration cannot be written", async () => {
  const server = await startRawServer((socket) => {
    // The configuration becomes invalid during verification.
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

test("at another server lists the commands in the profile that now apply to it", async () => {
  const server = await startRecordingServer(accept);
  const folder = makeConfigurationFolder({
    profiles: { default: { base_url: "https://before.test", otp_command: "oathtool" } },
  });
  const moved = await login(server.root, folder, ["--store", "file"]);
  expect([moved.code, moved.stderr]).toEqual([
    0,
    expect.stringContaining(`otp_command of this profile now apply to ${server.root}`),
  ]);
});
