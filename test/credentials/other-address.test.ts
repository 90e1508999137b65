// Values for one base URL, with its path, are never sent to another: stored secrets, the output of a profile's commands, and its client
// certificate.
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { makeConfigurationFolder, type ConfigurationFolder } from "../support/configuration.ts";
import {
  credentials,
  credentialsOf,
  startRecordingServer,
  type RecordingServer,
} from "../support/recording-server.ts";
import { makeFolder } from "../support/state-folder.ts";
import { runMain } from "../support/test-host.ts";

const { clientId } = credentials;
const token = "0123456789abcdef0123456789abcdef01234567";

/** A server that challenges each request for a one-time password. */
function askForCode(): Promise<RecordingServer> {
  return startRecordingServer(({ headers }) =>
    headers["x-service-otp"] === undefined
      ? { status: 401, body: {}, headers: { "X-Service-OTP": "required; app" } }
      : { status: 200, body: [] },
  );
}

/** A profile for this base URL, whose commands leave a mark when they run. */
function makeProfile(
  root: string,
  mark: string,
  more: Readonly<Record<string, unknown>> = {},
): ConfigurationFolder {
  const command = (what: string): string => `sh -c 'echo ${what} >> ${mark}; echo ${what}'`;
  return makeConfigurationFolder({
    profiles: {
      default: {
        base_url: root,
        username: "octavia",
        client_id: clientId,
        password_command: command("canary-password"),
        client_secret_command: command("canary-secret"),
        otp_command: command("123456"),
        ...more,
      },
    },
  });
}

/** The same profile, with stored secrets instead of commands. */
function makeStored(root: string): ConfigurationFolder {
  const entries = [
    { kind: "password", name: "octavia" },
    { kind: "client-secret", name: clientId },
  ];
  const folder = makeConfigurationFolder({
    profiles: { default: { base_url: root, username: "octavia", client_id: clientId } },
    stored_secrets: entries.map((entry) => ({ ...entry, profile: "default", base_url: root, store: "file" })),
  });
  writeFileSync(
    join(folder.path, "credentials.json"),
    JSON.stringify(
      entries.map((entry) => ({
        ...entry,
        profile: "default",
        baseUrl: root,
        secret: `canary-${entry.kind}`,
      })),
    ),
    { mode: 0o600 },
  );
  return folder;
}

const port = (server: RecordingServer): string => new URL(server.root).port;

/** URLs that differ from the profile's. `here` is a second server. */
const elsewhere: readonly (readonly [string, (home: RecordingServer, here: RecordingServer) => string])[] = [
  ["another port", (_, here) => here.root],
  ["another name of the same host", (home) => `http://localhost:${port(home)}`],
  ["the same host in another form", (home) => `http://127.0.0.2:${port(home)}`],
  ["another scheme", (home) => home.root.replace("http:", "https:")],
  ["a name that ends with a dot", (home) => `https://127.0.0.1.:${port(home)}`],
  ["another path", (home) => `${home.root}/realms/two`],
  ["a path that looks like the home", (home, here) => `${here.root}/${home.root}`],
];

describe("at another base URL", () => {
  test.each(elsewhere)("(%s) no value of the profile is sent and no command is run", async (_, to) => {
    const home = await askForCode();
    const here = await askForCode();
    const mark = join(makeFolder(), "ran");
    for (const folder of [makeProfile(home.root, mark), makeStored(home.root)]) {
      const address = to(home, here);
      for (const [flags, variables] of [
        [["--base-url", address], {}],
        [[], { GRANTCTL_BASE_URL: address }],
      ] as const) {
        const environment = { ...folder.environment, ...variables };
        for (const words of [
          ["grant", "list"],
          ["token", "check"],
          ["authorization", "list"],
        ]) {
          const run = await runMain([...words, ...flags, "--yes"], {
            environment,
            input: token,
          });
          expect([run.code, run.stdout]).toEqual([4, ""]);
          expect(run.stderr).not.toContain("canary");
          expect(run.stderr).toMatch(/the stored one is for|the profile's command is for another URL/);
        }
      }
    }
    expect([home.requests, here.requests, existsSync(mark)]).toEqual([[], [], false]);
  });

  test("sends a given password, but no one-time password of the profile", async () => {
    const home = await askForCode();
    const here = await askForCode();
    const mark = join(makeFolder(), "ran");
    const { environment } = makeProfile(home.root, mark);
    const run = await runMain(["grant", "list", "--base-url", here.root, "--password-stdin"], {
      environment,
      input: "given",
    });
    expect(run.code).toBe(4);
    expect(here.requests.map(({ headers }) => headers["x-service-otp"])).toEqual([undefined]);
    expect(here.requests.map(credentialsOf)).toEqual(["Basic octavia:given"]);
    expect([home.requests.length, existsSync(mark)]).toEqual([0, false]);
    // A command in the environment applies to the URL of this run.
    const given = await runMain(["grant", "list", "--base-url", here.root, "--password-stdin"], {
      environment: { ...environment, GRANTCTL_OTP_COMMAND: "echo 654321" },
      input: "given",
    });
    expect(given.code).toBe(0);
  });

  test.each([
    ["an account", ["grant", "list", "--username", "hubert"]],
    ["an application", ["token", "check", "--client-id", "f".repeat(20)]],
  ])("nothing of the profile is sent for %s other than the profile's", async (_, words) => {
    const home = await askForCode();
    const mark = join(makeFolder(), "ran");
    for (const folder of [makeProfile(home.root, mark), makeStored(home.root)]) {
      const run = await runMain([...words], {
        environment: folder.environment,
        input: token,
      });
      expect([run.code, home.requests.length]).toEqual([4, 0]);
    }
    const given = await runMain(["grant", "list", "--username", "hubert", "--password-stdin"], {
      environment: makeProfile(home.root, mark).environment,
      input: "given",
    });
    expect([given.code, existsSync(mark)]).toEqual([4, false]);
  });
});

test("a profile's client certificate is not sent to another base URL", async () => {
  const home = await askForCode();
  const here = await askForCode();
  const missing = join(makeFolder(), "none.pem");
  const { environment } = makeProfile(home.root, join(makeFolder(), "ran"), {
    client_cert: missing,
    client_key: missing,
  });
  const run = (...flags: string[]): ReturnType<typeof runMain> =>
    runMain(["grant", "list", "--password-stdin", "--otp", "123456", ...flags], {
      environment,
      input: "given",
    });
  // A missing file fails the run if grantctl tries to read it.
  expect(await run()).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("the profile's client_cert: cannot read"),
  });
  expect((await run("--base-url", here.root)).code).toBe(0);
  const given = await runMain(["grant", "list", "--base-url", here.root], {
    environment: {
      ...environment,
      GRANTCTL_PASSWORD: "given",
      GRANTCTL_CLIENT_CERT: missing,
      GRANTCTL_CLIENT_KEY: missing,
    },
  });
  expect(given).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("GRANTCTL_CLIENT_CERT: cannot read"),
  });
  const status = await runMain(["auth", "status", "--json", "--base-url", here.root], { environment });
  expect(JSON.parse(status.stdout)).toContainEqual({ name: "client_cert", value: null, source: null });
});

describe("at the same base URL", () => {
  test.each<[string, (root: string) => string]>([
    ["with a slash", (root) => `${root}/`],
    ["in capitals", (root) => root.toUpperCase().replace("HTTP", "Http")],
    ["with a number that is the same", (root) => root.replace("127.0.0.1", "0x7f.1")],
  ])("%s, all values of the profile are used", async (_, to) => {
    const home = await askForCode();
    const mark = join(makeFolder(), "ran");
    const { environment } = makeProfile(home.root, mark);
    const run = await runMain(["grant", "list", "--base-url", to(home.root)], { environment });
    expect(run.code).toBe(0);
    expect(home.requests.map(credentialsOf)).toEqual(Array(2).fill("Basic octavia:canary-password"));
    const stored = await runMain(["grant", "list", "--base-url", to(home.root), "--otp", "123456"], {
      environment: makeStored(home.root).environment,
    });
    expect(stored.code).toBe(0);
  });

  test("the scheme's default port is the same as no port", async () => {
    const { parseOrigin } = await import("../../src/http/origin.ts");
    expect(parseOrigin("https://GHE.example.com:443/x", false).root).toBe("https://ghe.example.com");
    expect(parseOrigin("https://ghe.example.com.:443", false).root).not.toBe("https://ghe.example.com");
  });

  test("a profile without a base URL runs its commands for any base URL", async () => {
    const here = await askForCode();
    const mark = join(makeFolder(), "ran");
    const { environment } = makeProfile("x", mark, { base_url: undefined });
    expect((await runMain(["grant", "list", "--base-url", here.root], { environment })).code).toBe(0);
  });
});

test("a profile's headers and its permission for plain http are not for another base URL", async () => {
  const home = await askForCode();
  const here = await askForCode();
  const { environment } = makeProfile(home.root, join(makeFolder(), "ran"), {
    headers: "X-Key: hunter2",
    allow_http: "true",
  });
  const run = (...flags: string[]): ReturnType<typeof runMain> =>
    runMain(["grant", "list", "--password-stdin", "--otp", "123456", ...flags], {
      environment,
      input: "given",
    });
  await run();
  await run("--base-url", here.root);
  expect(home.requests.map(({ headers }) => headers["x-key"])).toContain("hunter2");
  expect(here.requests.length).toBeGreaterThan(0);
  for (const { headers } of here.requests) expect(headers["x-key"]).toBeUndefined();
  const plain = await run("--base-url", "http://service.test");
  expect([plain.code, plain.stderr.includes("GRANTCTL_ALLOW_HTTP=1")]).toEqual([2, true]);
  const status = await runMain(["auth", "status", "--json"], { environment });
  expect(status.stdout).toContain("X-Key: …");
  expect(status.stdout).not.toContain("hunter2");
});
