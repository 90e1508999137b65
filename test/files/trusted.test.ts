// Files and folders that control grantctl are used only if no user except this one and root can change them.
import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { checkTrustedFolder, preparePrivateFolder, readTrustedFile } from "../../src/files/trusted.ts";
import { runBinary } from "../support/binary.ts";
import { failureOf } from "../support/failure-of.ts";
import { startRecordingServer } from "../support/recording-server.ts";
import { makeFolder } from "../support/state-folder.ts";

const userId = process.geteuid?.() ?? null;
/** Only root can change the owner of a file. */
const isRoot = userId === 0;
const other = 12345;

const read = (path: string): string => readTrustedFile(path, { userId, maxBytes: 1024 * 1024 }).toString();
const refusal = async (path: string): Promise<string> => {
  const failure = await failureOf(() => Promise.resolve().then(() => read(path)));
  expect(failure.kind).toBe("usage");
  return failure.message;
};

function makeFile(folder: string, name = "file"): string {
  const path = join(folder, name);
  writeFileSync(path, "text", { mode: 0o600 });
  return path;
}

describe.skipIf(userId === null)("a file", () => {
  test("of this user in a private folder below a sticky one is read, even through links of this user", () => {
    const shared = join(makeFolder(), "shared");
    mkdirSync(shared);
    chmodSync(shared, 0o1777);
    const own = join(shared, "own");
    mkdirSync(own, { mode: 0o700 });
    makeFile(own);
    symlinkSync("own", join(shared, "folder"));
    symlinkSync("../shared/folder/file", join(shared, "link"));
    for (const path of ["own/file", "folder/file", "link"]) expect(read(join(shared, path))).toBe("text");
  });

  test.each([0o620, 0o602])("of mode %o is rejected", async (mode) => {
    const path = makeFile(makeFolder());
    chmodSync(path, mode);
    expect(await refusal(path)).toContain(path);
  });

  test.each([0o770, 0o707])("below a folder of mode %o is rejected", async (mode) => {
    const above = join(makeFolder(), "above");
    mkdirSync(join(above, "own"), { recursive: true, mode: 0o700 });
    const path = makeFile(join(above, "own"));
    chmodSync(above, mode);
    expect(await refusal(path)).toContain(`directory ${above}`);
  });

  describe.runIf(isRoot)("of another user", () => {
    test("is rejected with an error that names its owner", async () => {
      const path = makeFile(makeFolder());
      chownSync(path, other, other);
      expect(await refusal(path)).toContain(`${path} belongs to user ${other}`);
    });

    test("is rejected behind a link of this user, and so is a link of another user", async () => {
      const folder = makeFolder();
      const path = makeFile(folder);
      symlinkSync(path, join(folder, "link"));
      execFileSync("chown", ["-h", String(other), join(folder, "link")]);
      expect(await refusal(join(folder, "link"))).toContain(`link belongs to user ${other}`);
      execFileSync("chown", ["-h", "0", join(folder, "link")]);
      chownSync(path, other, other);
      expect(await refusal(join(folder, "link"))).toContain(`${path} belongs to user ${other}`);
    });

    test("prevents the creation of a missing folder below its own", async () => {
      const folder = join(makeFolder(), "home");
      mkdirSync(folder, { mode: 0o755 });
      chownSync(folder, other, other);
      const failure = await failureOf(() =>
        Promise.resolve().then(() => checkTrustedFolder(join(folder, ".config", "grantctl"), userId)),
      );
      expect(failure.message).toContain(`${folder} belongs to user ${other}`);
    });
  });
});

function homeOf(user: number): string {
  const home = join(makeFolder(), "home");
  const folder = join(home, ".config", "grantctl");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  mkdirSync(join(home, ".local", "state", "grantctl"), { recursive: true, mode: 0o700 });
  writeFileSync(
    join(folder, "config.json"),
    JSON.stringify({ profiles: { default: { password_command: `touch ${join(home, "ran")}` } } }),
    { mode: 0o600 },
  );
  execFileSync("chown", ["-R", String(user), home]);
  return home;
}

describe.runIf(isRoot)("root, with the home folder of another user,", () => {
  test("runs no command of the configuration there", async () => {
    const HOME = homeOf(other);
    const { code, stderr } = await runBinary(["grant", "list"], { environment: { HOME } });
    expect(code).toBe(2);
    expect(stderr).toContain(`belongs to user ${other}`);
  });

  test("keeps no journal there, and sends nothing", async () => {
    const HOME = homeOf(other);
    const server = await startRecordingServer(() => ({ status: 204 }));
    const environment = { ...server.environment, HOME, GRANTCTL_CONFIG_DIR: makeFolder() };
    const state = join(HOME, ".local", "state", "grantctl");
    const run = await runBinary(["grant", "delete", "1", "--yes"], {
      environment: { ...environment, GRANTCTL_STATE_DIR: state },
    });
    expect(run).toMatchObject({ code: 2, stdout: "" });
    expect(run.stderr).toContain(`belongs to user ${other}`);
    expect(server.requests).toEqual([]);
    const list = await runBinary(["recover", "list"], {
      environment: { ...environment, GRANTCTL_STATE_DIR: state },
    });
    expect(list.code).toBe(2);
  });

  test("uses no key of that user", async () => {
    const key = makeFile(makeFolder(), "key.pem");
    chownSync(key, other, other);
    const server = await startRecordingServer(() => ({ status: 200, body: [] }));
    for (const [flags, variables] of [
      [["--ca-cert", key], {}],
      [[], { GRANTCTL_CLIENT_CERT: key, GRANTCTL_CLIENT_KEY: key }],
    ] as const) {
      const { code, stderr } = await runBinary(["grant", "list", ...flags], {
        environment: { ...server.environment, ...variables },
      });
      expect(code).toBe(2);
      expect(stderr).toContain(`belongs to user ${other}`);
    }
    expect(server.requests).toEqual([]);
  });
});

const purpose = { name: "folder", consequence: "nothing can be kept", hint: "choose another" };

function modeOf(path: string): number {
  return statSync(path).mode & 0o7777;
}

describe.skipIf(process.platform === "win32")("a private folder", () => {
  test("is created for its owner alone, as are its missing parents", async () => {
    const top = makeFolder();
    await preparePrivateFolder(join(top, "a", "b"), purpose, process.geteuid?.() ?? null);
    expect([modeOf(join(top, "a")), modeOf(join(top, "a", "b"))]).toEqual([0o700, 0o700]);
  });

  test("that others can read is made private", async () => {
    const path = makeFolder();
    chmodSync(path, 0o755);
    await preparePrivateFolder(path, purpose, process.geteuid?.() ?? null);
    expect(modeOf(path)).toBe(0o700);
  });

  test("cannot be a shared one, which stays unchanged", async () => {
    const path = makeFolder();
    chmodSync(path, 0o1777);
    const failure = await failureOf(() => preparePrivateFolder(path, purpose, process.geteuid?.() ?? null));
    expect([failure.kind, failure.message]).toEqual([
      "usage",
      `${path} is shared with others, so nothing can be kept`,
    ]);
    expect(modeOf(path)).toBe(0o1777);
  });
});
