// The data folder: private, used by one process at a time, the same after a restart, and without secrets in its store.
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import Libsql from "libsql";
import { expect, onTestFinished, test } from "vitest";
import { SandboxUnavailable } from "../../src/sandbox/sandbox.ts";
import { openStore } from "../../src/sandbox/store/store.ts";
import { makeFolder } from "../support/state-folder.ts";
import { authorizationOf, authorizationsOf } from "./resource-shapes.ts";
import { bundleSandboxProgram, startSandboxProcess } from "./sandbox-process.ts";
import { basic, sendBytes, startTestSandbox } from "./sandbox-client.ts";

/** True if the bytes contain a secret as text or, if it is hexadecimal, in binary. */
function isIn(bytes: Buffer, secret: string): boolean {
  return (
    bytes.includes(secret) || (/^[0-9a-f]{40}$/.test(secret) && bytes.includes(Buffer.from(secret, "hex")))
  );
}

test("folder and files are private, whatever the umask", async () => {
  const dataFolder = join(makeFolder(), "new", "da ta?#%41");
  const umask = process.umask(0);
  onTestFinished(() => void process.umask(umask));
  const sandbox = await startTestSandbox({ dataFolder });
  await sandbox.asAccount("POST", "/authorizations", { note: "n" });
  expect(statSync(dataFolder).mode & 0o777).toBe(0o700);
  const modes = readdirSync(dataFolder).map((name) => [name, statSync(join(dataFolder, name)).mode & 0o777]);
  expect(modes).toEqual([
    ["credentials.json", 0o600],
    ["sandbox.db", 0o600],
    ["sandbox.db-wal", 0o600],
  ]);
  await sandbox.close();
  expect(readdirSync(dataFolder)).toEqual(["credentials.json", "sandbox.db"]);
});

test("a restart has the same description without revoked tokens, and ignores the sizes", async () => {
  const dataFolder = makeFolder();
  const first = await startTestSandbox({ dataFolder, otp: "app", authorizations: 8 });
  const { client_id, tokens } = first.description;
  const path = `/applications/${client_id}/tokens`;
  const created = await first.asAccount("POST", "/authorizations", { note: "kept" });
  await first.asApplication("DELETE", `${path}/${tokens[1]?.token}`);
  await first.asApplication("POST", `${path}/${tokens[2]?.token}`);
  const before = await first.asAccount("GET", "/authorizations");
  await first.close();

  const second = await startTestSandbox({ dataFolder, otp: "app", grants: 50, authorizations: 500 });
  expect(second.description).toEqual({
    ...first.description,
    base_url: second.description.base_url,
    otp_command: `print-code ${second.description.base_url}`,
    tokens: tokens.filter((_, index) => index !== 1 && index !== 2),
  });
  // The key in the URL is new.
  const after = await second.asAccount("GET", "/authorizations");
  expect(after.text.replaceAll(second.description.base_url, first.description.base_url)).toBe(before.text);
  const { token } = authorizationOf(created);
  const user = await second.send("GET", "/user", { headers: { Authorization: `token ${token}` } });
  expect(user.status).toBe(200);
});

test("the store contains no secret", async () => {
  const dataFolder = makeFolder();
  const sandbox = await startTestSandbox({ dataFolder, otp: "app", authorizations: 40 });
  const { password, totp_secret, applications, tokens, client_id } = sandbox.description;
  const created = authorizationOf(await sandbox.asAccount("POST", "/authorizations", { note: "n" }));
  const reset = await sandbox.asApplication("POST", `/applications/${client_id}/tokens/${tokens[0]?.token}`);
  const secrets = [
    password,
    totp_secret ?? "",
    ...applications.map(({ client_secret }) => client_secret),
    ...tokens.map(({ token }) => token),
    created.token,
    authorizationOf(reset).token,
  ];
  const search = (): string[] =>
    readdirSync(dataFolder)
      .filter((name) => name.startsWith("sandbox.db"))
      .map((name) => readFileSync(join(dataFolder, name)))
      .flatMap((bytes) => secrets.filter((secret) => isIn(bytes, secret)));
  const inStore = readFileSync(join(dataFolder, "sandbox.db-wal")).includes(client_id);
  expect(inStore, "the search would find what is there").toBe(true);
  expect(search()).toEqual([]);
  await sandbox.close();
  expect(search()).toEqual([]);
  const saved = readFileSync(join(dataFolder, "credentials.json"), "utf8");
  expect(saved).not.toContain(created.token);
  expect(saved).not.toContain(authorizationOf(reset).token);
});

test("one process at a time uses a folder; a killed one releases it", async () => {
  const dataFolder = makeFolder();
  const program = await bundleSandboxProgram(makeFolder());
  const owner = startSandboxProcess(program, dataFolder);
  onTestFinished(owner.kill);
  const description = await owner.ready;
  await expect(startTestSandbox({ dataFolder })).rejects.toThrow(
    new SandboxUnavailable(`another sandbox is using ${join(dataFolder, "sandbox.db")}`),
  );
  await owner.kill();
  const next = await startTestSandbox({ dataFolder });
  expect(next.description.password).toBe(description?.password);
  const late = startSandboxProcess(program, dataFolder);
  onTestFinished(late.kill);
  expect(await late.ready).toEqual({
    unavailable: expect.stringMatching(/^another sandbox is using /) as unknown,
  });
});

test("one sandbox at a time uses a folder within a process", async () => {
  const dataFolder = makeFolder();
  const first = await startTestSandbox({ dataFolder });
  await expect(startTestSandbox({ dataFolder })).rejects.toThrow(SandboxUnavailable);
  expect((await first.asAccount("POST", "/authorizations", { note: "n" })).status).toBe(201);
  await first.close();
  for (const length of [7, 7, 7]) {
    const again = await startTestSandbox({ dataFolder });
    expect(authorizationsOf(await again.asAccount("GET", "/authorizations"))).toHaveLength(length);
    await again.close();
  }
});

test("a failed start releases the folder", async () => {
  const dataFolder = makeFolder();
  const other = await startTestSandbox();
  const port = Number(new URL(other.description.base_url).port);
  await expect(startTestSandbox({ dataFolder, port })).rejects.toThrow(/is taken/);
  const sandbox = await startTestSandbox({ dataFolder });
  expect((await sandbox.asAccount("GET", "/authorizations")).status).toBe(200);
});

test("an unusable folder is named in the message and not changed", async () => {
  const folder = makeFolder();
  const make = (name: string): string => {
    mkdirSync(join(folder, name));
    return join(folder, name);
  };
  const garbage = make("garbage");
  writeFileSync(join(garbage, "sandbox.db"), "no database at all ".repeat(100));
  const linked = make("linked");
  symlinkSync(join(folder, "elsewhere"), join(linked, "sandbox.db"));
  writeFileSync(join(folder, "file"), "");
  const withPipe = (name: string): string => {
    const path = make(`pipe-${name}`);
    execFileSync("mkfifo", [join(path, name)]);
    return path;
  };
  const shared = make("shared");
  writeFileSync(join(shared, "other"), "");
  chmodSync(shared, 0o775);
  const sticky = make("sticky");
  chmodSync(sticky, 0o1777);
  for (const [dataFolder, reason] of [
    [garbage, /sandbox\.db is not a sandbox's store$/],
    [linked, /sandbox\.db is a symbolic link$/],
    [join(folder, "file"), /file cannot be used: /],
    [join(folder, "file", "below"), /cannot be used: /],
    ["/proc/x/y/data", /cannot be used: /],
    [withPipe("sandbox.db"), /sandbox\.db is not a file$/],
    [withPipe("sandbox.db-wal"), /sandbox\.db-wal is not a file$/],
    [withPipe("credentials.json"), /credentials\.json is not a file$/],
    [shared, /others can write to the data directory .*chmod go-w /],
    [sticky, /others can write to the data directory .*chmod go-w /],
  ] as const) {
    const failure = await startTestSandbox({ dataFolder }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(SandboxUnavailable);
    expect((failure as Error).message).toMatch(reason);
    expect((failure as Error).message).not.toContain("\n");
  }
  expect(readFileSync(join(garbage, "sandbox.db"), "utf8")).toMatch(/^no database/);
  expect(readdirSync(folder)).not.toContain("elsewhere");
  expect([statSync(shared).mode & 0o7777, statSync(sticky).mode & 0o7777]).toEqual([0o775, 0o1777]);
});

test("a folder that others can write to is made private if it is empty or contains a sandbox", async () => {
  const dataFolder = makeFolder();
  for (let start = 0; start < 2; start += 1) {
    chmodSync(dataFolder, 0o777);
    const sandbox = await startTestSandbox({ dataFolder });
    expect(statSync(dataFolder).mode & 0o777).toBe(0o700);
    await sandbox.close();
  }
});

test.each([
  ["missing", (file: string) => rmSync(file)],
  ["damaged", (file: string) => writeFileSync(file, '{"username":"octavia"}')],
  ["damaged", (file: string) => writeFileSync(file, "{")],
])("a store whose credentials are %s is not started", async (problem, spoil) => {
  const dataFolder = makeFolder();
  const sandbox = await startTestSandbox({ dataFolder });
  await sandbox.close();
  spoil(join(dataFolder, "credentials.json"));
  await expect(startTestSandbox({ dataFolder })).rejects.toThrow(`credentials.json is ${problem}`);
});

test("a public store file is made private", async () => {
  const dataFolder = makeFolder();
  const sandbox = await startTestSandbox({ dataFolder });
  await sandbox.close();
  chmodSync(join(dataFolder, "sandbox.db"), 0o644);
  await startTestSandbox({ dataFolder });
  expect(statSync(join(dataFolder, "sandbox.db")).mode & 0o777).toBe(0o600);
});

test("a store of 0.1.0 is upgraded and keeps its contents", async () => {
  const dataFolder = makeFolder();
  const sandbox = await startTestSandbox({ dataFolder });
  const before = await sandbox.asAccount("GET", "/authorizations");
  await sandbox.close();
  const store = new Libsql(join(dataFolder, "sandbox.db"));
  store.exec(`
    CREATE TABLE organizations (id INTEGER PRIMARY KEY, login TEXT NOT NULL UNIQUE, name TEXT NOT NULL, enforces_sso INTEGER NOT NULL);
    INSERT INTO organizations VALUES (4711, 'harbourworks', 'Harbour Works', 0), (4712, 'lanternfish', 'Lanternfish Search', 1),
      (4713, 'tidewatch', 'Tidewatch', 1);
    DROP TABLE approvals;
    CREATE TABLE approvals (
      authorization_id INTEGER NOT NULL REFERENCES authorizations (id) ON DELETE CASCADE,
      organization_id INTEGER NOT NULL REFERENCES organizations (id),
      approved_at INTEGER NOT NULL,
      PRIMARY KEY (authorization_id, organization_id)
    );
    INSERT INTO approvals VALUES (1, 4712, 1767225600);
    ALTER TABLE authorizations DROP COLUMN expires_at;
    ALTER TABLE authorizations DROP COLUMN refreshes;
    PRAGMA user_version = 2;
  `);
  store.close();

  const again = await startTestSandbox({ dataFolder });
  expect(again.description.organizations).toEqual(sandbox.description.organizations);
  const after = await again.asAccount("GET", "/authorizations");
  expect(after.text.replaceAll(again.description.base_url, sandbox.description.base_url)).toBe(before.text);
  expect((await again.asToken("GET", "/orgs/lanternfish/members")).status).toBe(200);
  await again.close();
  const reopened = openStore(join(dataFolder, "sandbox.db"));
  for (const { id } of again.description.organizations) reopened.approvals.add(1, id, 1_767_225_601);
  await reopened.settled();
  expect([4712, 4713].map((id) => reopened.approvals.has(1, id))).toEqual([true, true]);
  reopened.close();
});

test("a store of 0.2.0 is upgraded and keeps its contents", async () => {
  const dataFolder = makeFolder();
  const sandbox = await startTestSandbox({ dataFolder, operator: "github" });
  const before = await sandbox.asAccount("GET", "/authorizations");
  await sandbox.close();
  const store = new Libsql(join(dataFolder, "sandbox.db"));
  store.exec("ALTER TABLE authorizations DROP COLUMN refreshes; PRAGMA user_version = 4;");
  store.close();
  const again = await startTestSandbox({ dataFolder, operator: "github" });
  const after = await again.asAccount("GET", "/authorizations");
  expect(after.text.replaceAll(again.description.base_url, sandbox.description.base_url)).toBe(before.text);
  expect((await again.makePersonalToken("made now")).token).not.toBe("");
});

test("a store of a later version is rejected unchanged", async () => {
  const dataFolder = makeFolder();
  const sandbox = await startTestSandbox({ dataFolder });
  await sandbox.close();
  const store = new Libsql(join(dataFolder, "sandbox.db"));
  store.exec("PRAGMA user_version = 99;");
  store.close();
  await expect(startTestSandbox({ dataFolder })).rejects.toThrow(/the store is of version 99, /);
});

test("requests of one connection are processed in order, even while a password is verified", async () => {
  const dataFolder = join(makeFolder(), "data");
  const seeded = await startTestSandbox({ dataFolder });
  await seeded.close();
  // After a restart no password is cached, so verifying one takes longer than finding a token.
  const { description } = await startTestSandbox({ dataFolder });
  const { base_url, username, password, tokens } = description;
  const [first] = tokens;
  const requests = [
    ["DELETE", `/authorizations/${first?.id}`, basic(username, password).Authorization],
    ["GET", "/user", `token ${first?.token}`],
  ].map(
    ([method, path, authorization], index, all) =>
      `${method} ${path} HTTP/1.1\r\nHost: localhost\r\nUser-Agent: t\r\nAuthorization: ${authorization}\r\n${
        index + 1 === all.length ? "Connection: close\r\n" : ""
      }\r\n`,
  );
  const received = await sendBytes(base_url, requests.join(""));
  expect(received.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 204", "HTTP/1.1 401"]);
});
