// The folders of grantctl's own files: private, and never somebody else's made so.
import { chmodSync, mkdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { preparePrivateFolder } from "../../src/files/private-folder.ts";
import { failureOf } from "../support/failure-of.ts";
import { makeFolder } from "../support/state-folder.ts";

const purpose = { name: "folder", consequence: "nothing can be kept", hint: "choose another" };

function modeOf(path: string): number {
  return statSync(path).mode & 0o7777;
}

describe.skipIf(process.platform === "win32")("a private folder", () => {
  test("is made, with those above it, for its owner alone", async () => {
    const top = makeFolder();
    await preparePrivateFolder(join(top, "a", "b"), purpose, process.geteuid?.() ?? null);
    expect([modeOf(join(top, "a")), modeOf(join(top, "a", "b"))]).toEqual([0o700, 0o700]);
  });

  test("that others may look into is closed to them", async () => {
    const path = makeFolder();
    chmodSync(path, 0o755);
    await preparePrivateFolder(path, purpose, process.geteuid?.() ?? null);
    expect(modeOf(path)).toBe(0o700);
  });

  test("is not one that everybody shares, which stays as it is", async () => {
    const path = makeFolder();
    chmodSync(path, 0o1777);
    const failure = await failureOf(() => preparePrivateFolder(path, purpose, process.geteuid?.() ?? null));
    expect([failure.kind, failure.message]).toEqual([
      "usage",
      `${path} is shared with others, so nothing can be kept`,
    ]);
    expect(modeOf(path)).toBe(0o1777);
  });

  test("is not looked for without end where none can be made", async () => {
    for (const path of ["/proc/x", "/proc/x/state", "/proc/self/x/y/z", "/dev/null/x"]) {
      expect(
        (await failureOf(() => preparePrivateFolder(path, purpose, process.geteuid?.() ?? null))).kind,
      ).toBe("usage");
    }
  });

  test("is not a file, nor a link to a folder, nor below a file", async () => {
    const top = makeFolder();
    writeFileSync(join(top, "file"), "");
    mkdirSync(join(top, "real"), { mode: 0o755 });
    symlinkSync(join(top, "real"), join(top, "link"));
    for (const name of ["file", "link", "file/below"]) {
      expect(
        (await failureOf(() => preparePrivateFolder(join(top, name), purpose, process.geteuid?.() ?? null)))
          .kind,
      ).toBe("usage");
    }
    expect(modeOf(join(top, "real"))).toBe(0o755);
  });
});
