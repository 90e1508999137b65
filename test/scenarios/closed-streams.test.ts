// Standard streams that are closed, full, or opened for the wrong direction, in every combination, for each type of
// command: the exit code does not change unless a result is lost. Every third command is run with one of the combinations, and
// in a soak each with all of them.
import { afterAll, beforeAll, expect, test } from "vitest";
import { openShell, type Shell } from "../support/shell.ts";
import { inTurn } from "../support/soak.ts";

let shell: Shell;
beforeAll(async () => void (shell = await openShell()));
afterAll(() => shell.close());

const allClosings = ["<&-", ">&-", "2>&-", "<&- >&-", "<&- 2>&-", ">&- 2>&-", "<&- >&- 2>&-", "2>/dev/full"];

/** Adds the row number to each command. */
const rowsOf = (
  table: readonly (readonly [string, number])[],
): readonly { readonly command: string; readonly code: number; readonly row: number }[] =>
  table.map(([command, code], row) => ({ command, code, row }));

/** Runs a command with each of these redirections in one shell; resolves with the exit codes. */
async function codesWith(
  command: string,
  closings: readonly string[],
): Promise<Readonly<Record<string, number>>> {
  const lines = closings.map((closing) => `(${command}) ${closing}; echo "$?" >&9`);
  const { stdout } = await shell.run(`exec 9>&1 1>/dev/null; ${lines.join("; ")}`);
  const codes = stdout.trimEnd().split("\n");
  expect(codes).toHaveLength(closings.length);
  return Object.fromEntries(closings.map((closing, index) => [closing, Number(codes[index])]));
}

const whateverIsClosed = [
  ["grantctl token check", 0],
  ["grantctl api -X DELETE /authorizations/999999 --auth basic", 3],
  ["grantctl grant --help", 0],
  ["grantctl no-such-noun", 2],
  ["grantctl sandbox run -- false", 1],
  ["grantctl authorization run -- false", 1],
  ["grantctl recover end --all", 0],
  ["grantctl audit --output-file audit.html --force", 0],
  ["grantctl authorization create --note $RANDOM$RANDOM --output-file new.txt --force", 0],
  ["grantctl authorization create --note $RANDOM$RANDOM --to-command true", 0],
  ["grantctl grant list", 0],
  ["grantctl grant view 999999", 3],
  ["grantctl grant delete - --yes < /dev/null", 0],
  ["grantctl authorization update 999999 --note n", 3],
  ["echo 0123456789012345678901234567890123456789 | grantctl token check", 9],
  ["grantctl auth status", 0],
  ["grantctl doctor", 0],
  ["grantctl completion bash", 0],
  ["grantctl audit", 0],
  ["grantctl api /user", 0],
  ["grantctl api graphql -f query='{ viewer { login } }'", 0],
  ["GRANTCTL_PASSWORD= grantctl grant list --no-input", 4],
] as const;

test.each(inTurn(rowsOf(whateverIsClosed), 3, 0))(
  "$command exits with $code for all closed streams",
  { tags: "soak" },
  async ({ command, code, row }) => {
    const closings = inTurn(allClosings, 8, row);
    expect(await codesWith(command, closings)).toEqual(
      Object.fromEntries(closings.map((closing) => [closing, code])),
    );
  },
);

test("standard output may be Python's null device, with and without a shell", async () => {
  const { stdout } = await shell.run(
    `python3 - <<'END' || echo absent
import subprocess
for words in (["grant", "list"], ["auth", "status"]):
    print(subprocess.call(["grantctl", *words], stdout=subprocess.DEVNULL))
    print(subprocess.call(" ".join(["grantctl", *words, "; exit $?"]), stdout=subprocess.DEVNULL, shell=True))
END`,
  );
  expect(["0\n0\n0\n0\n", "absent\n"]).toContain(stdout);
});

test("creating a token requires only standard output", { tags: "soak" }, async () => {
  // Among them one with an open standard output.
  for (const closing of inTurn(allClosings, 4, 3)) {
    const { code, stdout } = await shell.run(
      `grantctl authorization create --note "streams ${closing}" ${closing}`,
    );
    const isClosed = /(?:^| )>&-/.test(closing);
    expect([closing, code, /^[0-9a-f]{40}\n$/.test(stdout)]).toEqual([closing, isClosed ? 2 : 0, !isClosed]);
  }
});

/** Python: a pipe of 4,096 bytes whose writer does not block. */
const smallPipe = `import fcntl, os, subprocess, time
reader, writer = os.pipe()
fcntl.fcntl(writer, fcntl.F_SETFL, os.O_NONBLOCK)
fcntl.fcntl(writer, 1031, 4096)`;

// The last line is the sandbox's own.
test("non-blocking pipes and slow readers get the complete output", async () => {
  const { stdout } = await shell.run(
    `python3 - <<'END' || echo absent
${smallPipe}
child = subprocess.Popen(["grantctl", "sandbox", "run", "--authorizations", "500", "--", "grantctl", "authorization", "list", "--format", "ndjson"], stdout=writer, stderr=writer)
os.close(writer)
lines = b""
while True:
    piece = os.read(reader, 1000)
    if not piece: break
    lines += piece
    time.sleep(0.001)
print(child.wait(), lines.count(b"\\n"))
END`,
  );
  expect(["0 501\n", "absent\n"]).toContain(stdout);
});

test("help waits for a full pipe that does not block", async () => {
  const { stdout } = await shell.run(
    `python3 - <<'END' || echo absent
${smallPipe}
os.write(writer, b"x" * 4096)
child = subprocess.Popen(["grantctl", "--help"], stdout=writer)
os.close(writer)
time.sleep(1)
text = open(reader, "rb").read().lstrip(b"x")
print(child.wait(), text == subprocess.check_output(["grantctl", "--help"]))
END`,
  );
  expect(["0 True\n", "absent\n"]).toContain(stdout);
});
