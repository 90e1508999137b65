// `grantctl auth login` with a keychain, a second factor, and others at the same time; the rest is in scripts (login.txt,
// auth.txt, secrets.txt).
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { toBaseUrl } from "../../../src/config/setting-forms.ts";
import { test } from "../../support/grantctl.ts";
import { makeHelper, makeKeychain } from "../../credentials/keychain.ts";
import { json, on } from "../../support/serve.ts";

const accepted = [
  on("GET /meta", json(404, { message: "Not Found" })),
  on("GET /applications/grants", json(200, [])),
];

function configurationIn(folder: string) {
  const text = readFileSync(join(folder, "config", "config.json"), "utf8");
  return JSON.parse(text) as { stored_secrets?: { profile: string; store: string; kind: string }[] };
}

test("a keychain has the secret, a later run uses it, and another store gets no second copy", async ({
  serve,
  grantctl,
  environment,
  folder,
}) => {
  const server = await serve(...accepted);
  const keychain = makeKeychain(folder);
  const world = { keychainHelper: keychain.helper };
  const login = await grantctl("auth login", { world });
  expect([login.code, login.stderr]).toEqual([0, expect.stringContaining("is stored in the keychain\n")]);
  const entry = { [`grantctl:default:${server.root} password:octavia`]: environment["GRANTCTL_PASSWORD"] };
  expect(keychain.entries()).toEqual(entry);
  expect(readdirSync(join(folder, "config"))).toEqual(["config.json"]);
  const without = { GRANTCTL_PASSWORD: undefined };
  expect((await grantctl("grant list", { world, environment: without })).code).toBe(0);
  expect((await grantctl("auth login --store file", { world })).code).toBe(0);
  expect(keychain.entries()).toEqual({});
  expect((await grantctl("auth login", { world })).code).toBe(0);
  expect(keychain.entries()).toEqual(entry);
  expect(readFileSync(join(folder, "config", "credentials.json"), "utf8")).toBe("[]\n");
  expect((await grantctl("auth logout", { world })).stderr).toContain("deleted the password of octavia");
  expect(keychain.entries()).toEqual({});
});

test("a keychain that does not work is said before anything is sent, and is no reason for another store", async ({
  serve,
  grantctl,
  folder,
}) => {
  const server = await serve();
  const helper = makeHelper(folder, `reply({ isAbsent: false, reason: "it is asleep" })`);
  const world = { keychainHelper: helper };
  for (const flags of ["", " --store keychain"]) {
    const run = await grantctl(`auth login${flags}`, { world });
    expect(run.code).toBe(2);
    expect(run.stderr).toContain("the keychain cannot be used: it is asleep");
    expect(run.stderr).toContain("hint: If it is locked, unlock it and try again, or run `grantctl");
  }
  expect([server.requests, readdirSync(join(folder, "config"))]).toEqual([[], []]);
});

test("a second factor is asked for at login, and no code is stored", async ({ serve, grantctl, folder }) => {
  await serve(
    on("GET /meta", json(404, { message: "Not Found" })),
    on("GET /applications/grants", json(401, {}, { "X-Service-OTP": "required; app" }), json(200, [])),
  );
  const run = await grantctl("auth login --store file", {
    environment: { GRANTCTL_OTP_COMMAND: "echo 123456" },
  });
  expect(run.code).toBe(0);
  const files = readdirSync(join(folder, "config")).map((name) =>
    readFileSync(join(folder, "config", name), "utf8"),
  );
  expect(files.join("\n")).not.toContain("123456");
});

test("six logins at the same time lose nothing", async ({ serve, grantctl, folder }) => {
  await serve(...accepted);
  const names = ["a", "b", "c", "d", "e", "f"];
  const runs = await Promise.all(
    names.map((name) =>
      grantctl(`--profile ${name} auth login --store file --username u${name} --password-stdin`, {
        input: `secret-of-${name}\n`,
      }),
    ),
  );
  expect(runs.map(({ code }) => code)).toEqual([0, 0, 0, 0, 0, 0]);
  expect(
    configurationIn(folder)
      .stored_secrets?.map(({ profile }) => profile)
      .toSorted(),
  ).toEqual(names);
  const stored = JSON.parse(readFileSync(join(folder, "config", "credentials.json"), "utf8")) as {
    profile: string;
    secret: string;
  }[];
  expect(stored.map(({ profile, secret }) => `${profile} ${secret}`).toSorted()).toEqual(
    names.map((name) => `${name} secret-of-${name}`),
  );
});

describe("a configuration that cannot be written", () => {
  test.for<[string, (config: string) => void]>([
    ["a file in its place", (config) => writeFileSync(config, "x")],
    [
      "a folder in place of the file",
      (config) => mkdirSync(join(config, "config.json"), { recursive: true }),
    ],
  ])("(%s) is said before anything is sent", async ([, arrange], { serve, grantctl, folder }) => {
    const server = await serve();
    rmSync(join(folder, "config"), { recursive: true });
    arrange(join(folder, "config"));
    const run = await grantctl("auth login --store file");
    expect([run.code, server.requests]).toEqual([2, []]);
  });
});

const github = { isGithub: true };
const service = { isGithub: false };
test.for([
  ["ghe.example.com", service, "https://ghe.example.com"],
  ["ghe.example.com:8443/api", service, "https://ghe.example.com:8443/api"],
  ["localhost", service, "https://localhost"],
  ["http://a.test", service, "http://a.test"],
  ["ftp://a.test", service, "ftp://a.test"],
  ["github.com", service, "https://github.com"],
  ["ghe.example.com", github, "https://ghe.example.com/api/v3"],
  ["https://ghe.example.com:8443/", github, "https://ghe.example.com:8443/api/v3"],
  ["HTTPS://GHE.example.com", github, "HTTPS://GHE.example.com/api/v3"],
  ["ghe.example.com/api/v3", github, "https://ghe.example.com/api/v3"],
  ["ghe.example.com/sub", github, "https://ghe.example.com/sub"],
  ["api.ghe.example.com", github, "https://api.ghe.example.com"],
  ["github.com", github, "https://api.github.com"],
  ["https://www.github.com/", github, "https://api.github.com"],
  ["https://api.github.com", github, "https://api.github.com"],
  ["octo-corp.ghe.com", github, "https://api.octo-corp.ghe.com"],
  ["https://octo-corp.ghe.com/", github, "https://api.octo-corp.ghe.com"],
  ["api.octo-corp.ghe.com", github, "https://api.octo-corp.ghe.com"],
  ["http://127.0.0.1:4000", github, "http://127.0.0.1:4000"],
  ["https://user:pw@ghe.example.com", github, "https://user:pw@ghe.example.com"],
  ["https://ghe.example.com?x", github, "https://ghe.example.com?x"],
] as const)("%s, for a server with %o, is %s", ([text, type, wanted]) => {
  expect(toBaseUrl(text, type)).toBe(wanted);
});
