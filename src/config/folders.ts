// Where grantctl keeps its own files: the platform's folders, unless the environment says otherwise.
import { isAbsolute, join } from "node:path";
import { usageFailure } from "../errors/errors.ts";

export interface Surroundings {
  readonly environment: Readonly<Record<string, string>>;
  readonly platform: NodeJS.Platform;
  readonly homeFolder: string;
}

/** The folder for what must survive a crash: `GRANTCTL_STATE_DIR`, or the platform's own (XDG on Linux). */
export function stateFolder({ environment, platform, homeFolder }: Surroundings): string {
  const chosen = environment["GRANTCTL_STATE_DIR"];
  if (chosen !== undefined) return absolute("GRANTCTL_STATE_DIR", chosen);
  if (platform === "darwin") return join(homeFolder, "Library", "Application Support", "grantctl", "state");
  if (platform === "win32") {
    return join(environment["LOCALAPPDATA"] ?? join(homeFolder, "AppData", "Local"), "grantctl", "state");
  }
  const base = environment["XDG_STATE_HOME"];
  return join(
    base !== undefined && isAbsolute(base) ? base : join(homeFolder, ".local", "state"),
    "grantctl",
  );
}

/** Nothing is ever looked for in the current folder. */
function absolute(variable: string, path: string): string {
  if (!isAbsolute(path)) throw usageFailure(`${variable} must be an absolute path`);
  return path;
}
