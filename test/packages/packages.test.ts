// The parts of `npm run package`; a soak test builds and installs complete packages.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, test, vi } from "vitest";
import { parse } from "yaml";
import { writeTar, writeZip } from "../../packages/archives.mjs";
import { addToBill } from "../../packages/bill.mjs";
import { writeDebianPackage } from "../../packages/debian.mjs";
import { findTarballProblem } from "../../packages/npm.mjs";
import { targets } from "../../packages/targets.mjs";
import { makeFolder } from "../support/state-folder.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const seconds = 1_700_000_001;

const hasProgram = (name: string): boolean => {
  try {
    execFileSync("which", [name], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
};

function put(file: string, text: string, mode = 0o644): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  chmodSync(file, mode);
}

/** A small program layout. Its files are created in the given order, with different dates and modes. */
function layOutSmall(order: readonly number[], date: number, umask: number): string {
  const folder = join(makeFolder(), "grantctl-1.2.3-linux-x64");
  const files: readonly (readonly [string, number])[] = [
    ["bin/grantctl", 0o777],
    ["lib/grantctl/node", 0o777],
    ["lib/grantctl/bin/grantctl.js", 0o666],
    ["share/man/man1/grantctl.1", 0o666],
    ["share/zsh/site-functions/_grantctl", 0o666],
    ["share/doc/grantctl/LICENSE", 0o666],
    ["share/doc/grantctl/CHANGELOG.md", 0o666],
  ];
  for (const place of order) {
    const [name, mode] = files[place] ?? ["", 0];
    const file = join(folder, name);
    put(file, `${name} has this in it\n`.repeat(9), mode & ~umask);
    utimesSync(file, date + place, date + place);
  }
  return folder;
}

const one = (): string => layOutSmall([0, 1, 2, 3, 4, 5, 6], 1_600_000_000, 0o022);
const other = (): string => layOutSmall([5, 3, 1, 6, 4, 2, 0], 1_650_000_000, 0o077);

/** A program whose Node prints its arguments and exits with code 7, and links to it. */
function layOutLauncher(): string {
  const home = join(makeFolder(), "a folder für alles");
  put(join(home, "bin/grantctl"), readFileSync(join(root, "packages/grantctl.sh"), "utf8"), 0o755);
  put(join(home, "lib/grantctl/node"), '#!/bin/sh\nprintf "<%s>" "$@"\nexit 7\n', 0o755);
  symlinkSync("grantctl", join(home, "bin/first"));
  symlinkSync(join(home, "bin/first"), join(home, "second"));
  return home;
}

test.each([
  ["by its path", "bin/grantctl", ""],
  ["from its own folder", "./grantctl", "bin"],
  ["through a link to a link", "../second", "bin"],
  ["by a shell that knows its name alone", "sh grantctl", "bin"],
])(
  "the launcher, started %s, passes arguments unchanged and exits with the program's exit code",
  (_, command, folder) => {
    const line = `${command} "two words" "" "*" || echo " $?"`;
    const printed = execFileSync("sh", ["-c", line], {
      cwd: join(layOutLauncher(), folder),
      encoding: "utf8",
    });
    expect(printed).toMatch(/^<.*\/lib\/grantctl\/bin\/grantctl\.js><two words><><\*> 7\n$/);
  },
);

function archive(folder: string, name: string, write: typeof writeTar): Buffer {
  const file = join(makeFolder(), name);
  write(folder, file, seconds);
  return readFileSync(file);
}

describe("an archive has the same bytes for the same files", () => {
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  test("as a tar, whatever their dates, modes and order", () => {
    const first = archive(one(), "a.tar.gz", writeTar);
    expect(first.equals(archive(other(), "b.tar.gz", writeTar))).toBe(true);
    expect(first.length).toBeGreaterThan(200);
  });

  test("as a zip, in any time zone", () => {
    vi.stubEnv("TZ", "Asia/Kolkata");
    const first = archive(one(), "a.zip", writeZip);
    vi.stubEnv("TZ", "America/New_York");
    expect(first.equals(archive(other(), "b.zip", writeZip))).toBe(true);
    expect(first.length).toBeGreaterThan(200);
  });
});

const plain = (path: string): readonly string[] => ["-rw-r--r--", "root/root", path];

describe.skipIf(!hasProgram("dpkg-deb"))("a Debian package (dpkg-deb)", () => {
  const manifest = { version: "1.2.3", license: "MIT" };
  function build(program: string): string {
    const file = join(makeFolder(), "grantctl.deb");
    writeDebianPackage(program, manifest, "amd64", file, seconds, makeFolder());
    return file;
  }

  test("has the same bytes for the same files, whatever their dates and modes", () => {
    expect(readFileSync(build(one())).equals(readFileSync(build(other())))).toBe(true);
  });

  test("has all files in Debian's locations, readable by everybody", () => {
    const file = build(other());
    const rows = execFileSync("dpkg-deb", ["--contents", file], { encoding: "utf8" }).trim().split("\n");
    const found = rows.map((row) => row.split(/ +/)).map(([mode, owner, , , , path]) => [mode, owner, path]);
    expect(found.filter(([mode]) => mode?.startsWith("-"))).toEqual([
      ["-rwxr-xr-x", "root/root", "./usr/bin/grantctl"],
      plain("./usr/lib/grantctl/bin/grantctl.js"),
      ["-rwxr-xr-x", "root/root", "./usr/lib/grantctl/node"],
      plain("./usr/share/doc/grantctl/changelog.gz"),
      plain("./usr/share/doc/grantctl/copyright"),
      plain("./usr/share/man/man1/grantctl.1.gz"),
      plain("./usr/share/zsh/vendor-completions/_grantctl"),
    ]);
    expect(found.filter(([mode]) => mode?.startsWith("d")).map(([mode]) => mode)).not.toContain("drwx------");
    const field = (name: string): string =>
      execFileSync("dpkg-deb", ["--field", file, name], { encoding: "utf8" }).trim();
    expect([field("Package"), field("Version"), field("Architecture")]).toEqual([
      "grantctl",
      "1.2.3",
      "amd64",
    ]);
  });
});

describe("npm's tarball", () => {
  const files = [
    "package.json",
    "bin/grantctl.js",
    "dist/main.cjs",
    "dist/keychain-helper.cjs",
    "LICENSE",
    "README.md",
    "CHANGELOG.md",
    "THIRD-PARTY-NOTICES.txt",
    "sbom.cdx.json",
    "dist/grantctl.1",
  ];

  test.each([
    ["has all that it needs", files, 1000, null],
    ["without notices is refused", files.toSpliced(7, 1), 1000, "the tarball lacks THIRD-PARTY-NOTICES.txt"],
    [
      "with a test in it is refused",
      [...files, "test/a.ts"],
      1000,
      "the tarball has test/a.ts, which nobody needs",
    ],
    ["that grew is refused", files, 2_000_000, "the tarball has 2000000 bytes, more than 1000000"],
  ])("that %s", (_, list, bytes, problem) => {
    expect(findTarballProblem(list, bytes)).toBe(problem);
  });
});

test("a bill of materials lists Node and the packages beside the bundle once each, with references to all", () => {
  const program = makeFolder();
  for (const [name, license] of [
    ["jq-wasm", "MIT"],
    ["@neon-rs/load", "MIT"],
  ])
    put(
      join(program, "node_modules", name ?? "", "package.json"),
      JSON.stringify({ name, version: "1.0.0", license }),
    );
  const bill = JSON.parse(addToBill(join(root, "sbom.cdx.json"), program, "24.0.0")) as {
    readonly components: readonly { readonly "bom-ref": string; readonly purl: string }[];
    readonly dependencies: readonly { readonly ref: string; readonly dependsOn?: readonly string[] }[];
    readonly metadata: { readonly component: { readonly "bom-ref": string } };
  };
  const references = bill.components.map((component) => component["bom-ref"]);
  expect(references).toEqual(expect.arrayContaining(["node@24.0.0", "jq-wasm@1.0.0", "@neon-rs/load@1.0.0"]));
  expect(new Set(references).size).toBe(references.length);
  const own = bill.metadata.component["bom-ref"];
  expect(bill.dependencies.find(({ ref }) => ref === own)?.dependsOn).toEqual(references);
  expect(bill.dependencies.map(({ ref }) => ref).toSorted()).toEqual([own, ...references].toSorted());
  expect(bill.components.map(({ purl }) => purl)).toContain("pkg:npm/%40neon-rs/load@1.0.0");
});

test("npm and Node support every system, with one version of Node", () => {
  expect(targets.map(({ name }) => name)).toEqual(["linux-x64", "linux-arm64", "win-x64"]);
  for (const { integrity } of targets) expect(Buffer.from(integrity.slice(7), "base64")).toHaveLength(64);
  const windows = readFileSync(join(root, "packages/grantctl.cmd"), "utf8");
  // Absolute paths, so that nothing from the current folder runs.
  expect(windows).toContain('@"%~dp0lib\\grantctl\\node.exe" "%~dp0lib\\grantctl\\bin\\grantctl.js" %*');
});

describe("the examples in docs/packaging", () => {
  const read = (name: string): string => readFileSync(join(root, "docs/packaging", name), "utf8");
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    readonly version: string;
  };

  test("the formula is for this version, and installs files of the tarball", () => {
    expect(read("grantctl.rb")).toContain(`/grantctl-${version}.tgz"`);
    expect(read("grantctl.rb")).toContain('libexec/"lib/node_modules/grantctl/dist/grantctl.1"');
  });

  test.skipIf(!hasProgram("curl"))(
    "the CI step adds a download to PATH only if its checksum is right",
    () => {
      const action = parse(read("action.yml")) as {
        readonly runs: { readonly steps: readonly { readonly run: string; readonly shell: string }[] };
      };
      const [step] = action.runs.steps;
      const folder = makeFolder();
      const archived = join(folder, "grantctl.tar.gz");
      writeTar(one(), archived, seconds);
      const sum = createHash("sha256").update(readFileSync(archived)).digest("hex");
      const runStep = (SHA256: string): string =>
        execFileSync(step?.shell ?? "", ["-c", step?.run ?? ""], {
          encoding: "utf8",
          stdio: "pipe",
          env: {
            PATH: process.env["PATH"],
            URL: `file://${archived}`,
            SHA256,
            RUNNER_TEMP: folder,
            GITHUB_PATH: join(folder, "path"),
          },
        });
      expect(() => runStep("0".repeat(64))).toThrow(/checksum/);
      expect(existsSync(join(folder, "path"))).toBe(false);
      runStep(sum);
      const bin = readFileSync(join(folder, "path"), "utf8").trim();
      expect(existsSync(join(bin, "grantctl"))).toBe(true);
    },
  );
});
