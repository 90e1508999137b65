// Standard streams with problems: readers that close the pipe, full disks, closed streams.
import { spawn } from "node:child_process";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { program } from "../support/binary.ts";
import { openShell, type Shell } from "../support/shell.ts";

/** A small account, which suffices for most of these tests. */
let shell: Shell;
beforeAll(async () => {
  shell = await openShell("--grants", "1", "--authorizations", "30");
});
afterAll(() => shell.close());

const count = async (): Promise<number> => {
  const { stdout } = await shell.grantctl("authorization", "list", "--json", "id");
  return (JSON.parse(stdout) as unknown[]).length;
};

describe("three thousand items", () => {
  let large: Shell;
  beforeAll(async () => {
    large = await openShell("--grants", "1", "--authorizations", "3000");
  });
  afterAll(() => large.close());

  test.each(["tsv", "csv", "json", "ndjson", "table"])(
    "a list as %s exits with 0, silently, if its reader closes the pipe",
    async (format) => {
      const { code, stdout, stderr } = await large.run(
        `grantctl authorization list --format ${format} | head -1; echo "\${PIPESTATUS[0]}"`,
      );
      expect([code, stderr]).toEqual([0, ""]);
      expect(stdout.split("\n")).toHaveLength(3);
      expect(stdout.endsWith("\n0\n")).toBe(true);
    },
  );

  test("arrive completely through a slow pipe", async () => {
    const { stdout } = await large.run("grantctl authorization list --format ndjson | (sleep 0.3; wc -l)");
    expect(Number(stdout)).toBe(3000);
  });

  test.each(["json", "ndjson", "tsv", "csv"])(
    "a list as %s to a full disk fails with a message",
    async (format) => {
      const { code, stderr } = await large.run(`grantctl authorization list --format ${format} > /dev/full`);
      expect(code).not.toBe(0);
      expect(code).not.toBe(70);
      expect(stderr).toMatch(/^(grantctl: |\{"error")/);
    },
  );
});

describe("a value that cannot be delivered", () => {
  test("to a full disk exits with 12, with a hint", async () => {
    const { code, stderr } = await shell.run("grantctl authorization create --note full > /dev/full");
    expect(code).toBe(12);
    expect(stderr).toMatch(/^grantctl: [^\n]+\nhint: [^\n]+\n/);
  });

  test("of a reset to a full disk exits with 12", async () => {
    const [token] = shell.sandbox.description.tokens;
    const { code } = await shell.run("grantctl token reset --yes > /dev/full", { input: token?.token ?? "" });
    expect(code).toBe(12);
  });

  test("to a closed pipe exits with 12", async () => {
    const { stdout } = await shell.run(
      'grantctl authorization create --note gone | true; echo "${PIPESTATUS[0]}"',
    );
    // The reader may close the pipe before or after the value; the exit code must match.
    expect(["12\n", "0\n"]).toContain(stdout);
    const late = await shell.run(
      // A pipe accepts data as long as it has a reader.
      '(trap "" PIPE; while echo 2> /dev/null; do sleep 0.02; done; grantctl authorization create --note late) | true; echo "${PIPESTATUS[0]}"',
    );
    expect(late.stdout).toBe("12\n");
  });

  test.each([
    ["create --note x", ">&-"],
    ["create --note x", "> /dev/null"],
    ["create --note x --json", "> /dev/null"],
    ["get-or-create --fingerprint x", ">&-"],
    ["get-or-create --fingerprint x", "> /dev/null"],
  ])("authorization %s %s exits with 2, with nothing sent", async (words, redirection) => {
    const before = await count();
    const { code, stderr } = await shell.run(`grantctl authorization ${words} ${redirection}`);
    expect(code).toBe(2);
    expect(stderr).toContain("standard output");
    expect(await count()).toBe(before);
  });

  test("token reset to a closed standard output exits with 2, and the token stays active", async () => {
    const token = shell.sandbox.description.tokens[1]?.token ?? "";
    for (const redirection of [">&-", "> /dev/null"]) {
      const { code } = await shell.run(`grantctl token reset --yes ${redirection}`, { input: token });
      expect(code).toBe(2);
    }
    expect((await shell.run("grantctl token check", { input: token })).code).toBe(0);
  });
});

describe("a closed pipe", () => {
  /** Opens a pipe whose reading end is closed. */
  const unread = "mkfifo pipe; exec 4<>pipe 5>pipe 4<&-; rm pipe";
  const dead = "0123456789".repeat(4);

  test.each([
    ["grant list", "", 0],
    ["token check", `${dead}\n${"1".repeat(40)}\n`, 9],
    ["token inspect", `${dead}\n`, 3],
    ["token inspect", `${dead}\n${"1".repeat(40)}\n`, 9],
    ["--username nobody grant delete 999998 999999 --dry-run", "", 9],
    ["audit --fail-on no-note", "", 14],
    ["audit --fail-on no-note --format csv", "", 14],
    ["authorization get-or-create --json", "", 10],
    ["authorization get-or-create --json --dry-run", "", 10],
    ["api /no/such/address", "", 3],
    ["api -X DELETE /authorizations/999999 --auth basic --include", "", 3],
    ["api graphql -f query='{ nobody }'", "", 1],
    ["graphql '{ nobody }'", "", 1],
  ])("does not change the exit code of %s", async (words, input, code) => {
    const run = await shell.run(`${unread}; grantctl ${words} >&5`, { input });
    expect(run).toMatchObject({ code });
  });

  test.each([">&5", "> /dev/full"])("does not hide that a change may have been made (%s)", async (where) => {
    const failing = "grantctl sandbox run --fault status=500:1 -- grantctl api -X POST /authorizations";
    expect((await shell.run(`${unread}; ${failing} ${where}`)).code).toBe(13);
  });

  test("does not change the exit code of auth status without credentials", async () => {
    const environment = { GRANTCTL_PASSWORD: "", GRANTCTL_CLIENT_SECRET: "" };
    expect((await shell.run(`${unread}; grantctl auth status >&5`, { environment })).code).toBe(4);
  });

  test("does not keep an audit from being saved", async () => {
    const { code } = await shell.run(`${unread}; grantctl audit --format csv --save unread.json >&5`);
    expect(code).toBe(0);
    expect((await shell.run("grantctl audit --compare unread.json --format csv")).code).toBe(0);
  });
});

describe("a change whose response cannot be printed, standard output being closed,", () => {
  test("is not sent by api", async () => {
    const request = "grantctl api -X POST /authorizations --auth basic -f note=unseen";
    const { code, stderr } = await shell.run(`${request} >&-`);
    expect([code, stderr]).toEqual([2, expect.stringContaining("standard output is closed")]);
    const { stdout } = await shell.grantctl("authorization", "list", "--note", "unseen");
    expect(stdout).toBe("");
    expect((await shell.run(`${request} > /dev/null`)).code).toBe(0);
  });

  test("is not sent by graphql, nor by api to its address", async () => {
    for (const request of ["graphql 'mutation { nothing }'", "api graphql -f query='mutation { nothing }'"]) {
      expect((await shell.run(`grantctl ${request} > /dev/null`)).code).toBe(1);
      expect((await shell.run(`grantctl ${request} >&-`)).code).toBe(2);
    }
  });

  test("is sent if the exit code is the entire result", async () => {
    const created = await shell.grantctl(
      "authorization",
      "create",
      "--note",
      "code alone",
      "--json",
      "id,token",
    );
    const { id } = JSON.parse(created.stdout) as { id: number };
    expect((await shell.run(`grantctl api -X DELETE /authorizations/${id} --auth basic >&-`)).code).toBe(0);
    expect((await shell.grantctl("authorization", "view", String(id))).code).toBe(3);
  });
});

test("a list >&- exits with 2, because it would be lost", async () => {
  const { code, stderr } = await shell.run("grantctl authorization list --limit 1 >&-");
  expect([code, stderr]).toEqual([2, expect.stringContaining("standard output is closed")]);
});

test.each(["> /dev/null", "2>&-", "< /dev/null", "<&-", "> /dev/null 2>&1"])(
  "a list %s exits with 0",
  async (redirection) => {
    const { code, stderr } = await shell.run(`grantctl authorization list --limit 1 ${redirection}`);
    expect([code, stderr]).toEqual([0, ""]);
  },
);

test("a failure with standard error closed keeps its code", async () => {
  expect((await shell.run("grantctl grant view abc 2>&-")).code).toBe(2);
  expect((await shell.run("grantctl grant view 999999 2>/dev/full")).code).toBe(3);
});

test("deleting to a full disk does not claim that nothing was sent", async () => {
  const created = await shell.grantctl("authorization", "create", "--note", "victim", "--json", "id,token");
  const { id } = JSON.parse(created.stdout) as { id: number };
  const { code } = await shell.run(`grantctl authorization delete ${id} --yes > /dev/full`);
  expect((await shell.grantctl("authorization", "view", String(id))).code).toBe(3);
  expect([0, 2]).not.toContain(code);
});

describe("without a terminal, no command waits for input, even if standard input stays open", () => {
  test.each([
    [["grant", "delete", "999999"], {}, 2],
    [["grant", "list"], { GRANTCTL_PASSWORD: "" }, 4],
    [["grant", "list"], { GRANTCTL_USERNAME: "" }, 4],
    [["authorization", "get-or-create"], { GRANTCTL_CLIENT_ID: "" }, 4],
    [["grant", "list"], {}, 0],
    [["grant", "list", "--no-such-flag"], {}, 2],
    [["--version"], {}, 0],
    [["sandbox", "run", "--", "true"], {}, 0],
  ] as const)("%j with %j ends with %i", async (words, variables, code) => {
    const child = spawn(process.execPath, [program, ...words], {
      env: { ...shell.environment, ...variables },
      stdio: ["pipe", "pipe", "ignore"],
      detached: true,
    });
    child.stdout.resume();
    onTestFinished(() => void child.kill("SIGKILL"));
    const ended = await new Promise((resolve) => {
      child.on("exit", (number, signal) => {
        resolve(signal ?? number);
      });
    });
    expect(ended).toBe(code);
  });
});
