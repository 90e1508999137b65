// `grantctl auth list` and `auth switch`: profiles, the default one, and the stored secrets of each.
import { expect, test } from "vitest";
import { makeConfigurationFolder } from "../../support/configuration.ts";
import { runMain } from "../../support/test-host.ts";

const configured = {
  default_profile: "work",
  profiles: {
    work: { base_url: "https://ghe.example.com/api/v3", username: "octavia", server_type: "github" },
    app: { base_url: "https://api.github.com", client_id: "0123456789abcdef0123" },
    empty: {},
  },
  stored_secrets: [
    {
      profile: "work",
      base_url: "https://ghe.example.com/api/v3",
      kind: "password",
      name: "octavia",
      store: "file",
    },
    {
      profile: "work",
      base_url: "https://ghe.example.com/api/v3",
      kind: "token",
      name: "somebody else",
      store: "keychain",
    },
  ],
};

test("auth list shows the server, user and secret stores of each profile", async () => {
  const { environment } = makeConfigurationFolder(configured);
  const run = await runMain(["auth", "list", "--json"], { environment });
  expect(run.code).toBe(0);
  const none = { base_url: null, server_type: null, username: null, client_id: null };
  expect(JSON.parse(run.stdout)).toEqual([
    {
      ...none,
      profile: "work",
      default: true,
      base_url: "https://ghe.example.com/api/v3",
      server_type: "github",
      username: "octavia",
    },
    {
      ...none,
      profile: "app",
      default: false,
      base_url: "https://api.github.com",
      client_id: "0123456789abcdef0123",
    },
    { ...none, profile: "empty", default: false },
  ]);
  const other = await runMain(
    ["auth", "list", "--profile", "app", "--jq", ".[] | select(.default).profile"],
    {
      environment,
    },
  );
  expect(other.stdout).toBe("app\n");
});

test("auth list prints an empty list without a configuration", async () => {
  const { environment } = makeConfigurationFolder();
  expect(await runMain(["auth", "list"], { environment })).toMatchObject({ code: 0, stdout: "" });
});

test("auth switch sets the default profile and leaves the others unchanged", async () => {
  const folder = makeConfigurationFolder(configured);
  const { environment } = folder;
  expect(await runMain(["auth", "switch", "app"], { environment })).toMatchObject({ code: 0, stdout: "" });
  expect(folder.content()).toEqual({ ...configured, default_profile: "app" });
  const active = await runMain(["auth", "list", "--jq", ".[] | select(.default).profile"], { environment });
  expect(active.stdout).toBe("app\n");
});

test("auth switch to a missing profile exits with code 2 and changes nothing", async () => {
  const folder = makeConfigurationFolder(configured);
  const run = await runMain(["auth", "switch", "nosuch"], { environment: folder.environment });
  expect(run.code).toBe(2);
  expect(run.stderr).toContain("work");
  expect(folder.content()).toEqual(configured);
});

test("auth switch replaces a missing default and reports that GRANTCTL_PROFILE takes precedence", async () => {
  const folder = makeConfigurationFolder({ ...configured, default_profile: "gone" });
  const run = await runMain(["auth", "switch", "work"], {
    environment: { ...folder.environment, GRANTCTL_PROFILE: "app" },
  });
  expect(run.code).toBe(0);
  expect(run.stderr).toContain("GRANTCTL_PROFILE");
  expect(folder.content()).toEqual(configured);
});
