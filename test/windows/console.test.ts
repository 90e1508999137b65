// Prompts on the Windows console: CONIN$ and CONOUT$, whatever standard input is.
import { describe, expect, test } from "vitest";
import { runOnTerminal, type Screen, type Step } from "../support/terminal.ts";
import { startTruthService } from "../support/truth-service.ts";
import {
  makeWindowsUser,
  noWindowsReason,
  runOnWindows,
  wineEnvironment,
  windowsProgram,
  type WindowsUser,
} from "../support/windows.ts";

function onConsole(
  words: readonly string[],
  steps: readonly Step[],
  user: WindowsUser,
  environment: Readonly<Record<string, string>>,
): Promise<Screen> {
  const line = ["wine", ...windowsProgram, ...words].map((word) => `'${word}'`).join(" ");
  return runOnTerminal(
    line,
    // Wine sets raw mode at the first read, possibly after the prompt; Windows' console is always raw.
    steps.map((step) => ({ ...step, whenRaw: true })),
    {
      ...wineEnvironment(),
      ...environment,
      HOME: user.home,
      GRANTCTL_TEST_USER: JSON.stringify(user.variables),
    },
    120,
  );
}

describe.skipIf(noWindowsReason !== null)(`on a console of Windows (${noWindowsReason ?? "Wine"})`, () => {
  test("a deletion prompts, and y deletes", async () => {
    const user = makeWindowsUser();
    const service = await startTruthService();
    const token = service.addToken();
    const words = ["authorization", "delete", String(service.idOf(token))];
    const { code } = await onConsole(words, [{ when: /\(y\/N\)/, type: "y\r" }], user, service.environment);
    expect([code, service.isLive(token)]).toEqual([0, false]);
  });

  test("n deletes nothing", async () => {
    const user = makeWindowsUser();
    const service = await startTruthService();
    const token = service.addToken();
    const words = ["authorization", "delete", String(service.idOf(token))];
    const { code } = await onConsole(words, [{ when: /\(y\/N\)/, type: "n\r" }], user, service.environment);
    expect([code, service.isLive(token)]).toEqual([130, true]);
  });

  test("prompts for a password without showing it", async () => {
    const user = makeWindowsUser();
    const service = await startTruthService();
    service.addToken();
    const { GRANTCTL_PASSWORD: password = "", ...others } = service.environment;
    const screen = await onConsole(
      ["authorization", "list"],
      [{ when: /password/i, type: `${password}\r` }],
      user,
      others,
    );
    expect(screen.code).toBe(0);
    expect(screen.text).not.toContain(password);
  });

  test("a login prompts for user name, password and one-time password, and stores them in the Credential Manager", async () => {
    const user = makeWindowsUser();
    const asked = { status: 401, headers: { "X-Service-OTP": "required; app" }, body: { message: "otp" } };
    const service = await startTruthService(({ headers, path }) => {
      if (headers["x-service-otp"] !== "246810") return { instead: asked };
      // This server lacks the endpoint that verifies a login.
      return path.startsWith("/applications/grants") ? { instead: { status: 200, body: [] } } : undefined;
    });
    service.addToken();
    const {
      GRANTCTL_PASSWORD: password = "",
      GRANTCTL_USERNAME: username = "",
      ...others
    } = service.environment;
    const steps = [
      { when: /User name at /, type: `${username}\r` },
      { when: /Password /, type: `${password}\r` },
      { when: /One-time password of .* \(from your authenticator app\)/, type: "246810\r" },
    ];
    const screen = await onConsole(["auth", "login"], steps, user, others);
    expect(screen.code).toBe(0);
    expect(screen.text).not.toContain(password);
    const words = ["authorization", "list", "--json", "id", "--otp", "246810"];
    const listed = await runOnWindows(words, user, { environment: others });
    expect([listed.code, JSON.parse(listed.stdout)]).toEqual([0, [expect.anything()]]);
  });

  test("Ctrl-C at the prompt changes nothing", async () => {
    const user = makeWindowsUser();
    const service = await startTruthService();
    const token = service.addToken();
    const words = ["authorization", "delete", String(service.idOf(token))];
    const { code } = await onConsole(
      words,
      [{ when: /\(y\/N\)/, type: "\u0003" }],
      user,
      service.environment,
    );
    expect([code === 0, service.isLive(token)]).toEqual([false, true]);
  });

  test("prints a list as a table with a header", async () => {
    const user = makeWindowsUser();
    const service = await startTruthService();
    service.addToken();
    const { code, text } = await onConsole(["authorization", "list"], [], user, service.environment);
    expect(code).toBe(0);
    expect(text).toMatch(/ID +/);
  });
});
