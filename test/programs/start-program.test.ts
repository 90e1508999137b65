// A failed start is always reported by an event, even if Node throws.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startProgram } from "../../src/programs/start-program.ts";
import { program, runProgram } from "../support/binary.ts";
import { makeFolder } from "../support/state-folder.ts";

const hopeless = (): readonly (readonly [string, string])[] => {
  const folder = makeFolder();
  const file = join(folder, "file");
  writeFileSync(file, "");
  return [
    ["ENOENT", join(folder, "nothing")],
    ["EACCES", file],
    ["ENOTDIR", join(file, "below")],
    ["ENAMETOOLONG", join(folder, "x".repeat(300))],
  ];
};

test("emits an error with empty output for any reason", async () => {
  for (const [reason, path] of hopeless()) {
    const child = startProgram([path], { env: {}, stdio: "pipe" }, "linux");
    const error = await new Promise<NodeJS.ErrnoException>((resolve) => child.once("error", resolve));
    const printed = await child.stdout?.toArray();
    expect([error.code, printed]).toEqual([reason, []]);
  }
});

test("sandbox run exits with code 127 if the program is missing, and with 126 for any other reason", async () => {
  for (const [reason, path] of hopeless()) {
    const { code, stderr } = await runProgram(program, ["sandbox", "run", "--", path]);
    expect([reason, code]).toEqual([reason, reason === "ENOENT" ? 127 : 126]);
    expect(stderr).toMatch(/^grantctl: cannot run /);
  }
});

test("reports a failed password command or delivery command, and sends nothing", async () => {
  const path = hopeless().find(([reason]) => reason === "ENOTDIR")?.[1] ?? "";
  const environment = {
    GRANTCTL_CONFIG_DIR: makeFolder(),
    GRANTCTL_BASE_URL: "http://127.0.0.1:9",
    GRANTCTL_USERNAME: "octavia",
  };
  await runProgram(program, ["config", "set", "password_command", path], { environment });
  const listed = await runProgram(program, ["grant", "list"], { environment });
  expect(listed.code).toBe(4);
  expect(listed.stderr).toContain("could not be run");
  const words = ["authorization", "create", "--note", "n", "--to-command", path];
  const created = await runProgram(program, words, {
    environment: { ...environment, GRANTCTL_PASSWORD: "p" },
  });
  expect([created.code, created.stderr]).toEqual([2, expect.not.stringContaining("bug") as string]);
});
