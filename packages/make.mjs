// Makes what distributors and people without npm install, into release/: npm's tarball, archives that carry Node, Debian
// packages, and their checksums. `npm run package` makes all, `npm run package -- linux-x64` those for one system. The
// same commit gives the same bytes: every date is the commit's, or SOURCE_DATE_EPOCH.
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sizeOf, writeTar, writeZip } from "./archives.mjs";
import { writeDebianPackage } from "./debian.mjs";
import { packProgram, run } from "./npm.mjs";
import { layOutProgram } from "./program.mjs";
import { targets } from "./targets.mjs";

const root = join(import.meta.dirname, "..");
const release = join(root, "release");
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const seconds = Number(
  process.env.SOURCE_DATE_EPOCH ?? run("git", ["log", "-1", "--format=%ct"], { cwd: root }),
);
const chosen = process.argv.slice(2);
const unknown = chosen.filter((name) => !targets.some((target) => target.name === name));

function make() {
  rmSync(release, { recursive: true, force: true });
  mkdirSync(release);
  run("npm", ["run", "--silent", "build"], {
    cwd: root,
    env: { ...process.env, SOURCE_DATE_EPOCH: String(seconds) },
  });
  const tarball = packProgram(release);
  for (const target of targets.filter(({ name }) => chosen.length === 0 || chosen.includes(name))) {
    const scratch = mkdtempSync(join(tmpdir(), "grantctl-package-"));
    try {
      makeFor(target, tarball, scratch);
    } finally {
      rmSync(scratch, { recursive: true, force: true });
    }
  }
  const sums = readdirSync(release)
    .toSorted()
    .map((name) => [
      name,
      createHash("sha256")
        .update(readFileSync(join(release, name)))
        .digest("hex"),
    ]);
  writeFileSync(join(release, "SHA256SUMS"), sums.map(([name, sum]) => `${sum}  ${name}\n`).join(""));
  for (const [name, sum] of sums)
    process.stdout.write(`${sum}\t${statSync(join(release, name)).size}\t${name}\n`);
}

function makeFor(target, tarball, scratch) {
  const name = `grantctl-${manifest.version}-${target.name}`;
  const program = join(scratch, name);
  mkdirSync(program);
  layOutProgram(target, tarball, program, scratch);
  process.stderr.write(`${name}: ${sizeOf(program)} bytes unpacked\n`);
  if (target.os === "win32") writeZip(program, join(release, `${name}.zip`), seconds);
  else writeTar(program, join(release, `${name}.tar.gz`), seconds);
  if (target.debian === null) return;
  const file = join(release, `grantctl_${manifest.version}_${target.debian}.deb`);
  writeDebianPackage(program, manifest, target.debian, file, seconds, scratch);
}

if (unknown.length === 0) make();
else {
  process.stderr.write(
    `there is no package for ${unknown.join(", ")}: ${targets.map(({ name }) => name).join(", ")}\n`,
  );
  process.exitCode = 2;
}
