// Commands as sources of secrets: the output of real programs, their environment and input, and the result of a run
// if they fail.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openAccount } from "../support/account.ts";
import { runBinary, writeScript } from "../support/binary.ts";
import { makeConfigurationFolder } from "../support/configuration.ts";
import { credentials, credentialsOf, startRecordingServer } from "../support/recording-server.ts";
import { makeFolder } from "../support/state-folder.ts";
import { runMain } from "../support/test-host.ts";

const { clientId, clientSecret } = credentials;
const token = "0123456789abcdef0123456789abcdef01234567";

/** Writes an executable shell script. */
function makeProgram(script: string): string {
  const path = join(makeFolder(), "program");
  writeScript(path, `#!/bin/sh\n${script}\n`);
  return path;
}

/** Lists grants with this password command. */
async function listWith(command: string, input = "") {
  const server = await startRecordingServer(() => ({ status: 200, body: [] }));
  const folder = makeConfigurationFolder({
    profiles: { default: { base_url: server.root, username: "octavia", password_command: command } },
  });
  const run = await runBinary(["grant", "list"], { environment: folder.environment, input });
  return { ...run, sent: server.requests.map(credentialsOf) };
}

describe.skipIf(process.platform === "win32")("a password command", () => {
  test.each<[string, string, string]>([
    [
      "a password and notes, as pass does",
      `printf 'hunter2\\nuser: octavia\\nurl: https://x.test\\n'`,
      "hunter2",
    ],

    ["its words as they were given", `printf '%s|' "$@"`, "a b|$HOME|*|"],
  ])("that prints %s gives the exact password", async (_, script, password) => {
    const run = await listWith(`${makeProgram(script)} 'a b' '$HOME' '*'`);
    expect(run).toMatchObject({ code: 0, stderr: "", sent: [`Basic octavia:${password}`] });
  });

  test.each<[string, string, number, string]>([
    ["prints bytes that are no UTF-8", `printf 'hunter2\\377'`, 4, "not UTF-8"],
    ["prints a NUL", `printf 'hunter2\\000x'`, 2, "control character"],
    ["prints an escape", `printf 'hunter2\\033[2J'`, 2, "control character"],
    ["fails", "echo hunter2; exit 7", 4, "exited with code 7"],
  ])("that %s is named, and nothing is sent", async (_, script, code, says) => {
    const run = await listWith(makeProgram(script));
    expect([run.code, run.stdout, run.sent]).toEqual([code, "", []]);
    expect(run.stderr).toContain(says);
    expect(run.stderr).not.toContain("hunter2");
    expect(run.stderr).not.toContain("\u001b");
  });

  test("writes to the terminal's standard error unchanged", async () => {
    const run = await listWith(makeProgram("echo 'touch your key' >&2; echo hunter2"));
    expect(run).toMatchObject({ code: 0, stderr: "touch your key\n" });
  });

  test("does not inherit standard input, which may belong to a surrounding loop", async () => {
    expect(await listWith("cat", "hunter2\n")).toMatchObject({ code: 4, sent: [] });
  });

  test("is run once for any number of requests", async () => {
    const mark = join(makeFolder(), "runs");
    const account = await openAccount({ grants: 250 });
    try {
      const { base_url, username, password } = account.sandbox.description;
      const folder = makeConfigurationFolder({
        profiles: {
          default: {
            base_url,
            username,
            password_command: makeProgram(`echo x >> ${mark}; echo '${password}'`),
          },
        },
      });
      expect((await runMain(["grant", "list"], { environment: folder.environment })).code).toBe(0);
      expect(spawnSync("wc", ["-l", mark]).stdout.toString()).toMatch(/^1 /);
    } finally {
      await account.sandbox.close();
    }
  });
});

describe.skipIf(process.platform === "win32")("a client secret command", () => {
  test.each([
    ["that reads all it can", `cat >/dev/null; echo ${clientSecret}`, 1],
    ["that prints what it reads", "cat", 0],
  ])("%s does not consume the tokens on standard input", async (_, script, requests) => {
    const server = await startRecordingServer(() => ({ status: 404, body: { message: "Not Found" } }));
    const folder = makeConfigurationFolder({
      profiles: {
        default: { base_url: server.root, client_id: clientId, client_secret_command: makeProgram(script) },
      },
    });
    const run = await runBinary(["token", "check"], { environment: folder.environment, input: `${token}\n` });
    expect(run.code).toBe(requests === 1 ? 9 : 4);
    expect(server.lines()).toEqual(Array(requests).fill(`GET /applications/${clientId}/tokens/${token}`));
    expect(run.stderr).not.toContain(token);
  });
});

const noOathtool =
  spawnSync("oathtool", ["--version"]).error === undefined ? null : "oathtool is not installed";

describe("a one-time-password command", () => {
  test.skipIf(noOathtool !== null)(
    `with oathtool gives a code that the server accepts${noOathtool === null ? "" : ` (${noOathtool})`}`,
    async () => {
      const account = await openAccount({ otp: "app" });
      try {
        const { base_url, username, password, totp_secret } = account.sandbox.description;
        const folder = makeConfigurationFolder({
          profiles: { default: { base_url, username, otp_command: `oathtool --totp -b ${totp_secret}` } },
        });
        const run = await runBinary(["grant", "list", "--password-stdin", "--limit", "1"], {
          environment: folder.environment,
          input: password,
        });
        expect(run).toMatchObject({ code: 0, stderr: "" });
      } finally {
        await account.sandbox.close();
      }
    },
  );

  test.each([
    ["nothing of the kind", "echo hunter2 is no code"],
    ["nothing", "true"],
  ])("that prints %s is named, and its output is not sent", async (_, command) => {
    const server = await startRecordingServer(() => ({
      status: 401,
      body: {},
      headers: { "X-Service-OTP": "required; app" },
    }));
    const folder = makeConfigurationFolder({
      profiles: { default: { base_url: server.root, username: "octavia", otp_command: command } },
    });
    const run = await runMain(["grant", "list", "--password-stdin"], {
      environment: folder.environment,
      input: "x",
    });
    expect([run.code, run.stderr]).toEqual([4, expect.stringContaining(command.split(" ")[0] ?? "")]);
    expect(run.stderr).not.toContain("hunter2");
    expect(server.requests.map(({ headers }) => headers["x-service-otp"])).toEqual([undefined]);
  });
});
