// Puts folders into one file. The same files give the same bytes, wherever and whenever it is done: names in the order of
// their bytes, one date for all, nobody's user, two modes, no name of a machine.
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { zipSync } from "fflate";
import { listFiles, run } from "./npm.mjs";

/** A .tar.gz of a folder, under the folder's own name, with this date (seconds since the epoch). Needs GNU tar and gzip. */
export function writeTar(folder, file, seconds) {
  const tar = file.replace(/\.gz$/, "");
  const fixed = [
    "--sort=name",
    "--format=gnu",
    `--mtime=@${seconds}`,
    "--owner=0",
    "--group=0",
    "--numeric-owner",
  ];
  const environment = { ...process.env, LC_ALL: "C" };
  run("tar", [...fixed, "--mode=u=rwX,go=rX", "-cf", tar, "-C", dirname(folder), basename(folder)], {
    env: environment,
  });
  run("gzip", ["-9", "--no-name", "--force", tar]);
}

/** A .zip of a folder, under the folder's own name. Its dates are in whole pairs of seconds, in UTC. */
export function writeZip(folder, file, seconds) {
  const name = basename(folder);
  // The format has the time of a clock on the wall, and the library asks this machine's for it.
  const date = new Date(seconds * 1000);
  const mtime = new Date(date.getTime() + date.getTimezoneOffset() * 60_000);
  const files = listFiles(folder).map((path) => [
    `${name}/${path}`,
    [readFileSync(join(folder, path)), { mtime }],
  ]);
  writeFileSync(file, zipSync(Object.fromEntries(files), { level: 9 }));
}

/** How many bytes a folder's files have. */
export function sizeOf(folder) {
  return listFiles(folder).reduce((sum, file) => sum + statSync(join(folder, file)).size, 0);
}
