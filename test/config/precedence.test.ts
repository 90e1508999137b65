// Precedence of every setting (flag, environment, profile, default), observed in the requests that the server gets or
// in the output.
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openAccount } from "../support/account.ts";
import { makeConfigurationFolder } from "../support/configuration.ts";
import { credentialsOf, startRecordingServer } from "../support/recording-server.ts";
import { makeFolder } from "../support/state-folder.ts";
import { runMain } from "../support/test-host.ts";

const ids = ["flag", "environment", "profile"].map((name) => name.padEnd(20, "0"));
const [idOfFlag = "", idOfEnvironment = "", idOfProfile = ""] = ids;

interface Said {
  readonly flags?: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly profile: Readonly<Record<string, string>>;
}

/** Each setting: its value in each source, the command, and the observed result. */
const settings: readonly (readonly [
  name: string,
  said: Said,
  words: readonly string[],
  seen: Readonly<Record<string, string>>,
])[] = [
  [
    "the user name",
    {
      flags: ["--username", "flag"],
      environment: { GRANTCTL_USERNAME: "environment" },
      profile: { username: "profile" },
    },
    ["grant", "list"],
    { flag: "Basic flag:x", environment: "Basic environment:x", profile: "Basic profile:x" },
  ],
  [
    "the client ID",
    {
      flags: ["--client-id", idOfFlag],
      environment: { GRANTCTL_CLIENT_ID: idOfEnvironment },
      profile: { client_id: idOfProfile },
    },
    ["token", "check"],
    {
      flag: `Basic ${idOfFlag}:y`,
      environment: `Basic ${idOfEnvironment}:y`,
      profile: `Basic ${idOfProfile}:y`,
    },
  ],
  [
    "the one-time password command",
    {
      environment: { GRANTCTL_OTP_COMMAND: "echo 222222" },
      profile: { otp_command: "echo 333333" },
    },
    ["grant", "list", "--username", "octavia"],
    { environment: "222222", profile: "333333" },
  ],
  [
    "the header word",
    {
      environment: { GRANTCTL_HEADER_WORD: "Environment" },
      profile: { header_word: "Profile" },
    },
    ["grant", "list", "--username", "octavia", "--otp", "444444"],
    {
      environment: "x-environment-otp",
      profile: "x-profile-otp",
      default: "x-service-otp",
    },
  ],
];

describe("precedence of settings", () => {
  test.each(settings)(
    "%s: takes the first that is set of flag, environment, profile and default",
    async (_, said, words, seen) => {
      for (const places of [
        "flag environment profile",
        "environment profile",
        "profile",
        "",
        "flag",
        "flag profile",
      ]) {
        const [winner = "default"] = places.split(" ").filter((place) => place !== "");
        if (!(winner in seen)) continue;
        const has = (place: string): boolean => places.includes(place);
        const server = await startRecordingServer(({ headers }) => {
          const [word] = Object.keys(headers).flatMap((name) => /^x-(.*)-otp$/.exec(name)?.[1] ?? []);
          return word === undefined
            ? {
                status: 401,
                body: {},
                headers: Object.fromEntries(
                  ["Flag", "Environment", "Profile", "Service"].map((name) => [
                    `X-${name}-OTP`,
                    "required; app",
                  ]),
                ),
              }
            : { status: 200, body: [] };
        });
        const { environment } = makeConfigurationFolder({
          profiles: { default: { base_url: server.root, ...(has("profile") ? said.profile : {}) } },
        });
        // An empty variable counts as unset.
        const emptyVariables = Object.fromEntries(Object.keys(said.environment).map((name) => [name, ""]));
        await runMain([...words, ...(has("flag") ? (said.flags ?? []) : [])], {
          environment: {
            ...environment,
            GRANTCTL_PASSWORD: "x",
            GRANTCTL_CLIENT_SECRET: "y",
            ...(has("environment") ? said.environment : emptyVariables),
          },
          input: "0123456789abcdef0123456789abcdef01234567",
        });
        const arrived = server.requests.flatMap((request) => [
          credentialsOf(request),
          ...Object.entries(request.headers).flatMap(([name, value]) =>
            /^x-.*-otp$/.test(name) ? [name, String(value)] : [],
          ),
        ]);
        const known = new Set(arrived.filter((text) => Object.values(seen).includes(text)));
        expect([places, ...known]).toEqual([places, seen[winner]]);
      }
    },
  );

  test("base URL: flag, environment, profile; an empty value counts as unset", async () => {
    const [flag, environment, profile] = await Promise.all([
      startRecordingServer(),
      startRecordingServer(),
      startRecordingServer(),
    ]);
    const servers = [flag, environment, profile];
    const folder = makeConfigurationFolder({ profiles: { default: { base_url: profile.root } } });
    for (const [index, [flags, variables]] of (
      [
        [["--base-url", flag.root], { GRANTCTL_BASE_URL: environment.root }],
        [["--base-url", ""], { GRANTCTL_BASE_URL: environment.root }],
        [["--base-url", ""], { GRANTCTL_BASE_URL: "" }],
      ] as const
    ).entries()) {
      await runMain(["grant", "list", ...flags], {
        environment: { ...folder.environment, GRANTCTL_USERNAME: "o", GRANTCTL_PASSWORD: "x", ...variables },
      });
      expect(servers.map(({ requests }) => requests.length)).toEqual(
        [0, 1, 2].map((at) => (at <= index ? 1 : 0)),
      );
    }
  });

  test("password: standard input, variable, command, store", async () => {
    const server = await startRecordingServer(() => ({ status: 200, body: [] }));
    const profile = { base_url: server.root, username: "o" };
    const withCommand = makeConfigurationFolder({
      profiles: { default: { ...profile, password_command: "echo command" } },
    });
    const given = { ...withCommand.environment, GRANTCTL_PASSWORD: "variable" };
    await runMain(["grant", "list", "--password-stdin"], { environment: given, input: "piped\n" });
    await runMain(["grant", "list"], { environment: given, input: "piped\n" });
    await runMain(["grant", "list"], { environment: withCommand.environment, input: "piped\n" });
    expect(server.requests.map(credentialsOf)).toEqual([
      "Basic o:piped",
      "Basic o:variable",
      "Basic o:command",
    ]);
  });
});

describe("profiles", () => {
  const content = {
    default_profile: "second",
    profiles: {
      first: { username: "one", format: "json" },
      second: { username: "two" },
      default: { username: "three" },
    },
  };

  test.each<[string, readonly string[], Readonly<Record<string, string>>, string]>([
    ["the flag's", ["--profile", "first"], { GRANTCTL_PROFILE: "default" }, "one"],
    ["the variable's", [], { GRANTCTL_PROFILE: "first" }, "one"],
    ["the variable's, where the flag is empty", ["--profile", ""], { GRANTCTL_PROFILE: "first" }, "one"],
    ["the file's", [], { GRANTCTL_PROFILE: "" }, "two"],
  ])("%s selects the profile", async (_, flags, variables, username) => {
    const server = await startRecordingServer(() => ({ status: 200, body: [] }));
    const folder = makeConfigurationFolder(content);
    const environment = {
      ...folder.environment,
      GRANTCTL_BASE_URL: server.root,
      GRANTCTL_PASSWORD: "x",
      ...variables,
    };
    expect((await runMain(["grant", "list", ...flags], { environment })).code).toBe(0);
    expect(server.requests.map(credentialsOf)).toEqual([`Basic ${username}:x`]);
  });

  test("uses the default profile if no other is selected", async () => {
    const { environment } = makeConfigurationFolder({ profiles: { default: content.profiles.default } });
    expect((await runMain(["config", "get", "username"], { environment })).stdout).toBe("three\n");
  });

  test("rejects a profile that does not exist before it sends anything, wherever it was named", async () => {
    const server = await startRecordingServer();
    const folder = makeConfigurationFolder(content);
    for (const [flags, variables] of [
      [["--profile", "none"], {}],
      [[], { GRANTCTL_PROFILE: "none" }],
    ] as const) {
      const run = await server.run(["grant", "list", ...flags], {
        environment: { ...folder.environment, ...variables },
      });
      expect([run.code, run.stderr]).toEqual([
        2,
        expect.stringContaining("there is no profile named none; existing profiles: first, second, default"),
      ]);
    }
    expect(server.requests).toEqual([]);
  });

  test("accepts the name of the default profile even if it is not configured", async () => {
    const server = await startRecordingServer(() => ({ status: 200, body: [] }));
    const folder = makeConfigurationFolder({ profiles: {} });
    for (const [flags, variables] of [
      [["--profile", "default"], {}],
      [[], { GRANTCTL_PROFILE: "default" }],
    ] as const) {
      const run = await server.run(["grant", "list", ...flags], {
        environment: { ...folder.environment, ...variables },
      });
      expect([run.code, run.stderr]).toEqual([0, ""]);
    }
  });

  test("flags and the environment override a profile's format", async () => {
    const server = await startRecordingServer(() => ({ status: 200, body: [] }));
    const { environment } = makeConfigurationFolder({
      profiles: { default: { base_url: server.root, format: "csv" } },
    });
    const run = async (...flags: string[]): Promise<string> =>
      (await runMain(["config", "list", ...flags], { environment })).stdout;
    expect(await run()).toMatch(/^PROFILE,KEY,VALUE/i);
    expect(await run("--json")).toMatch(/^\[/);
    expect(await run("--format", "tsv")).toMatch(/^default\t/);
  });

  test.each(["table", "json"])("prints a token's value bare with a format of %s", async (format) => {
    const account = await openAccount();
    try {
      const folder = makeConfigurationFolder({ profiles: { default: { format } } });
      const environment = { ...account.environment, ...folder.environment };
      const created = await runMain(["authorization", "create", "--note", "n"], { environment });
      expect(created.stdout).toMatch(/^[0-9a-f]{40}\n$/);
      const [first] = account.sandbox.description.tokens;
      const reset = await runMain(["token", "reset", "--yes"], { environment, input: first?.token ?? "" });
      expect(reset.stdout).toMatch(/^[0-9a-f]{40}\n$/);
      const asked = await runMain(["authorization", "create", "--note", "m", "--json", "token"], {
        environment,
      });
      expect(JSON.parse(asked.stdout)).toEqual({ token: expect.stringMatching(/^[0-9a-f]{40}$/) });
    } finally {
      await account.sandbox.close();
    }
  });

  test("reads certificates from the profile, names it in messages, and lets flags override them", async () => {
    const missing = join(makeFolder(), "none.pem");
    const { environment } = makeConfigurationFolder({
      profiles: { default: { base_url: "https://127.0.0.1:1", username: "o", ca_cert: missing } },
    });
    const variables = { ...environment, GRANTCTL_PASSWORD: "x" };
    const byProfile = await runMain(["grant", "list"], { environment: variables });
    expect([byProfile.code, byProfile.stderr]).toEqual([
      2,
      expect.stringContaining(`the profile's ca_cert: cannot read ${missing}`),
    ]);
    const byFlag = await runMain(["grant", "list", "--ca-cert", `${missing}.flag`], {
      environment: variables,
    });
    expect(byFlag.stderr).toContain(`--ca-cert: cannot read ${missing}.flag`);
  });
});
