// A login on a terminal: prompts, output, and that the terminal is restored after any interruption of a prompt.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openShell, type Shell } from "../support/shell.ts";
import { makeFolder } from "../support/state-folder.ts";
import {
  expectGivenBack,
  noTerminalReason,
  runOnTerminal,
  type Screen,
  type Step,
} from "../support/terminal.ts";

const why = noTerminalReason === null ? "" : ` (${noTerminalReason})`;

describe.skipIf(noTerminalReason !== null)(`a login on a terminal${why}`, () => {
  let shell: Shell;
  let withCodes: Shell;
  beforeAll(
    async () => void ([shell, withCodes] = await Promise.all([openShell(), openShell({ otp: "app" })])),
  );
  afterAll(() => Promise.all([shell.close(), withCodes.close()]));

  /** Runs a line with only the path set. */
  async function run(
    line: string,
    steps: readonly Step[],
    on: Shell = shell,
  ): Promise<Screen & { readonly config: string }> {
    const config = makeFolder();
    const { PATH = "", HOME = "" } = on.environment;
    const screen = await runOnTerminal(line, steps, {
      PATH,
      HOME,
      GRANTCTL_CONFIG_DIR: config,
      GRANTCTL_STATE_DIR: join(config, "state"),
    });
    return { ...screen, config };
  }

  test("prompts for URL, user name and password, and shows no secret", async () => {
    const { base_url, username, password } = shell.sandbox.description;
    const screen = await run("exec grantctl auth login --store file", [
      { when: /URL of the server/, type: `${base_url}\r` },
      { when: /User name at http:\/\/127\.0\.0\.1:\d+:/, type: `${username}\r` },
      { when: /Password of octavia at http:\/\/127\.0\.0\.1:\d+:/, type: `${password}\r` },
    ]);
    expect(screen.code).toBe(0);
    expect(screen.text).not.toContain(password);
    expect(screen.text).toContain("warning: the password is stored unencrypted");
    // Typed text is echoed letter by letter.
    const afterTyping = screen.text.slice(screen.text.indexOf("User name at"));
    const addresses = [...afterTyping.matchAll(/https?:\/\/[^\s/:]+(?::\d+)?/g)].map(([address]) => address);
    expect(new Set(addresses)).toEqual(new Set([base_url]));
    expect(readFileSync(join(screen.config, "credentials.json"), "utf8")).toContain(password);
    expectGivenBack(screen);
  });

  test("an unconfigured check prompts for client ID, secret and token, and echoes no secret", async () => {
    const { base_url, client_id, client_secret, tokens } = shell.sandbox.description;
    const token = tokens[0]?.token ?? "";
    const screen = await run(`exec grantctl token check --base-url ${base_url}`, [
      { when: /Token at/, type: `${token}\r` },
      { when: /Client ID at/, type: `${client_id}\r` },
      { when: new RegExp(`Client secret of ${client_id} at`), type: `${client_secret}\r` },
    ]);
    expect(screen.code).toBe(0);
    for (const secret of [client_secret, token]) expect(screen.text).not.toContain(secret);
    expect(screen.text).toMatch(/\nactive +\w{8} +1 +Harbour Deploy/);
  });

  const endings: readonly (readonly [string, Omit<Step, "when">, number])[] = [
    ["Ctrl-C", { type: "\u0003" }, 130],
    ["SIGTERM", { signal: "SIGTERM" }, 143],
  ];

  test.each(endings)("%s at any prompt restores the terminal and stores nothing", async (_, ending, code) => {
    const { base_url, username, password } = withCodes.sandbox.description;
    const steps: readonly Step[] = [
      { when: /User name at/, type: `${username}\r` },
      { when: /Password of octavia/, type: `${password}\r` },
      { when: /One-time password of octavia/, type: "000000\r" },
    ];
    const screens = await Promise.all(
      steps.map((step, index) =>
        run(
          `ulimit -c 0; exec grantctl auth login --store file --base-url ${base_url}`,
          [...steps.slice(0, index), { when: step.when, ...ending }],
          withCodes,
        ),
      ),
    );
    for (const screen of screens) {
      expect(screen.code).toBe(code);
      expect(screen.text).not.toContain(password);
      expect(existsSync(join(screen.config, "config.json"))).toBe(false);
      expect(existsSync(join(screen.config, "credentials.json"))).toBe(false);
      expectGivenBack(screen);
    }
  });
});
