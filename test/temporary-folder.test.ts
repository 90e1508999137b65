// The temporary folder of a test run: not shared between users of one machine, and deleted afterwards.
import { existsSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { expect, test } from "vitest";
import { ownTemporaryFolder } from "./support/build-once.ts";
import { createTestHost } from "./support/test-host.ts";

test("tests run in a folder unique to this run", () => {
  expect(basename(tmpdir())).toMatch(/^grantctl-\w{6}$/);
  expect(statSync(tmpdir()).mode & 0o777).toBe(0o700);
  const { machine, environment } = createTestHost({}).host;
  for (const path of [machine.homeFolder, environment["GRANTCTL_STATE_DIR"]])
    expect(path).toContain(`${tmpdir()}/`);
});

test("the folder is deleted with its contents in the end, and the previous one is restored", () => {
  const before = tmpdir();
  const end = ownTemporaryFolder();
  const own = tmpdir();
  expect(dirname(own)).toBe(before);
  writeFileSync(join(own, "left"), "");
  end();
  expect([existsSync(own), tmpdir()]).toEqual([false, before]);
});
