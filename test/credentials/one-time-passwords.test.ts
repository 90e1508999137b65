// The broker of one-time passwords: which source gives a code, when, and how often.
import { describe, expect, test, vi } from "vitest";
import {
  checkOneTimePassword,
  createOneTimePasswords,
  type OneTimePasswordSources,
} from "../../src/credentials/one-time-passwords.ts";
import { Failure } from "../../src/errors/errors.ts";
import { createTerminalPrompter } from "../../src/prompt/terminal-prompter.ts";
import { failureOf } from "../support/failure-of.ts";

type Ask = OneTimePasswordSources["prompt"];

const nobody: Ask = (_, orElse) =>
  createTerminalPrompter(() => null, { isPlain: false, hasColours: false }).askText("", orElse);
const never: Ask = () => Promise.reject(new Error("nobody should have been asked"));

function printing(...codes: string[]): () => Promise<string> {
  return vi.fn<() => Promise<string>>(() => {
    const code = codes.shift();
    return code === undefined ? Promise.reject(new Error("run once too often")) : Promise.resolve(code);
  });
}

describe("source of a code", () => {
  test("a given code is available from the start, with no command run and no prompt", () => {
    const runCommand = printing();
    expect(createOneTimePasswords({ given: "123456", runCommand, prompt: never }).current()).toBe("123456");
    expect(runCommand).not.toHaveBeenCalled();
  });

  test("there is no code, and no command is run, until the server requests one", () => {
    const runCommand = printing();
    expect(createOneTimePasswords({ given: null, runCommand, prompt: never }).current()).toBeNull();
    expect(runCommand).not.toHaveBeenCalled();
  });

  test("a command is run at the first request; its code is reused, until the server rejects it", async () => {
    const runCommand = printing("111111", "222222");
    const passwords = createOneTimePasswords({ given: null, runCommand, prompt: never });
    expect(await passwords.next(null, "app")).toBe("111111");
    expect(passwords.current()).toBe("111111");
    expect(runCommand).toHaveBeenCalledTimes(1);
    expect(await passwords.next("111111", "app")).toBe("222222");
    expect(runCommand).toHaveBeenCalledTimes(2);
  });

  test("a command overrides the prompt, and a given code overrides the command", async () => {
    const runCommand = printing("222222");
    const passwords = createOneTimePasswords({ given: "111111", runCommand, prompt: never });
    expect(passwords.current()).toBe("111111");
    expect(await passwords.next("111111", "app")).toBe("222222");
  });

  test("a command that fails is reported, with no prompt instead", async () => {
    const broken = new Failure("authentication", "the command pass exited with code 1");
    const passwords = createOneTimePasswords({
      given: null,
      runCommand: () => Promise.reject(broken),
      prompt: never,
    });
    expect(await failureOf(() => passwords.next(null, "app"))).toBe(broken);
  });

  test.each([
    ["app", "authenticator"],
    ["sms", "text message"],
    ["unknown", "one-time password"],
  ] as const)("without a prompt, method %s: fails and names the place of the code", async (method, words) => {
    const passwords = createOneTimePasswords({ given: null, runCommand: null, prompt: nobody });
    const failure = await failureOf(() => passwords.next(null, method));
    expect([failure.kind, failure.exitCode]).toEqual(["otp", 4]);
    expect(failure.message).toContain(words);
    expect(failure.details.hint).toMatch(/--otp\b.*otp_command/);
  });

  test("without a prompt after a rejected code: fails with kind otp and reports the rejection", async () => {
    const passwords = createOneTimePasswords({ given: "123456", runCommand: null, prompt: nobody });
    const failure = await failureOf(() => passwords.next("123456", "app"));
    expect(failure.kind).toBe("otp");
    expect(failure.message).toContain("rejected");
    expect(failure.message).not.toContain("123456");
  });

  test("the prompt gets the method, and a flag if a code was rejected", async () => {
    const prompt = vi.fn<Ask>();
    prompt.mockResolvedValueOnce("111111").mockResolvedValueOnce("222222");
    const passwords = createOneTimePasswords({ given: null, runCommand: null, prompt });
    await passwords.next(null, "sms");
    await passwords.next("111111", "sms");
    expect(prompt.mock.calls.map(([question]) => question)).toEqual([
      { method: "sms", isAgain: false },
      { method: "sms", isAgain: true },
    ]);
  });
});

describe("a rejected code", () => {
  test("is never used again; typing it again counts as an attempt", async () => {
    const prompt = vi.fn<Ask>().mockResolvedValue("111111");
    const passwords = createOneTimePasswords({ given: null, runCommand: null, prompt });
    expect(await passwords.next(null, "app")).toBe("111111");
    expect((await failureOf(() => passwords.next("111111", "app"))).kind).toBe("otp");
    expect(prompt).toHaveBeenCalledTimes(3);
    expect(passwords.current()).toBeNull();
  });

  test("is recognized with surrounding blanks", async () => {
    const runCommand = printing("111111", " 111111 ", "222222\n");
    const passwords = createOneTimePasswords({ given: null, runCommand, prompt: never });
    await passwords.next(null, "app");
    expect(await passwords.next("111111", "app")).toBe("222222");
  });

  test("ends the attempts if a command prints it three times", async () => {
    const runCommand = vi.fn<() => Promise<string>>().mockResolvedValue("111111");
    const passwords = createOneTimePasswords({ given: null, runCommand, prompt: never });
    await passwords.next(null, "app");
    expect((await failureOf(() => passwords.next("111111", "app"))).kind).toBe("otp");
    expect(runCommand.mock.calls.length).toBeLessThanOrEqual(3);
  });

  test("counts as one attempt and one prompt if many requests report it at once", async () => {
    const prompt = vi.fn<Ask>().mockResolvedValueOnce("222222").mockResolvedValueOnce("333333");
    const passwords = createOneTimePasswords({ given: "111111", runCommand: null, prompt });
    const reported = await Promise.all(Array.from({ length: 30 }, () => passwords.next("111111", "app")));
    expect(new Set(reported)).toEqual(new Set(["222222"]));
    expect(prompt).toHaveBeenCalledTimes(1);
    expect(await passwords.next("222222", "app")).toBe("333333");
  });

  test("gets the newer code without a prompt if it is reported late", async () => {
    const prompt = vi.fn<Ask>().mockResolvedValueOnce("222222");
    const passwords = createOneTimePasswords({ given: "111111", runCommand: null, prompt });
    await passwords.next("111111", "app");
    passwords.accept("222222");
    expect(await passwords.next("111111", "app")).toBe("222222");
    expect(await passwords.next(null, "app")).toBe("222222");
    expect(prompt).toHaveBeenCalledTimes(1);
    expect(passwords.current()).toBe("222222");
  });

  test("is not accepted by a late response", async () => {
    const prompt = vi.fn<Ask>();
    for (const code of ["2", "3", "4"]) prompt.mockResolvedValueOnce(code);
    const passwords = createOneTimePasswords({ given: "1", runCommand: null, prompt });
    await passwords.next("1", "app");
    passwords.accept("1");
    await passwords.next("2", "app");
    expect((await failureOf(() => passwords.next("3", "app"))).kind).toBe("otp");
    expect(prompt).toHaveBeenCalledTimes(2);
  });

  test("does not block the next prompt if one prompt fails", async () => {
    const prompt = vi.fn<Ask>().mockRejectedValueOnce(new Error("closed")).mockResolvedValueOnce("111111");
    const passwords = createOneTimePasswords({ given: null, runCommand: null, prompt });
    await expect(passwords.next(null, "app")).rejects.toThrow("closed");
    expect(await passwords.next(null, "app")).toBe("111111");
  });
});

describe("the format of a code", () => {
  test.each([
    ["123456", "123456"],
    [" 123456\r\n", "123456"],
    ["ABCD-1234", "ABCD-1234"],
    ["\uFEFF123456", "123456"],
  ])("'%s' is accepted", (code, expected) => {
    expect(checkOneTimePassword(code)).toBe(expected);
  });

  test.each([
    "",
    "   ",
    "123 456",
    "12\n34",
    "12\r\nX-Evil: 1",
    "12\u000034",
    "12é",
    "١٢٣٤٥٦",
    "1".repeat(65),
  ])("'%s' is rejected before it is sent, and not shown", async (code) => {
    const failure = await failureOf(() => checkOneTimePassword(code));
    expect(failure.kind).toBe("usage");
    expect(failure.message).not.toMatch(/\d/);
    expect(
      (await failureOf(() => createOneTimePasswords({ given: code, runCommand: null, prompt: never }))).kind,
    ).toBe("usage");
  });
});
