// The notices and the bill of materials that the build writes name each package whose code is bundled, and are shipped.
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../", import.meta.url));
const read = (file: string): string => readFileSync(join(root, file), "utf8");

interface Manifest {
  readonly version: string;
  readonly license: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

interface Component {
  readonly name: string;
  readonly version: string;
  readonly purl: string;
}

const bill = JSON.parse(read("sbom.cdx.json")) as {
  readonly specVersion: string;
  readonly metadata: { readonly component: Component };
  readonly components: readonly Component[];
};
const notices = read("THIRD-PARTY-NOTICES.txt");
const manifestOf = (name: string): Manifest =>
  JSON.parse(read(`node_modules/${name}/package.json`)) as Manifest;

/** Packages without their own code, and the packages that the sources use from them. */
const reexports: Readonly<Record<string, readonly string[]>> = {
  "@inquirer/prompts": ["@inquirer/input", "@inquirer/password"],
};

/** The packages that the sources import, found without the bundler, except those outside the bundle. */
function importedPackages(): readonly string[] {
  const outside = ["libsql", "keytar", "jq-wasm"];
  const texts = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => read(`src/${file}`));
  const names = texts.flatMap((text) =>
    [
      ...text.matchAll(/(?:^import (?!type\b)[^;]*? from |\bimport\()"((?:@[^/"]+\/)?[^./"][^/":]*)[/"]/gm),
    ].map(([, name = ""]) => name),
  );
  return [...new Set(names)]
    .filter((name) => !outside.includes(name))
    .flatMap((name) => reexports[name] ?? [name])
    .toSorted();
}

test("lists every package that the sources import, with the installed version", () => {
  const imported = importedPackages();
  expect(imported).toEqual(expect.arrayContaining(["commander", "undici", "valibot"]));
  const wanted = imported.map((name) => ({ name, version: manifestOf(name).version }));
  const named = bill.components.map(({ name, version }) => ({ name, version }));
  expect(named).toEqual(expect.arrayContaining(wanted));
});

test("both list the same packages, each with a package URL and the text of its licence", () => {
  const lines = bill.components.map(({ name, version }) => `${name} ${version} (`);
  expect(lines.filter((line) => !notices.includes(`\n${line}`))).toEqual([]);
  const sections = notices.split(`\n${"-".repeat(80)}\n\n`).slice(1);
  expect(sections).toHaveLength(bill.components.length);
  expect(
    sections.filter((section) => !/copyright|licen[cs]e/i.test(section.split("\n").slice(1).join())),
  ).toEqual([]);
  const undici = bill.components.find(({ name }) => name === "undici");
  expect(undici?.purl).toBe(`pkg:npm/undici@${manifestOf("undici").version}`);
  expect(bill.specVersion).toBe("1.6");
});

test("lists no package that only tests and builds use", () => {
  const names = bill.components.map(({ name }) => name);
  for (const name of ["vitest", "typescript", "rolldown", "msw", "ajv"]) expect(names).not.toContain(name);
});

test("the installed package contains both", () => {
  const packed = execFileSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
    cwd: root,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  const [{ files } = { files: [] }] = JSON.parse(packed) as readonly { files: readonly { path: string }[] }[];
  const paths = files.map(({ path }) => path);
  expect(paths).toEqual(
    expect.arrayContaining(["THIRD-PARTY-NOTICES.txt", "sbom.cdx.json", "dist/main.cjs"]),
  );
  expect(existsSync(join(root, "dist/main.cjs"))).toBe(true);
});
