// The table of modules in docs/development.md: it has every module, and each imports only those below it, types aside.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { expect, test } from "vitest";

const src = join(import.meta.dirname, "../../src");
const table = readFileSync(join(import.meta.dirname, "../../docs/development.md"), "utf8")
  .split("\n")
  .filter((line) => line.startsWith("| `"))
  .map((line) => [...(line.split("|")[1] ?? "").matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name));
const modules = readdirSync(src);
const rows = table.filter((names) => names.some((name) => modules.includes(name)));
const floorOf = (path: string): number => {
  const [name = ""] = relative(src, path).split("/");
  return rows.findIndex((names) => names.includes(name));
};

test("the table has every module once", () => {
  expect(rows.flat().toSorted()).toEqual(modules.toSorted());
});

test("a module imports values only from modules below it", () => {
  const files = readdirSync(src, { recursive: true, encoding: "utf8" }).filter((file) =>
    file.endsWith(".ts"),
  );
  const upward = files.flatMap((file) => {
    const imports = readFileSync(join(src, file), "utf8").matchAll(
      /(?:^import (?!type )(?:\{([^}]*)\} from |[^"{]* from )?|^export (?:\{[^}]*\}|\*) from |import\()"(\.[^"]*)"/gm,
    );
    return [...imports].flatMap(([, names = "a value", path = ""]) => {
      const isOfTypes = names.split(",").every((name) => /^\s*(?:type .*)?$/.test(name));
      const target = join(src, dirname(file), path);
      return isOfTypes || floorOf(target) >= floorOf(join(src, file)) ? [] : `${file} -> ${path}`;
    });
  });
  expect(files.length).toBeGreaterThan(100);
  expect(upward).toEqual([]);
});
