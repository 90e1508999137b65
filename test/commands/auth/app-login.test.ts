// `grantctl auth login --app`: verifies a client secret with an active token and stores it apart from the account's.
import { PassThrough } from "node:stream";
import { describe, expect, test } from "vitest";
import { main } from "../../../src/main.ts";
import { makeConfigurationFolder } from "../../support/configuration.ts";
import { startRecordingServer, type Answer } from "../../support/recording-server.ts";
import { createTestHost } from "../../support/test-host.ts";
import { clientId, clientSecret, run, login } from "./logins.ts";

const appWords = (root: string): string[] =>
  `auth login --app --store file --base-url ${root} --client-id ${clientId}`.split(" ");

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
            hashed_token: null,
            created_at: "2020-01-01T00:00:00Z",
            updated_at: "2020-01-01T00:00:00Z",
            fingerprint: null,
            user: { login: "octavia", id: 1 },
          },
        }
      : { status: 404, body: { message: "Not Found" } };
  };
  const environment = { GRANTCTL_CLIENT_SECRET: clientSecret };

  test("is verified with an active token on standard input", async () => {
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
      `deleted the client secret of ${clientId}`,
    );
    expect(folder.names()).toEqual(["config.json"]);
  });

  test.each([
    ["a wrong token", token.replace("0", "f"), environment],
    ["a wrong secret", token, { GRANTCTL_CLIENT_SECRET: "wrong".repeat(8) }],
  ])("with %s is not verified and stores nothing", async (_, input, variables) => {
    const server = await startRecordingServer(knows);
    const folder = makeConfigurationFolder();
    const ended = await run(appWords(server.root), folder, { input, environment: variables });
    expect([ended.code, ended.stdout, folder.names()]).toEqual([3, "", []]);
    for (const word of [token.slice(1), clientSecret, "wrong".repeat(8)])
      expect(ended.stderr).not.toContain(word);
  });

  test("with an invalid token sends nothing", async () => {
    const server = await startRecordingServer(knows);
    const folder = makeConfigurationFolder();
    const ended = await run(appWords(server.root), folder, { input: "a b\nc\n", environment });
    expect([ended.code, server.requests.length, folder.names()]).toEqual([2, 0, []]);
  });

  test("without a token is stored and reported as not verified", async () => {
    const server = await startRecordingServer(knows);
    for (const world of [
      { input: "", environment },
      { input: null, environment },
    ]) {
      const folder = makeConfigurationFolder();
      const ended = await run([...appWords(server.root), "--json", "--quiet"], folder, world);
      expect([ended.code, JSON.parse(ended.stdout)]).toEqual([0, expect.objectContaining({ proven: false })]);
      expect(ended.stderr).toContain("warning: the client secret is not verified");
    }
    const piped = await run([...appWords(server.root), "--client-secret-stdin"], makeConfigurationFolder(), {
      input: `${clientSecret}\n`,
    });
    expect([piped.code, piped.stderr]).toEqual([0, expect.stringContaining("is not verified")]);
    expect(server.besidesMeta()).toEqual([]);
  });

  test("does not wait forever for a token on an idle pipe", async () => {
    const server = await startRecordingServer(knows);
    const folder = makeConfigurationFolder();
    const recorded = createTestHost({
      argv: appWords(server.root),
      environment: { ...folder.environment, ...environment },
    });
    const started = performance.now();
    const code = await main({ ...recorded.host, stdin: { stream: new PassThrough(), isTerminal: false } });
    expect(performance.now() - started).toBeGreaterThan(4900);
    expect([code, recorded.stderr()]).toEqual([0, expect.stringContaining("is not verified")]);
  });

  test("in its own profile is the only secret that logout of that profile deletes", async () => {
    const server = await startRecordingServer((request, position) =>
      request.path.includes("/tokens/") ? knows(request, position) : { status: 200, body: [] },
    );
    const folder = makeConfigurationFolder();
    const kinds = (): readonly string[] =>
      (folder.content() as { stored_secrets: { kind: string }[] }).stored_secrets.map(({ kind }) => kind);
    await login(server.root, folder, ["--store", "file", "--profile", "person"]);
    const inApp = ["--profile", "app"];
    await run([...inApp, ...appWords(server.root)], folder, { input: token, environment });
    expect(kinds()).toEqual(["password", "client-secret"]);
    expect((await run([...inApp, "auth", "logout"], folder)).stderr).not.toContain("password");
    expect(kinds()).toEqual(["password"]);
  });

  test("and the account's login do not affect each other", async () => {
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
