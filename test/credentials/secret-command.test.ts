// Commands that print a secret: how a line is split, what a command may do, and its time limit.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { array, assert, constantFrom, property } from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { splitCommand } from "../../src/config/command-words.ts";
import { runSecretCommand } from "../../src/credentials/secrets.ts";
import { failureOf } from "../support/failure-of.ts";
import { runUntilStruck } from "../support/struck.ts";

const folder = mkdtempSync(join(tmpdir(), "grantctl-command-"));
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

const node = process.execPath;
const environment = { PATH: process.env["PATH"] ?? "" };

/** The limit only detects a command that hangs. */
const longMs = 100_000;

function run(words: readonly [string, ...string[]], timeoutMs = longMs): Promise<string> {
  return runSecretCommand(words, {
    platform: process.platform,
    environment,
    timeoutMs,
    input: "ignore",
  });
}

/** Runs a script in Node. */
function runScript(script: string, timeoutMs?: number): Promise<string> {
  return run([node, "-e", script], timeoutMs);
}

describe("a command line", () => {
  test.each<[string, string[]]>([
    ["pass show work", ["pass", "show", "work"]],
    ["  pass   show\twork ", ["pass", "show", "work"]],
    ["pass 'a b'  \"c d\"", ["pass", "a b", "c d"]],
    ["pass a\\ b", ["pass", "a b"]],
    [`pass "a \\"b\\""`, ["pass", 'a "b"']],
    ["pass 'a'\\''b'", ["pass", "a'b"]],
    ["pass ''", ["pass", ""]],
    ["pass 'a|b;c&d>e<f(g)'", ["pass", "a|b;c&d>e<f(g)"]],
    ["pass \"*.ts\" '?'", ["pass", "*.ts", "?"]],
    ["pass --name=x 'é 🔑'", ["pass", "--name=x", "é 🔑"]],
    ["'/opt/my tools/otp'", ["/opt/my tools/otp"]],
  ])("%s is split as a shell splits it", (line, words) => {
    expect(splitCommand(line)).toEqual(words);
  });

  test.each<[string, string[]]>([
    ["echo $HOME", ["echo", "$HOME"]],
    ["echo ${HOME}", ["echo", "${HOME}"]],
    ['echo "$HOME ${HOME}"', ["echo", "$HOME ${HOME}"]],
    ["echo '$HOME ${HOME}'", ["echo", "$HOME ${HOME}"]],
    ["echo $ $$ $1", ["echo", "$", "$$", "$1"]],
    ["echo `id`", ["echo", "`id`"]],
    ["echo *.ts", ["echo", "*.ts"]],
    ["echo a?[b]", ["echo", "a?[b]"]],
    ["echo ~ ~root", ["echo", "~", "~root"]],
    ["echo {a,b}", ["echo", "{a,b}"]],
    ["HOME=/x echo", ["HOME=/x", "echo"]],
  ])("%s is not expanded", (line, words) => {
    expect(splitCommand(line)).toEqual(words);
  });

  test.each([
    "pass | head -1",
    "pass; rm x",
    "pass && x",
    "pass || x",
    "pass & x",
    "pass > file",
    "pass >> file",
    "pass < file",
    "pass 2>&1",
    "(pass)",
    "echo $(id)",
    "pass # a comment",
  ])("%s is rejected because it needs a shell", async (line) => {
    const failure = await failureOf(() => splitCommand(line));
    expect(failure.kind).toBe("usage");
    expect(failure.message).toContain("shell");
  });

  test.each(["pass 'show", 'pass "show', "pass show\\"])(
    "%s is rejected because a quote or an escape is not complete",
    async (line) => {
      expect((await failureOf(() => splitCommand(line))).kind).toBe("usage");
    },
  );

  test.each(["", "   ", "''", '"" x', "\t\n"])("'%s' is rejected because it is empty", async (line) => {
    expect((await failureOf(() => splitCommand(line))).kind).toBe("usage");
  });

  test("in single quotes keeps any word unchanged", () => {
    const piece = constantFrom(
      "a",
      " ",
      "$",
      "{",
      "}",
      "`",
      "*",
      "?",
      "\\",
      '"',
      "'",
      ";",
      "|",
      "#",
      "~",
      "é",
      "\n",
      "(",
      "=",
    );
    assert(
      property(
        array(
          array(piece, { minLength: 1 }).map((parts) => parts.join("")),
          { minLength: 1 },
        ),
        (words) => {
          const line = words.map((word) => `'${word.replaceAll("'", String.raw`'\''`)}'`).join(" ");
          expect(splitCommand(line)).toEqual(words);
        },
      ),
    );
  });
});

describe("the output of a command", () => {
  test.each([
    ["s3cret", "s3cret"],
    ["s3cret\n", "s3cret"],
    ["s3cret\r\n", "s3cret"],
    ["\uFEFFs3cret\r\n", "s3cret"],
    ["s3cret\nuser: octo\nurl: x\n", "s3cret"],
    ["  a b  \n", "  a b  "],
    ["é🔑\n", "é🔑"],
  ])("%j is the secret %j", async (printed, secret) => {
    expect(await runScript(`process.stdout.write(${JSON.stringify(printed)})`)).toBe(secret);
  });

  test("is joined from chunks, even if a chunk ends within a character", async () => {
    const script = `
      const bytes = Buffer.from("é🔑x");
      let at = 0;
      const timer = setInterval(() => {
        if (at === bytes.length) return clearInterval(timer);
        process.stdout.write(bytes.subarray(at, ++at));
      }, 5);`;
    expect(await runScript(script)).toBe("é🔑x");
  });

  test.each([
    ["nothing", "", "printed nothing"],
    ["an empty line first", "process.stdout.write('\\nx')", "printed nothing"],
    ["a byte order mark alone", "process.stdout.write('\\uFEFF\\n')", "printed nothing"],
    ["something, and fails", "process.stdout.write('hunter2'); process.exitCode = 3", "exited with code 3"],
    [
      "something, and is killed",
      "process.stdout.write('hunter2', () => process.kill(process.pid))",
      "SIGTERM",
    ],
    ["a megabyte", "process.stdout.write('hunter2'.repeat(150_000))", "printed more than 64 KiB"],
  ])("%s is a failure whose message names the command and contains no secret", async (_, script, words) => {
    const failure = await failureOf(() => runScript(script));
    expect([failure.kind, failure.exitCode]).toEqual(["authentication", 4]);
    expect(failure.message).toContain(words);
    expect(failure.message).toContain(node);
    expect(failure.message).not.toContain("hunter2");
  });
});

describe("a command that cannot run", () => {
  test("is named if it is missing", async () => {
    const failure = await failureOf(() => run(["grantctl-no-such-program", "hunter2"]));
    expect(failure.kind).toBe("authentication");
    expect(failure.message).toContain("grantctl-no-such-program");
    // The command's arguments may be secret.
    expect(failure.message).not.toContain("hunter2");
  });

  test.each([
    ["a folder", folder],
    ["a file that may not be run", join(folder, "plain")],
  ])("is named if it is %s", async (_, path) => {
    writeFileSync(join(folder, "plain"), "x", { mode: 0o600 });
    const failure = await failureOf(() => run([path]));
    expect(failure.kind).toBe("authentication");
    expect(failure.message).toContain(path);
  });
});

describe("a command that takes too long", () => {
  test("is killed and named at the time limit", async () => {
    const mark = join(folder, "ended.pid");
    await runUntilStruck(
      0.5,
      async (seconds) => {
        const failure = await failureOf(() =>
          runScript(
            `process.on("SIGTERM", () => {}); process.stdout.write("hunter2"); setInterval(() => {}, 1000);
             require("node:fs").writeFileSync(${JSON.stringify(mark)}, String(process.pid))`,
            seconds * 1000,
          ),
        );
        expect(failure.kind).toBe("authentication");
        expect(failure.message).toContain(`took longer than ${seconds} s`);
        expect(failure.message).not.toContain("hunter2");
      },
      () => existsSync(mark),
    );
    const pid = Number(readFileSync(mark, "utf8"));
    await expect.poll(() => isRunning(pid)).toBe(false);
  });
});

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

describe("the input of a command", () => {
  test("is the given environment and its arguments unchanged", async () => {
    const options = {
      platform: process.platform,
      environment: { ...environment, ONLY: "this" },
      timeoutMs: longMs,
      input: "ignore" as const,
    };
    process.env["GRANTCTL_TEST_LEAK"] = "hunter2";
    try {
      const script =
        "process.stdout.write(JSON.stringify([process.argv.slice(1), process.env.ONLY, process.env.GRANTCTL_TEST_LEAK ?? null]))";
      const words = [node, "-e", script, "--", "$HOME", "a b", "*", ";"] as const;
      expect(JSON.parse(await runSecretCommand(words, options))).toEqual([
        ["$HOME", "a b", "*", ";"],
        "this",
        null,
      ]);
    } finally {
      delete process.env["GRANTCTL_TEST_LEAK"];
    }
  });
});
