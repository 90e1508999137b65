// The bill of materials of a package that carries more than the bundle: Node, and the packages beside it.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { listFiles } from "./npm.mjs";

/** The text of a bill with Node and every package that lies in `program`/node_modules added to what the bundle has. */
export function addToBill(file, program, nodeVersion) {
  const bill = JSON.parse(readFileSync(file, "utf8"));
  const manifests = listFiles(join(program, "node_modules")).filter((path) =>
    /^(?:@[^/]+\/)?[^/]+\/package\.json$/.test(path),
  );
  const packages = manifests.map((path) =>
    JSON.parse(readFileSync(join(program, "node_modules", path), "utf8")),
  );
  const added = [
    describe("node", nodeVersion, "MIT", `pkg:generic/node@${nodeVersion}`),
    ...packages.map(({ name, version, license }) =>
      describe(name, version, license, `pkg:npm/${name.replace("@", "%40")}@${version}`),
    ),
  ];
  const components = [...bill.components, ...added].toSorted((one, other) =>
    one["bom-ref"] < other["bom-ref"] ? -1 : 1,
  );
  const own = bill.metadata.component["bom-ref"];
  const references = components.map((component) => component["bom-ref"]);
  const dependencies = bill.dependencies.map((entry) =>
    entry.ref === own ? { ...entry, dependsOn: references } : entry,
  );
  const mentioned = new Set(dependencies.map(({ ref }) => ref));
  const others = added.filter((component) => !mentioned.has(component["bom-ref"]));
  return `${JSON.stringify({ ...bill, components, dependencies: [...dependencies, ...others.map((component) => ({ ref: component["bom-ref"] }))] }, null, 2)}\n`;
}

function describe(name, version, license, purl) {
  return {
    type: "library",
    name,
    version,
    "bom-ref": `${name}@${version}`,
    licenses: [{ license: { id: license } }],
    purl,
  };
}
