// The notices of the packages whose code is in the bundle. The bundler says which those are.
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

function noticeOf(folder) {
  const { name, version, license, author } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  if (typeof license !== "string") throw new Error(`${name} does not name its licence`);
  const texts = readdirSync(folder)
    .filter((file) => /^(?:licen[cs]e|copying|notice)/i.test(file))
    .toSorted()
    .map((file) => readFileSync(join(folder, file), "utf8").trim());
  // Some packages contain only the name of their licence; the text is in their repository.
  const text = texts.join("\n\n") || `${license}, by ${author?.name ?? author ?? "its authors"}`;
  return `${name} ${version} (${license})\n\n${text}\n`;
}

/** The text of THIRD-PARTY-NOTICES.txt for a bundle of these modules. */
export function noticesOf(moduleIds) {
  const folders = moduleIds.flatMap((id) => id.match(/^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/) ?? []);
  const notices = [...new Set(folders)].map(noticeOf).toSorted();
  const opening = "grantctl's bundle in dist/ carries code of these packages, under their own licences.\n";
  return [opening, ...notices].join(`\n${"-".repeat(80)}\n\n`);
}
