// The programs that run against each other: grantctl, bare Node, the floors.
import type { Program } from "./child.ts";
import type { Surroundings } from "./measure.ts";

/** The default of `--concurrency`. */
export const concurrency = 8;

/** grantctl with these arguments, against this server. */
export function grantctl(
  { grantctl: path, folder }: Surroundings,
  words: readonly string[],
  baseUrl: string | null = null,
): Program {
  return {
    name: "grantctl",
    command: process.execPath,
    words: [path, ...words],
    environment: {
      GRANTCTL_CONFIG_DIR: `${folder}/config`,
      GRANTCTL_STATE_DIR: `${folder}/state`,
      ...(baseUrl === null ? {} : credentialsFor(baseUrl)),
    },
  };
}

/** Any user name and secret, because the double does not authenticate. */
function credentialsFor(baseUrl: string): Record<string, string> {
  return {
    GRANTCTL_BASE_URL: baseUrl,
    GRANTCTL_USERNAME: "octavia",
    GRANTCTL_PASSWORD: "correct horse battery staple",
    GRANTCTL_CLIENT_ID: "abcde12345fghij67890",
    GRANTCTL_CLIENT_SECRET: "correct horse battery staple, of the application",
  };
}

/** Node that does nothing. */
export function bareNode(): Program {
  return { name: "node -e 0", command: process.execPath, words: ["-e", "0"] };
}

/** One of the floors. */
export function floor(
  { programOf }: Surroundings,
  name: string,
  program: string,
  words: readonly string[],
): Program {
  return { name, command: process.execPath, words: [programOf(program), ...words] };
}

/** The minimum cost of a list: a script that requests this many pages at once. */
export function windowFloor(surroundings: Surroundings, baseUrl: string, window: number): Program {
  const name = window === 1 ? "undici, one page after the other" : `undici script, window of ${window}`;
  return floor(surroundings, name, "list-floor", [baseUrl, String(window)]);
}
