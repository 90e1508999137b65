// The broker of one-time passwords: which source gives a code, when, and how often.
import { describe, expect, test, vi } from "vitest";
import { createOneTimePasswords } from "../../src/credentials/one-time-passwords.ts";
import { Failure } from "../../src/errors/errors.ts";
import type { Prompter } from "../../src/prompt/prompter.ts";
import { createRedactor } from "../../src/redaction.ts";
import { thrownFailure } from "../support/thrown-failure.ts";

type Ask = Prompter["askText"];

const nobody: Ask = (_, orElse) => Promise.reject(orElse("there is no terminal"));

interface Given {
  readonly given?: string;
  readonly askText?: Ask;
  readonly codes?: string[];
  readonly runCommand?: () => Promise<string>;
}

function passwordsWith({ given, askText = nobody, codes = [], ...more }: Given) {
  const runCommand = vi.fn<() => Promise<string>>(
    more.runCommand ?? (() => Promise.resolve(codes.shift() ?? "run once too often")),
  );
  const waits: number[] = [];
  const passwords = createOneTimePasswords(
    {
      settings: {
        ...(given === undefined ? {} : { otp: { value: given, source: "flag" } }),
        ...(codes.length > 0 ? { otpCommand: { value: "print-code", source: "profile" } } : {}),
      },
      prompter: { askText } as unknown as Prompter,
      redactor: createRedactor(),
      host: { now: () => 1_000_010_000 },
      waits: { wait: (milliseconds) => Promise.resolve(void waits.push(milliseconds)) },
    },
    "octavia at https://x.test",
    runCommand,
  );
  return { passwords, runCommand, waits };
}

describe("a code", () => {
  test("that is given is available from the start; there is none otherwise, and no command is run", () => {
    const { passwords, runCommand } = passwordsWith({ given: " 123456\r\n", codes: ["1"] });
    expect(passwords.current()).toBe("123456");
    expect(passwordsWith({ codes: ["1"] }).passwords.current()).toBeNull();
    expect(runCommand).not.toHaveBeenCalled();
  });

  test("of a command is used until the server rejects it; the command comes before the prompt", async () => {
    const { passwords, runCommand } = passwordsWith({ given: "000000", codes: ["111111", "222222\n"] });
    expect(await passwords.next("000000", "app")).toBe("111111");
    expect(await passwords.next(null, "app")).toBe("111111");
    expect(runCommand).toHaveBeenCalledTimes(1);
    passwords.accept("111111");
    expect(await passwords.next("111111", "app")).toBe("222222");
  });

  test("is asked for with its place, and again after a rejection", async () => {
    const askText = vi.fn<Ask>().mockResolvedValueOnce("111 111").mockResolvedValueOnce("222222");
    const { passwords } = passwordsWith({ askText });
    expect(await passwords.next(null, "sms")).toBe("111111");
    expect(await passwords.next("111111", "app")).toBe("222222");
    expect(askText.mock.calls.map(([question]) => question)).toEqual([
      "One-time password of octavia at https://x.test (in the text message; some services send one only when something is created or changed):",
      "The server rejected that code. One-time password of octavia at https://x.test (from your authenticator app):",
    ]);
  });

  test.each([
    ["app", "(from your authenticator app), and there is no terminal"],
    ["sms", "or changed), and there is no terminal"],
    ["unknown", "(sent by the server), and there is no terminal"],
  ] as const)("of method %s that nobody types is a failure that names its place", async (method, words) => {
    const failure = await thrownFailure(() => passwordsWith({}).passwords.next(null, method));
    expect([failure.kind, failure.exitCode]).toEqual(["otp", 4]);
    expect(failure.message).toContain(words);
  });

  test("that a command does not print is a failure, with no prompt instead", async () => {
    const broken = new Failure("authentication", "the command pass exited with code 1");
    const { passwords } = passwordsWith({ codes: ["x"], runCommand: () => Promise.reject(broken) });
    expect((await thrownFailure(() => passwords.next(null, "app"))).message).toBe(
      "the one-time password command printed no code: the command pass exited with code 1",
    );
    const odd = passwordsWith({ codes: ["hunter 2"] });
    const failure = await thrownFailure(() => odd.passwords.next(null, "app"));
    expect([failure.kind, failure.message]).toEqual(["otp", expect.not.stringContaining("hunter")]);
  });

  test.each(["   ", "123 456", "12\n34", "12\r\nX-Evil: 1", "12\u000034", "12é", "١٢٣٤٥٦", "1".repeat(65)])(
    "such as %j is rejected before it is sent, and not shown",
    async (code) => {
      const failure = await thrownFailure(() => passwordsWith({ given: code }));
      expect([failure.kind, failure.message]).toEqual(["usage", expect.not.stringMatching(/\d/)]);
    },
  );
});

describe("a rejected code", () => {
  test("that a command prints again is asked for again in the next period", async () => {
    const { passwords, waits } = passwordsWith({ codes: ["111111", "111111", "222222"] });
    await passwords.next(null, "app");
    expect(await passwords.next("111111", "app")).toBe("222222");
    expect(waits).toEqual([10_000]);
    const same = passwordsWith({ codes: ["1", "1", "1", "1"] });
    await same.passwords.next(null, "app");
    expect((await thrownFailure(() => same.passwords.next("1", "app"))).kind).toBe("otp");
    expect(same.runCommand).toHaveBeenCalledTimes(3);
  });

  test("does not block the next prompt if one prompt fails", async () => {
    const askText = vi.fn<Ask>().mockRejectedValueOnce(new Error("closed")).mockResolvedValueOnce("111111");
    const { passwords } = passwordsWith({ askText });
    await expect(passwords.next(null, "app")).rejects.toThrow("closed");
    expect(await passwords.next(null, "app")).toBe("111111");
  });
});
