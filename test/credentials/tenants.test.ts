// Stored secrets belong to one profile and one base URL: tenants of one host, and profiles of one tenant, with the same
// client ID, are never sent each other's secret, and a logout of one leaves the others.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { accept, makeKeychain } from "../commands/auth/logins.ts";
import { makeConfigurationFolder } from "../support/configuration.ts";
import { credentials, credentialsOf, startRecordingServer } from "../support/recording-server.ts";
import { makeFolder } from "../support/state-folder.ts";
import { runMain } from "../support/test-host.ts";

const { clientId } = credentials;

test.each(["keychain", "file"])("tenants of one host in the %s", async (store) => {
  const server = await startRecordingServer(() => ({ status: 200, body: {} }));
  const keychainHelper = makeKeychain().helper;
  const folder = makeConfigurationFolder();
  const run = (profile: string, words: string, input = ""): ReturnType<typeof runMain> =>
    runMain(["--profile", profile, ...words.split(" ")], {
      environment: { ...folder.environment, GRANTCTL_STATE_DIR: join(makeFolder(), "state") },
      keychainHelper,
      input,
    });
  const logIn = (profile: string, path: string): ReturnType<typeof runMain> => {
    const words = `auth login --app --client-id ${clientId} --client-secret-stdin --store ${store}`;
    return run(profile, `${words} --base-url ${server.root}${path}`, `secret-of-${profile}`);
  };
  for (const [profile, path] of [
    ["one", "/realms/one"],
    ["two", "/realms/two"],
    ["twin", "/realms/two"],
  ] as const)
    expect((await logIn(profile, path)).code).toBe(0);
  const sent = async (profile: string, ...flags: string[]): Promise<readonly string[]> => {
    const before = server.requests.length;
    await run(profile, ["token check", ...flags].join(" "), "0123456789abcdef0123456789abcdef01234567");
    return server.requests
      .slice(before)
      .map((request) => `${credentialsOf(request)} ${request.path.slice(0, 12)}`);
  };
  const basic = (profile: string): string => `Basic ${clientId}:secret-of-${profile}`;
  expect((await sent("one"))[0]).toBe(`${basic("one")} /realms/one/`);
  expect((await sent("two"))[0]).toBe(`${basic("two")} /realms/two/`);
  expect((await sent("twin"))[0]).toBe(`${basic("twin")} /realms/two/`);
  // The other tenant's secret is not even sent by its own profile.
  expect(await sent("one", "--base-url", `${server.root}/realms/two`)).toEqual([]);
  const logout = await run("two", "auth logout");
  expect(logout.stderr).toBe(`deleted the client secret of ${clientId} at ${server.root}/realms/two\n`);
  expect(await sent("two")).toEqual([]);
  expect((await sent("one"))[0]).toContain(basic("one"));
  expect((await sent("twin"))[0]).toContain(basic("twin"));
  expect((await run("twin", "auth logout --forget --app")).code).toBe(2);
  expect((await run("twin", "auth logout --forget")).stderr).toContain("the profile twin is removed\n");
  const { profiles, stored_secrets } = folder.content() as {
    profiles: object;
    stored_secrets: { profile: string }[];
  };
  expect([Object.keys(profiles), stored_secrets.map(({ profile }) => profile)]).toEqual([
    ["one", "two"],
    ["one"],
  ]);
});

test("a secret that nobody verified is stored, and shown as such with the way to verify it", async () => {
  const server = await startRecordingServer(() => ({ status: 200, body: {} }));
  const folder = makeConfigurationFolder();
  const run = (words: string, input = "", columns: number | null = null): ReturnType<typeof runMain> =>
    runMain(words.split(" "), { environment: folder.environment, input, columns });
  await run(
    `auth login --app --client-id ${clientId} --client-secret-stdin --store file --base-url ${server.root}`,
    "hunter2",
  );
  expect((await run("auth status")).stdout).toContain("client_secret\tnot verified\tfile\n");
  const { stdout } = await run("auth status", "", 120);
  expect(stdout).toContain(`credentials for the application ${clientId} at ${server.root}, not verified\n`);
  expect(stdout).toMatch(/the client secret is not verified; run `grantctl auth login --app < active.txt`/);
  const doctor = await run("doctor --json check,detail,fix");
  expect(JSON.parse(doctor.stdout)).toContainEqual({
    check: "stored secret",
    detail: `the client secret of ${clientId} at ${server.root} is not verified`,
    fix: expect.stringContaining("grantctl auth login --app < active.txt") as string,
  });
  // A list that grantctl did not write is refused, with the way out.
  writeFileSync(folder.file, readFileSync(folder.file, "utf8").replace('"name"', '"user"'));
  const refused = await run("auth status");
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("and log in again")]);
});

test("without a keychain, the file is agreed to for each server", async () => {
  const folder = makeConfigurationFolder();
  const logIn = async (root: string, ...flags: string[]): Promise<readonly [number, string]> => {
    const words = `auth login --username octavia --password-stdin --base-url ${root}`.split(" ");
    const run = await runMain([...words, ...flags], { environment: folder.environment, input: "hunter2" });
    return [run.code, run.stderr];
  };
  const agreed = await startRecordingServer(accept);
  const other = await startRecordingServer(accept);
  expect((await logIn(agreed.root))[0]).toBe(2);
  expect((await logIn(agreed.root, "--store", "file"))[0]).toBe(0);
  expect((await logIn(`${agreed.root}/other`))[0]).toBe(0);
  expect(await logIn(other.root)).toEqual([2, expect.stringContaining("--store file")]);
  expect(other.requests).toEqual([]);
});
