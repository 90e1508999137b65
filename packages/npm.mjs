// The parts from npm: the tarball of grantctl itself, the packages that it needs on a system, and Node for it. All of
// it at the versions of the lock file or of targets.mjs, and without running any script of theirs.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { nodeVersion } from "./targets.mjs";

const root = join(import.meta.dirname, "..");

/** Runs it to its end and gives back what it printed; its complaints are shown. */
export function run(command, words, options = {}) {
  return execFileSync(command, words, {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
    maxBuffer: 1 << 26,
    ...options,
  });
}

/** The required and the allowed contents of the tarball, and its greatest size in bytes. */
const needed = [
  "package.json",
  "bin/grantctl.js",
  "dist/main.cjs",
  "dist/keychain-helper.cjs",
  "dist/grantctl.1",
  "LICENSE",
];
const shipped = ["README.md", "CHANGELOG.md", "THIRD-PARTY-NOTICES.txt", "sbom.cdx.json"];
const folders = /^(?:bin|dist)\/[\w.-]+$/;
const largest = 1_000_000;

/** Why a tarball with these files and this size must not be published; null if it may. */
export function findTarballProblem(files, bytes) {
  const missing = [...needed, ...shipped].filter((file) => !files.includes(file));
  if (missing.length > 0) return `the tarball lacks ${missing.join(", ")}`;
  const known = new Set([...needed, ...shipped]);
  const foreign = files.filter((file) => !known.has(file) && !folders.test(file));
  if (foreign.length > 0) return `the tarball has ${foreign.join(", ")}, which nobody needs`;
  return bytes > largest ? `the tarball has ${bytes} bytes, more than ${largest}` : null;
}

/** Packs grantctl, which was built, as it is published, checks what is in it, and gives back the tarball's path in `folder`. */
export function packProgram(folder) {
  const tarball = join(
    folder,
    run("npm", ["pack", "--silent", "--ignore-scripts", "--pack-destination", folder], { cwd: root }).trim(),
  );
  const files = run("tar", ["-tzf", tarball]).trim().split("\n");
  const problem = findTarballProblem(
    files.map((file) => file.replace("package/", "")),
    statSync(tarball).size,
  );
  if (problem !== null) throw new Error(problem);
  return tarball;
}

/** Unpacks Node for a system into `folder`. Throws when npm gives other bytes than the ones that are written down. */
export function fetchNode({ name, integrity }, folder) {
  mkdirSync(folder, { recursive: true });
  const packed = run("npm", [
    "pack",
    "--silent",
    "--pack-destination",
    folder,
    `node-${name}@${nodeVersion}`,
  ]);
  const tarball = join(folder, packed.trim());
  const found = `sha512-${createHash("sha512").update(readFileSync(tarball)).digest("base64")}`;
  if (found !== integrity) throw new Error(`node-${name}@${nodeVersion} is ${found}, not ${integrity}`);
  run("tar", ["-xzf", tarball, "-C", folder, "--strip-components=1"]);
  rmSync(tarball);
}

/** Parts of packages that no run of grantctl loads: sources, types, other systems' builds, a copy for browsers. */
function isUnused(file, { os, cpu }) {
  return (
    /\.d\.[mc]?ts$|(?:^|\/)README\.md$|^\.package-lock\.json$|^\.bin\/|^node-addon-api\//.test(file) ||
    /^jq-wasm\/dist\/(?:inline|browser|edge)\b/.test(file) ||
    // npm takes the builds for both C libraries; Node's own program is for this one.
    /^@libsql\/[^/]+-musl\//.test(file) ||
    (/^keytar\/(?!lib\/|package\.json|LICENSE)/.test(file) &&
      file !== `keytar/prebuilds/${os}-${cpu}/keytar.node`)
  );
}

/** Puts the packages that grantctl needs on a system into `folder`. */
export function installPackages(target, folder, scratch) {
  mkdirSync(scratch, { recursive: true });
  for (const file of ["package.json", "package-lock.json"]) cpSync(join(root, file), join(scratch, file));
  const system = [
    `--os=${target.os}`,
    `--cpu=${target.cpu}`,
    ...(target.libc === null ? [] : [`--libc=${target.libc}`]),
  ];
  run("npm", ["ci", "--silent", "--ignore-scripts", "--omit=dev", "--no-audit", "--no-fund", ...system], {
    cwd: scratch,
  });
  renameSync(join(scratch, "node_modules"), folder);
  for (const file of listFiles(folder)) if (isUnused(file, target)) rmSync(join(folder, file));
  removeEmptyFolders(folder);
}

/** Every file below a folder, by its path there, in the order of the bytes of their names. */
export function listFiles(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .toSorted((one, other) => (one < other ? -1 : 1));
}

function removeEmptyFolders(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) removeEmptyFolders(join(folder, entry.name));
  }
  if (readdirSync(folder).length === 0) rmSync(folder, { recursive: true });
}
