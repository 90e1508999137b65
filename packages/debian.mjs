// A Debian package from a laid-out program, by dpkg-deb. It carries Node: no release of Debian has one that is new enough
// (bookworm 18.20, trixie 20.19), so that a dependency could only be met from elsewhere.
import { createHash } from "node:crypto";
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sizeOf } from "./archives.mjs";
import { listFiles, run } from "./npm.mjs";

/** The control data of a package for dpkg: its fields, with the installed size in KiB. */
function describePackage({ version, license }, architecture, bytes) {
  return [
    "Package: grantctl",
    `Version: ${version}`,
    `Architecture: ${architecture}`,
    "Maintainer: the grantctl authors <grantctl@example.com>",
    `Installed-Size: ${Math.ceil(bytes / 1024)}`,
    "Depends: libc6 (>= 2.28), libstdc++6",
    "Recommends: libsecret-1-0",
    "Suggests: bash-completion",
    "Section: admin",
    "Priority: optional",
    "Description: manage OAuth grants and tokens from the command line",
    " See who has access to an account and take it away, create fingerprinted tokens",
    " from scripts, check, reset and revoke an application's tokens. The whole service",
    ` is inside as a sandbox. It comes with its own Node. Licence: ${license}.`,
    "",
  ].join("\n");
}

/** Presses every file below a folder, without a date. */
function press(folder) {
  const files = listFiles(folder).map((file) => join(folder, file));
  run("gzip", ["-9", "--no-name", ...files]);
}

/** Writes a .deb of a program that layOutProgram made for a Linux, with this date (seconds since the epoch). */
export function writeDebianPackage(program, manifest, architecture, file, seconds, scratch) {
  const tree = join(scratch, "tree");
  mkdirSync(tree, { recursive: true });
  cpSync(program, join(tree, "usr"), { recursive: true });
  const share = join(tree, "usr", "share");
  // Debian's places: zsh's of packages, pressed manuals, one file with every licence's name.
  renameSync(join(share, "zsh", "site-functions"), join(share, "zsh", "vendor-completions"));
  press(join(share, "man"));
  const documents = join(share, "doc", "grantctl");
  renameSync(join(documents, "LICENSE"), join(documents, "copyright"));
  renameSync(join(documents, "CHANGELOG.md"), join(documents, "changelog"));
  run("gzip", ["-9", "--no-name", join(documents, "changelog")]);
  setModes(tree);

  const control = join(tree, "DEBIAN");
  const sums = listFiles(join(tree, "usr")).map((path) => {
    const digest = createHash("md5")
      .update(readFileSync(join(tree, "usr", path)))
      .digest("hex");
    return `${digest}  usr/${path}\n`;
  });
  mkdirSync(control, { mode: 0o755 });
  writeFileSync(join(control, "control"), describePackage(manifest, architecture, sizeOf(join(tree, "usr"))));
  writeFileSync(join(control, "md5sums"), sums.join(""));
  for (const name of readdirSync(control)) chmodSync(join(control, name), 0o644);
  // One thread: how many there are shows in the bytes. And little effort: it is Node's program that takes the time.
  run("dpkg-deb", ["--root-owner-group", "-Zxz", "-z1", "--threads-max=1", "--build", tree, file], {
    env: { ...process.env, SOURCE_DATE_EPOCH: String(seconds) },
  });
}

/** Whatever the umask here was. */
function setModes(folder) {
  chmodSync(folder, 0o755);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) setModes(path);
    else chmodSync(path, /\/(?:bin\/grantctl|lib\/grantctl\/node)$/.test(path) ? 0o755 : 0o644);
  }
}
