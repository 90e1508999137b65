// Files and folders that control grantctl are used only if no user except this one and root can change them.
import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect } from "vitest";
import {
  checkTrusted,
  preparePrivateFolder,
  readTrustedFile,
  warningsAbout,
} from "../../src/system/trusted.ts";
import { thrownFailure } from "../support/thrown-failure.ts";
import { test } from "../support/grantctl.ts";
import { json, on } from "../support/serve.ts";
import { makeFolder } from "../support/state-folder.ts";

const userId = process.geteuid?.() ?? null;
/** Only root can change the owner of a file. */
const isRoot = userId === 0;
const other = 12345;

const trust = { userId, named: [] };
const read = (path: string, named: readonly string[] = []): string | null =>
  readTrustedFile(path, { userId, named })?.toString() ?? null;
const refusal = async (path: string, named: readonly string[] = []): Promise<string> => {
  const failure = await thrownFailure(() => Promise.resolve().then(() => read(path, named)));
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

  test("that is not there is null, and distrusts nobody", () => {
    const folder = makeFolder();
    chmodSync(folder, 0o777);
    expect(read(join(folder, "a", "file"))).toBeNull();
  });

  test("that others can change is rejected, and so is one below a folder that they can change", async () => {
    const above = join(makeFolder(), "above");
    mkdirSync(join(above, "own"), { recursive: true, mode: 0o700 });
    const path = makeFile(join(above, "own"));
    chmodSync(path, 0o602);
    expect(await refusal(path)).toContain(path);
    chmodSync(path, 0o600);
    chmodSync(above, 0o707);
    expect(await refusal(path)).toContain(`change ${above}, which belongs to user ${userId}`);
  });

  test("must be a plain one: a pipe is not waited for", async () => {
    const path = join(makeFolder(), "pipe");
    execFileSync("mkfifo", ["-m", "600", path]);
    expect(await refusal(path)).toContain("is not a file");
  });

  test("in a private folder that the environment names is read, whatever is above, with a warning", async () => {
    const above = makeFolder();
    chmodSync(above, 0o777);
    const named = join(above, "named");
    mkdirSync(named, { mode: 0o700 });
    const path = makeFile(named);
    expect(await refusal(path)).toContain(`other users can change ${above},`);
    expect(read(path, [named])).toBe("text");
    expect(warningsAbout({ userId, named: [named] })).toHaveLength(1);
    expect(await refusal(path, [named.slice(0, -1)])).toContain(`other users can change ${above},`);
    // One that others can enter is not trusted for being named.
    chmodSync(named, 0o755);
    expect(await refusal(path, [named])).toContain(`other users can change ${above},`);
    expect(warningsAbout({ userId, named: [named, "/nonexistent"] })).toEqual([]);
  });

  describe.runIf(isRoot)("of another user", () => {
    test("or group is trusted only if the group is the user's own", async () => {
      const above = join(makeFolder(), "above");
      mkdirSync(above, { mode: 0o700 });
      const path = makeFile(above);
      for (const each of [above, path]) chmodSync(each, 0o770);
      expect(read(path)).toBe("text");
      chownSync(path, 0, other);
      expect(await refusal(path)).toContain(`other users can change ${path}`);
      chownSync(path, 0, 0);
      chownSync(above, 0, other);
      expect(await refusal(path)).toContain(`other users can change ${above},`);
    });

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
      const failure = await thrownFailure(() =>
        Promise.resolve().then(() => checkTrusted(join(folder, ".config", "grantctl"), trust)),
      );
      expect(failure.message).toContain(`${folder} belongs to user ${other}`);
    });
  });
});

function homeOf(user: number): string {
  const home = join(makeFolder(), "home");
  const folder = join(home, ".config", "grantctl");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(
    join(folder, "config.json"),
    JSON.stringify({ profiles: { default: { password_command: `touch ${join(home, "ran")}` } } }),
    { mode: 0o600 },
  );
  execFileSync("chown", ["-R", String(user), home]);
  return home;
}

describe.runIf(isRoot)("root, with the home folder of another user,", () => {
  test("runs no command of the configuration there", async ({ grantctl }) => {
    const GRANTCTL_CONFIG_DIR = join(homeOf(other), ".config", "grantctl");
    const { code, stderr } = await grantctl("grant list", { environment: { GRANTCTL_CONFIG_DIR } });
    expect(code).toBe(2);
    expect(stderr).toContain(`belongs to user ${other}`);
  });

  test("with nothing of grantctl's, reads what it likes, changes nothing", async ({ grantctl, serve }) => {
    const HOME = join(makeFolder(), "home");
    mkdirSync(HOME, { mode: 0o755 });
    chownSync(HOME, other, other);
    const server = await serve(on("GET /applications/grants", json(200, [])));
    const environment = {
      GRANTCTL_CONFIG_DIR: join(HOME, ".config", "grantctl"),
      GRANTCTL_STATE_DIR: join(HOME, ".local", "state", "grantctl"),
    };
    expect(await grantctl("grant list", { environment })).toMatchObject({ code: 0, stderr: "" });
    const run = await grantctl("authorization create --note x", { environment });
    expect(run.code).toBe(2);
    expect(run.stderr).toContain(`${HOME} belongs to user ${other}, but grantctl runs as user 0`);
    expect(run.stderr).toContain("set GRANTCTL_CONFIG_DIR and GRANTCTL_STATE_DIR to directories of yours");
    expect(server.requests).toHaveLength(1);
  });
});

function modeOf(path: string): number {
  return statSync(path).mode & 0o7777;
}

describe.skipIf(process.platform === "win32")("a private folder", () => {
  test("is created for its owner alone, as are its missing parents", async () => {
    const top = makeFolder();
    await preparePrivateFolder(join(top, "a", "b"), trust);
    expect([modeOf(join(top, "a")), modeOf(join(top, "a", "b"))]).toEqual([0o700, 0o700]);
  });

  test("that others can read is made private", async () => {
    const path = makeFolder();
    chmodSync(path, 0o755);
    await preparePrivateFolder(path, trust);
    expect(modeOf(path)).toBe(0o700);
  });

  test("cannot be a shared one, which stays unchanged", async () => {
    const path = makeFolder();
    chmodSync(path, 0o1777);
    const failure = await thrownFailure(() => preparePrivateFolder(path, trust));
    expect([failure.kind, failure.message]).toEqual(["usage", `the directory ${path} is shared with others`]);
    expect(modeOf(path)).toBe(0o1777);
  });
});
