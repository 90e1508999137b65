// `auth login --app`, `doctor` and `api` with `--server-type oauth`: the metadata is read without credentials, the
// credentials are verified with a fictitious token, and a login for another operator reports the type of the
// server.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeConfigurationFolder } from "../support/configuration.ts";
import { startRecordingServer } from "../support/recording-server.ts";
import { makeFolder } from "../support/state-folder.ts";
import { runMain } from "../support/test-host.ts";
import { startOidcProvider, type OAuthServer } from "./oauth-servers.ts";

function environmentAt({ issuer, own: { id, secret } }: OAuthServer): Readonly<Record<string, string>> {
  return {
    GRANTCTL_BASE_URL: issuer,
    GRANTCTL_CLIENT_ID: id,
    GRANTCTL_CLIENT_SECRET: secret,
    GRANTCTL_SERVER_TYPE: "oauth",
    GRANTCTL_CONFIG_DIR: makeConfigurationFolder().path,
  };
}

async function doctor(
  environment: Readonly<Record<string, string>>,
): Promise<{ readonly code: number; readonly of: (check: string) => unknown }> {
  const { code, stdout } = await runMain(["doctor", "--json"], { environment });
  const findings = JSON.parse(stdout) as readonly { readonly check: string; readonly status: string }[];
  return { code, of: (check) => findings.find((finding) => finding.check === check)?.status };
}

test("auth login --app verifies the credentials, as the profile says how the client authenticates", async () => {
  const server = await startOidcProvider({
    path: "/realms/main",
    own: { id: "odd:id&x", secret: "p%+~ :=/?", auth: "post" },
  });
  const environment = environmentAt(server);
  expect((await runMain(["config", "set", "client_auth", "post"], { environment })).code).toBe(0);
  const done = await runMain(["auth", "login", "--app", "--store", "file"], { environment, input: "" });
  expect([done.code, done.stderr.includes("not verified")]).toEqual([0, false]);
  const { GRANTCTL_CONFIG_DIR } = environment;
  const stored = { GRANTCTL_CONFIG_DIR: GRANTCTL_CONFIG_DIR ?? "" };
  const token = await server.issue("access", server.own);
  const check = await runMain(["token", "check", "--json", "login"], { environment: stored, input: token });
  expect([check.code, JSON.parse(check.stdout)]).toEqual([0, [{ login: "octavia" }]]);
});

test.each([
  ["wrong credentials are not stored", "another", false, 4],
  ["a server that hides its tokens is a warning", "plain-secret", true, 0],
])("auth login --app: %s", async (_, secret, hidesTokens, code) => {
  const server = await startOidcProvider({ hidesTokens });
  const environment = { ...environmentAt(server), GRANTCTL_CLIENT_SECRET: secret };
  const token = await server.issue("access", server.own);
  const proof = join(makeFolder(), "active.txt");
  writeFileSync(proof, token, { mode: 0o600 });
  const login = ["auth", "login", "--app", "--store", "file", "--proof-token-file", proof];
  const done = await runMain(login, { environment });
  expect([done.code, done.stderr.includes("may not show its tokens")]).toEqual([code, hidesTokens]);
  const profile = await runMain(["config", "list"], { environment });
  expect(profile.stdout === "").toBe(code !== 0);
});

test("doctor checks the metadata and the client's credentials", async () => {
  const server = await startOidcProvider();
  const right = await doctor(environmentAt(server));
  expect([right.code, right.of("server type"), right.of("application")]).toEqual([0, "fine", "fine"]);
  const wrong = await doctor({ ...environmentAt(server), GRANTCTL_CLIENT_SECRET: "another" });
  expect([wrong.code, wrong.of("server type"), wrong.of("application")]).toEqual([4, "fine", "wrong"]);
  const elsewhere = await doctor({ ...environmentAt(server), GRANTCTL_BASE_URL: `${server.issuer}/x` });
  expect([elsewhere.code, elsewhere.of("server type")]).toEqual([1, "wrong"]);
});

test("a login for another operator fails with a hint about OAuth 2.0 servers", async () => {
  const { issuer } = await startOidcProvider();
  const login = await runMain(["auth", "login", "--app", "--store", "file", "--base-url", issuer], {
    environment: {
      GRANTCTL_CONFIG_DIR: makeConfigurationFolder().path,
      GRANTCTL_CLIENT_ID: "0123456789abcdef0123",
      GRANTCTL_CLIENT_SECRET: "a secret",
    },
    input: "",
  });
  expect(login.stderr).toContain("--server-type oauth");
});

test.each(["auth login --app --store file", "token check"])(
  "%s with a client ID of another length exits with code 2 and a hint, before any request",
  async (words) => {
    const server = await startRecordingServer(() => ({ status: 404, body: {} }));
    const environment = {
      GRANTCTL_BASE_URL: server.root,
      GRANTCTL_CONFIG_DIR: makeConfigurationFolder().path,
      GRANTCTL_CLIENT_SECRET: "a secret",
    };
    for (const [flags, variable] of [
      [["--client-id", "app"], {}],
      [[], { GRANTCTL_CLIENT_ID: "app" }],
    ] as const) {
      const run = { environment: { ...environment, ...variable }, input: "a-token" };
      const done = await runMain([...words.split(" "), ...flags], run);
      expect([done.code, server.lines()]).toEqual([2, []]);
      expect(done.stderr).toContain("--server-type oauth");
    }
  },
);

test("api sends the client's credentials, and needs no metadata with a token", async () => {
  const server = await startRecordingServer(() => ({ status: 200, body: {} }));
  const environment = {
    ...server.environment,
    GRANTCTL_SERVER_TYPE: "oauth",
    GRANTCTL_TOKEN: "a-token-of-mine",
  };
  const done = await runMain(["api", "/anything"], { environment });
  expect([done.code, server.lines()]).toEqual([0, ["GET /anything"]]);
  expect(server.requests[0]?.headers["authorization"]).toBe("Bearer a-token-of-mine");
});
