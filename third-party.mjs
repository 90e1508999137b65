// Lists the packages whose code is in the bundle: THIRD-PARTY-NOTICES.txt with the license of each, and sbom.cdx.json, a
// CycloneDX list that tools compare with advisories. Both are generated from the bundler's own list, and are the same for
// the same packages: they contain no date or random value.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import CycloneDX from "@cyclonedx/cyclonedx-library";
import { writeWhole } from "./write-whole.mjs";

const { Enums, Models, Serialize, Spec } = CycloneDX;

/** The directories of the packages that these modules belong to, without duplicates. */
function packageFolders(moduleIds) {
  const folders = moduleIds.flatMap((id) => id.match(/^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/) ?? []);
  return [...new Set(folders)];
}

function readPackage(folder) {
  const { name, version, license, author } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const texts = readdirSync(folder)
    .filter((file) => /^(?:licen[cs]e|copying|notice)/i.test(file))
    .toSorted()
    .map((file) => readFileSync(join(folder, file), "utf8").trim());
  if (typeof license !== "string") throw new Error(`${name} does not name its licence`);
  const owner = typeof author === "string" ? author : author?.name;
  // Some packages contain only the name of their license; the text is in their repository.
  return { name, version, license, text: texts.join("\n\n") || `${license}, by ${owner ?? "its authors"}` };
}

const identify = ({ name, version }) => `${name}@${version}`;

function noticesOf(packages) {
  const sections = packages.map(
    ({ name, version, license, text }) => `${name} ${version} (${license})\n\n${text}\n`,
  );
  const opening = "grantctl's bundle in dist/ carries code of these packages, under their own licences.\n";
  return [opening, ...sections].join(`\n${"-".repeat(80)}\n\n`);
}

function componentOf(type, { name, version, license }) {
  const component = new Models.Component(type, name, {
    version,
    bomRef: identify({ name, version }),
    purl: `pkg:npm/${name.replace("@", "%40")}@${version}`,
  });
  component.licenses.add(
    /[ ()]/.test(license) ? new Models.LicenseExpression(license) : new Models.SpdxLicense(license),
  );
  return component;
}

function billOf(program, packages) {
  const bill = new Models.Bom();
  const root = componentOf(Enums.ComponentType.Application, program);
  bill.metadata.component = root;
  for (const found of packages) {
    const component = componentOf(Enums.ComponentType.Library, found);
    bill.components.add(component);
    root.dependencies.add(component.bomRef);
  }
  const serializer = new Serialize.JsonSerializer(new Serialize.JSON.Normalize.Factory(Spec.Spec1dot6));
  return `${serializer.serialize(bill, { sortLists: true, space: 2 })}\n`;
}

/** Writes both files into `root`, for a program and the modules in its bundle. */
export function writeThirdParty(root, program, moduleIds) {
  const packages = packageFolders(moduleIds)
    .map(readPackage)
    .toSorted((one, other) => (identify(one) < identify(other) ? -1 : 1));
  writeWhole(join(root, "THIRD-PARTY-NOTICES.txt"), noticesOf(packages));
  writeWhole(join(root, "sbom.cdx.json"), billOf(program, packages));
}
