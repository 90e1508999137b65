// A real Secret Service, inspected from outside: unlocked, locked, absent or stopped. The
// helper is always a separate process; the built program also runs, for its first contact with a keychain,
// without keytar installed, and for its exit code.
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect } from "vitest";
import { openAccount, type Account } from "../support/account.ts";
import { runBinary, type Finished } from "../support/binary.ts";
import { makeConfigurationFolder, type ConfigurationFolder } from "../support/configuration.ts";
import { test } from "../support/grantctl.ts";
import { json, on } from "../support/serve.ts";
import { noSecretServiceReason, startSecretService, type SecretService } from "./secret-service.ts";
import { runMain } from "../support/test-host.ts";

const reason = noSecretServiceReason;
const why = reason === null ? "" : ` (${reason})`;

let account: Account;
let secret = "";
let url = "";
let service = "";
beforeAll(async () => {
  account = await openAccount();
  secret = account.sandbox.description.password;
  url = account.sandbox.description.base_url;
  service = `grantctl:default:${url}`;
});
afterAll(() => account.sandbox.close());

type Run = Pick<Finished, "stdout" | "stderr"> & { readonly code: number | null };

const helper = fileURLToPath(new URL("../../dist/keychain-helper.cjs", import.meta.url));

/** Runs grantctl in this process, and the helper in a process with this environment. */
function run(
  words: readonly string[],
  { environment }: Pick<SecretService, "environment">,
  folder: ConfigurationFolder,
  input = "",
): Promise<Run> {
  return runMain(words, {
    environment: { ...environment, ...folder.environment },
    childEnvironment: environment,
    keychainHelper: [process.execPath, helper],
    input,
  });
}

/** The same with the built program. */
function runReally(
  words: readonly string[],
  { environment }: Pick<SecretService, "environment">,
  folder: ConfigurationFolder,
  input = "",
): Promise<Finished> {
  return runBinary(words, { environment: { ...environment, ...folder.environment }, input });
}

function login<R extends Run>(
  keyring: Pick<SecretService, "environment">,
  folder: ConfigurationFolder,
  by: (...parts: Parameters<typeof run>) => Promise<R>,
): Promise<R> {
  const words = ["auth", "login", "--base-url", url, "--username", "octavia", "--password-stdin"];
  return by(words, keyring, folder, `${secret}\n`);
}

/** A profile whose password is in the keychain according to the index. */
function makeLoggedIn(): ConfigurationFolder {
  return makeConfigurationFolder({
    profiles: { default: { base_url: url, username: "octavia" } },
    stored_secrets: [
      {
        profile: "default",
        base_url: url,
        kind: "password",
        name: "octavia",
        store: "keychain",
        verified: null,
      },
    ],
  });
}

function expectNoFallback(folder: ConfigurationFolder, before = folder.text()): void {
  expect(folder.names().filter((name) => name !== "config.json")).toEqual([]);
  expect(folder.text()).toBe(before);
  expect(folder.text()).not.toContain(secret);
}

/** Every command that needs the keychain reports the reason; a timeout would be a different one. */
async function expectAbsent(environment: Readonly<Record<string, string>>, because: RegExp): Promise<void> {
  const empty = makeConfigurationFolder();
  const refused = await login({ environment }, empty, run);
  expect([refused.code, refused.stdout]).toEqual([2, ""]);
  expect(refused.stderr).toMatch(because);
  expect(refused.stderr).toContain(
    `hint: Run \`grantctl auth login --base-url ${url} --username octavia --password-stdin --store file\` to use`,
  );
  expectNoFallback(empty);
  const folder = makeLoggedIn();
  const list = await run(["grant", "list"], { environment }, folder);
  expect([list.code, list.stdout]).toEqual([4, ""]);
  expect(list.stderr).toMatch(because);
  const status = await run(["auth", "status", "--json"], { environment }, folder);
  expect(status.code).toBe(4);
  const logout = await run(["auth", "logout"], { environment }, folder);
  expect(logout.code).toBe(2);
  expectNoFallback(folder);
}

async function timed(work: Promise<Finished>): Promise<Finished & { readonly seconds: number }> {
  const started = performance.now();
  return { ...(await work), seconds: (performance.now() - started) / 1000 };
}

describe.skipIf(reason !== null)(`a keychain that is unlocked${why}`, () => {
  let keyring: SecretService;
  beforeAll(async () => void (keyring = await startSecretService("unlocked")));
  afterAll(() => keyring.close());

  test("keeps the password of a login for later runs until logout", async () => {
    const folder = makeConfigurationFolder();
    const loggedIn = await login(keyring, folder, runReally);
    expect(loggedIn).toMatchObject({ code: 0, stdout: "" });
    expect(loggedIn.stderr).toContain("is stored in the keychain");
    expect(keyring.lookup(service, "password:octavia")?.toString()).toBe(secret);
    expect(folder.text()).not.toContain(secret);
    expect(folder.names()).toEqual(["config.json"]);
    // The probe entry is deleted.
    expect(keyring.search("grantctl")).not.toContain("probe");

    const list = await runReally(["grant", "list", "--limit", "1", "--json", "id"], keyring, folder);
    expect(list).toMatchObject({ code: 0, stderr: "" });
    const status = await runReally(["auth", "status", "--json"], keyring, folder);
    expect(status.code).toBe(0);
    expect(JSON.parse(status.stdout)).toContainEqual({
      name: "password",
      value: expect.stringMatching(/^verified .*, by listing grants$/) as string,
      source: "keychain",
    });
    expect(status.stdout).not.toContain(secret);

    const loggedOut = await runReally(["auth", "logout"], keyring, folder);
    expect(loggedOut).toMatchObject({ code: 0, stdout: "" });
    expect(loggedOut.stderr).toContain("deleted the password of octavia");
    expect(keyring.lookup(service, "password:octavia")).toBeNull();
    expect(folder.content()).toEqual({
      profiles: { default: { base_url: url, server_type: "service", username: "octavia" } },
      stored_secrets: [],
    });
    const after = await runReally(["grant", "list"], keyring, folder);
    expect([after.code, after.stderr]).toEqual([4, expect.stringContaining("no password configured")]);
  });

  test("keeps a password with any characters byte for byte", async ({ serve }) => {
    const wanted = `  é e\u0301 \u212b ß 漢字 🔑 '"\\$\`%s :a: {"secret":null}  `;
    const server = await serve(on("ALL /*", json(200, [])));
    const folder = makeConfigurationFolder();
    const words = ["auth", "login", "--base-url", server.root, "--username", "é", "--password-stdin"];
    expect(await run(words, keyring, folder, `${wanted}\n`)).toMatchObject({ code: 0, stdout: "" });
    expect(keyring.lookup(`grantctl:default:${server.root}`, "password:é")).toEqual(Buffer.from(wanted));
    expect((await run(["grant", "list"], keyring, folder)).code).toBe(0);
    const sent = server.requests.flatMap(({ headers }) => headers.authorization ?? []);
    expect(sent).toEqual(Array(2).fill(`Basic ${Buffer.from(`é:${wanted}`).toString("base64")}`));
    expect((await run(["auth", "logout"], keyring, folder)).code).toBe(0);
    expect(keyring.lookup(`grantctl:default:${server.root}`, "password:é")).toBeNull();
  });
});

describe.skipIf(reason !== null)(`a keychain that is locked${why}`, () => {
  test.for(["locked", "fresh"] as const)(
    "(%s) neither stores nor returns secrets, and is not reported as empty",
    async (kind) => {
      const keyring = await startSecretService(kind === "locked" ? "unlocked" : "fresh");
      try {
        const folder = kind === "locked" ? makeConfigurationFolder() : makeLoggedIn();
        if (kind === "locked") {
          await login(keyring, folder, run);
          keyring.lock();
        }
        const before = folder.text();
        const again = await login(keyring, folder, run);
        expect([again.code, again.stdout]).toEqual([2, ""]);
        expect(again.stderr).toContain("grantctl: the keychain cannot be used: ");
        expect(again.stderr).toContain("hint: If it is locked, unlock it");
        const list = await run(["grant", "list"], keyring, folder);
        expect([list.code, list.stdout]).toEqual([4, ""]);
        expect(list.stderr).toContain("the keychain cannot be used");
        const status = await run(["auth", "status"], keyring, folder);
        expect([status.code, status.stdout]).toEqual([
          4,
          expect.stringContaining("the keychain cannot be used"),
        ]);
        const logout = await run(["auth", "logout"], keyring, folder);
        expect([logout.code, logout.stderr]).toEqual([
          2,
          expect.stringContaining("the keychain cannot be used"),
        ]);
        expectNoFallback(folder, before);
      } finally {
        await keyring.close();
      }
    },
  );
});

describe("a keychain that is absent", () => {
  test.skipIf(reason !== null).each([
    ["without a session", {}],
    ["with a session that is gone", { DBUS_SESSION_BUS_ADDRESS: "unix:path=/nonexistent/bus" }],
  ])(`%s is reported${why}`, async (_, environment) => {
    await expectAbsent(environment, /no keychain is available: /);
  });

  test.skipIf(reason !== null)(`in a session without a Secret Service is reported${why}`, async () => {
    const keyring = await startSecretService("none");
    try {
      await expectAbsent(keyring.environment, /no keychain is available: .*org\.freedesktop\.secrets/);
    } finally {
      await keyring.close();
    }
  });
});

describe.skipIf(reason !== null)(`a keychain that hangs${why}`, () => {
  let keyring: SecretService;
  beforeAll(async () => {
    keyring = await startSecretService("unlocked");
    keyring.keyring?.kill("SIGSTOP");
  });
  afterAll(() => keyring.close());

  /** The running helpers of this session. */
  function helpers(): readonly string[] {
    return readdirSync("/proc").filter((pid) => {
      try {
        return (
          /^\d+$/.test(pid) &&
          readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("keychain-helper") &&
          readFileSync(`/proc/${pid}/environ`, "utf8").includes(keyring.environment["HOME"] ?? "")
        );
      } catch {
        return false;
      }
    });
  }

  test("makes every command give up after ten seconds, with no process left", async () => {
    const folder = makeLoggedIn();
    const before = folder.text();
    const [loggedIn, list, status, logout] = await Promise.all([
      timed(login(keyring, folder, runReally)),
      timed(runReally(["grant", "list"], keyring, folder)),
      timed(runReally(["auth", "status"], keyring, folder)),
      timed(runReally(["auth", "logout"], keyring, folder)),
    ]);
    expect([loggedIn.code, list.code, status.code, logout.code]).toEqual([2, 4, 4, 2]);
    for (const { stdout, stderr, seconds } of [loggedIn, list, status, logout]) {
      expect(stdout + stderr).toContain("the keychain cannot be used: its helper took longer than 10 s");
      expect(seconds).toBeGreaterThan(9.9);
    }
    expectNoFallback(folder, before);
    expect(helpers()).toEqual([]);
  });
});
