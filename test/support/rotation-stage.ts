// The set-up for interrupted rotations: a service with personal tokens, the command that rotates all of them, and a
// command or a file that receives the values.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { writeScript } from "./binary.ts";
import { makeFolder } from "./state-folder.ts";
import type { TruthService } from "./truth-service.ts";

export interface RotationStage {
  readonly service: TruthService;
  readonly olds: readonly string[];
  readonly toFile: boolean;
  readonly words: readonly string[];
  /** The file that contains the delivered values. */
  readonly taken: string;
  /** While this file exists, the receiving command fails. */
  readonly crashed: string;
}

/** Creates a set-up with `count` tokens. */
export function setRotationStage(service: TruthService, count: number, toFile: boolean): RotationStage {
  service.clear();
  const folder = makeFolder();
  const taken = join(folder, "taken");
  const crashed = join(folder, "crashed");
  const take = join(folder, "take.sh");
  writeScript(take, `#!/bin/sh\n[ -e '${crashed}' ] && exit 1\nread -r value; echo "$value" >> '${taken}'\n`);
  const app = { name: "personal", url: "", client_id: "0".repeat(20) };
  const olds = Array.from({ length: count }, (_, index) =>
    service.addToken({
      app,
      note_url: null,
      note: `note ${index + 1}.`,
      fingerprint: null,
      scopes: ["repo"],
    }),
  );
  const ids = olds.map((old) => String(service.idOf(old)));
  const receiver = toFile ? ["--output-file", taken] : ["--to-command", take];
  return {
    service,
    olds,
    toFile,
    words: ["authorization", "rotate", "--yes", ...ids, ...receiver],
    taken,
    crashed,
  };
}

/** The contents of a file; empty if it does not exist. */
export function textOf(path: string): string {
  return existsSync(path) ? readFileSync(path, "utf8") : "";
}
