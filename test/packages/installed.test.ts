// Complete packages, in a soak test: builds are reproducible and run; and the Debian package is installed,
// run and removed in a separate root.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { writeDebianPackage } from "../../packages/debian.mjs";
import { listFiles, packProgram } from "../../packages/npm.mjs";
import { layOutProgram } from "../../packages/program.mjs";
import { targets } from "../../packages/targets.mjs";
import { runProgram } from "../support/binary.ts";
import { inFull } from "../support/soak.ts";
import { makeFolder } from "../support/state-folder.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const [target] = targets.filter(({ os, cpu }) => os === process.platform && cpu === process.arch);
const canRun = inFull(false, true) && target !== undefined && existsSync("/usr/bin/dpkg-deb");

/** Name, mode and contents of each file. */
function describeTree(folder: string): readonly (readonly [string, number, string])[] {
  return listFiles(folder).map((path) => {
    const file = join(folder, path);
    return [path, statSync(file).mode, createHash("sha256").update(readFileSync(file)).digest("hex")];
  });
}

function layOut(): string {
  const folder = join(realpathSync(makeFolder()), "grantctl");
  mkdirSync(folder);
  layOutProgram(target, packProgram(makeFolder()), folder, makeFolder());
  return folder;
}

test.runIf(canRun)(
  "two builds of the packages are identical, and are installed, run and removed",
  { tags: "soak" },
  async () => {
    const program = layOut();
    expect(describeTree(layOut())).toEqual(describeTree(program));
    const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as Readonly<
      Record<string, string>
    >;
    const environment = { PATH: "/usr/bin:/bin", HOME: makeFolder() };
    const grantctl = join(program, "bin/grantctl");
    expect((await runProgram(grantctl, ["--version"], { environment })).stdout).toBe(
      `${manifest["version"]}\n`,
    );
    // Compressing Node takes longer than everything else, so it stays outside: a script starts the Node that just ran.
    const node = join(program, "lib/grantctl/node");
    const large = join(makeFolder(), "node");
    renameSync(node, large);
    writeFileSync(node, `#!/bin/sh\nexec '${large}' "$@"\n`);
    const file = join(makeFolder(), "grantctl.deb");
    writeDebianPackage(program, manifest, target?.debian, file, 1_700_000_000, makeFolder());

    const system = makeFolder();
    for (const folder of ["info", "updates"])
      mkdirSync(join(system, "var/lib/dpkg", folder), { recursive: true });
    writeFileSync(join(system, "var/lib/dpkg/status"), "");
    const dpkg = (...words: readonly string[]): string =>
      execFileSync("dpkg", [`--root=${system}`, "--force-depends", "--force-not-root", ...words], {
        encoding: "utf8",
        stdio: ["ignore", "pipe", "ignore"],
      });
    dpkg("--install", file);
    const installed = join(system, "usr/bin/grantctl");
    const listed = ["sandbox", "run", "--", installed, "grant", "list", "--jq", ".[].id"];
    const { code, stdout, stderr } = await runProgram(installed, listed, { environment });
    expect([code, stdout.split("\n").length > 2, stderr]).toEqual([0, true, ""]);
    const manual = execFileSync("gzip", ["-dc", join(system, "usr/share/man/man1/grantctl.1.gz")], {
      encoding: "utf8",
    });
    expect(manual).toContain("grantctl grant list");
    dpkg("--purge", "grantctl");
    expect(existsSync(join(system, "usr/lib/grantctl")) || existsSync(installed)).toBe(false);
  },
);
