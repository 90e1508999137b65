// The build of keytar for a machine, and the reported reason if it cannot be loaded. The messages of musl
// come from musl's own loader (Debian: musl), because there is no Node for it here.
import { spawn, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { keytarBuildFor } from "../../src/credentials/keychain-protocol.ts";
import { program } from "../support/binary.ts";
import { noSecretServiceReason } from "../support/secret-service.ts";
import { makeFolder } from "../support/state-folder.ts";

const packages = fileURLToPath(new URL("../../node_modules/", import.meta.url));
const helper = join(dirname(dirname(program)), "dist/keychain-helper.cjs");
const muslLoader = "/lib/ld-musl-x86_64.so.1";
const hasKeytar = existsSync(join(packages, "keytar"));

test.skipIf(!hasKeytar).each([
  ["linux", "x64", { glibcVersionRuntime: "2.36" }, "linux-x64"],
  ["linux", "arm64", { glibcVersionRuntime: "2.36" }, "linux-arm64"],
  ["linux", "x64", {}, "linuxmusl-x64"],
  ["linux", "arm64", {}, "linuxmusl-arm64"],
] as const)("%s on %s gets, if Node reports %o, the build %s", (platform, architecture, header, name) => {
  const build = keytarBuildFor(platform, architecture, () => header);
  expect(build).toBe(`keytar/prebuilds/${name}/keytar.node`);
  expect(existsSync(join(packages, build))).toBe(true);
});

test.skipIf(!hasKeytar).each(["darwin", "win32"])("does not create a process report on %s", (platform) => {
  const build = keytarBuildFor(platform, "arm64", () => {
    throw new Error("it is slow");
  });
  expect(build).toBe(`keytar/prebuilds/${platform}-arm64/keytar.node`);
  expect(existsSync(join(packages, build))).toBe(true);
});

/**
 * The response of the helper to a request for an entry, with a keytar that loads nothing and has these
 * builds.
 */
async function askHelper(builds: Readonly<Record<string, (file: string) => void>>): Promise<string> {
  const folder = makeFolder();
  const keytar = join(folder, "node_modules/keytar");
  mkdirSync(join(folder, "dist"));
  for (const name of readdirSync(dirname(helper))) {
    if (name.startsWith("keychain-")) cpSync(join(dirname(helper), name), join(folder, "dist", name));
  }
  for (const [name, put] of Object.entries(builds)) {
    mkdirSync(join(keytar, "prebuilds", name), { recursive: true });
    put(join(keytar, "prebuilds", name, "keytar.node"));
  }
  writeFileSync(join(keytar, "package.json"), '{"name":"keytar","main":"keytar.js"}');
  writeFileSync(join(keytar, "keytar.js"), 'throw new Error("Failed to load keytar native addon")');
  // Node's report with musl as the C library.
  const report = join(folder, "report.cjs");
  writeFileSync(report, "process.report.getReport = () => ({ header: {} });");
  const child = spawn(process.execPath, ["--require", report, join(folder, "dist/keychain-helper.cjs")], {
    env: { PATH: process.env["PATH"], DBUS_SESSION_BUS_ADDRESS: "unix:path=/nonexistent/bus" },
    stdio: ["pipe", "pipe", "inherit"],
  });
  child.stdin.end(`${JSON.stringify({ call: "get", service: "grantctl:test", account: "a" })}\n`);
  const [ready, response] = Buffer.concat(await child.stdout.toArray())
    .toString("utf8")
    .split("\n");
  expect(ready).toBe('{"ready":true}');
  return response ?? "";
}

const putBroken = (file: string): void => {
  writeFileSync(file, "no library");
};

const linuxOnly = process.platform === "linux" && hasKeytar;

test.runIf(linuxOnly)("reports the failure of the musl build with musl", async () => {
  const name = `linuxmusl-${process.arch}`;
  const answer = await askHelper({ [name]: putBroken, [`linux-${process.arch}`]: putBroken });
  expect(JSON.parse(answer)).toEqual({
    problem: "absent",
    reason: expect.stringContaining(`/prebuilds/${name}/keytar.node: `) as string,
  });
});

test.runIf(linuxOnly && noSecretServiceReason === null)(
  "uses the musl build with musl, even if keytar tried another (Secret Service)",
  async () => {
    const own = join(packages, `keytar/prebuilds/linux-${process.arch}/keytar.node`);
    const answer = await askHelper({ [`linuxmusl-${process.arch}`]: (file) => cpSync(own, file) });
    // Libsecret is called; the bus has no Secret Service.
    expect(JSON.parse(answer)).toEqual({
      problem: "absent",
      reason: expect.stringContaining("Could not connect") as string,
    });
  },
);

test.skipIf(!hasKeytar || !existsSync(muslLoader))(
  "musl's loader finds its own C library for that build, and reports that libsecret is missing (musl)",
  () => {
    const build = join(
      packages,
      keytarBuildFor("linux", "x64", () => ({})),
    );
    const { stdout, stderr } = spawnSync(muslLoader, ["--list", build], { encoding: "utf8" });
    expect(stdout).toContain("ld-musl-x86_64.so.1");
    expect(stderr.split("\n")[0]).toMatch(
      /^Error loading shared library libsecret-1\.so\.0: No such file or directory/,
    );
  },
);
