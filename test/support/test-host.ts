// A Host for tests: simulates the environment, records output, and rejects calls that the test does not expect.
import { randomUUID } from "node:crypto";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import type { Host } from "../../src/system/host.ts";
import type { OutputTarget } from "../../src/system/standard-streams.ts";
import { main } from "../../src/main.ts";
import type { Terminal } from "../../src/system/terminal.ts";

export interface World {
  readonly argv?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** Standard input; null for a terminal. */
  readonly input?: string | null;
  /** The width of the terminal on standard output; null for a pipe. */
  readonly columns?: number | null;
  /** The width of the terminal on standard error; null for a pipe. */
  readonly errorColumns?: number | null;
  /** Opens the controlling terminal; by default there is none. */
  readonly openTerminal?: () => Terminal | null;
  readonly now?: () => number;
  /** Waits; by default those of a second and more take as long as in a real run. */
  readonly setTimer?: Host["setTimer"];
  readonly hostname?: string;
  readonly homeFolder?: string;
  /** The command line of the keychain helper; the default cannot be started. */
  readonly keychainHelper?: readonly [string, ...string[]];
  /** The environment of started programs, in addition to the path. */
  readonly childEnvironment?: Readonly<Record<string, string>>;
}

export interface Recorded {
  readonly host: Host;
  stdout(): string;
  stderr(): string;
  /** Both, in the order of the writes, as on a terminal. */
  both(): string;
}

/** A host that records its output. */
export function createTestHost(world: World): Recorded {
  const both: Buffer[] = [];
  const stdout = recorder(both, world.columns ?? null);
  const stderr = recorder(both, world.errorColumns ?? null);
  // New folders, so that a run does not announce interrupted runs of others, or use their profiles.
  const own = join(tmpdir(), "grantctl-test", randomUUID());
  const usual = {
    GRANTCTL_STATE_DIR: own,
    GRANTCTL_CONFIG_DIR: join(own, "config"),
    // A pager would write to the terminal of the tests.
    GRANTCTL_PAGER: "cat",
  };
  const environment = Object.fromEntries(
    Object.entries({ ...usual, ...world.environment }).filter(([, value]) => value !== ""),
  );
  const host: Host = {
    argv: world.argv ?? [],
    environment,
    childEnvironment: { PATH: process.env["PATH"] ?? "", ...world.childEnvironment },
    stdin: {
      stream: world.input === null ? new PassThrough() : Readable.from(Buffer.from(world.input ?? "")),
      isTerminal: world.input === null,
    },
    stdout: stdout.target,
    stderr: stderr.target,
    openTerminal: world.openTerminal ?? (() => null),
    self: ["grantctl-under-test"],
    keychainHelper: world.keychainHelper ?? ["/nonexistent/keychain-helper"],
    platform: "linux",
    nodeVersion: process.versions.node,
    machine: {
      hostname: world.hostname ?? "test-host",
      username: "tester",
      userId: process.geteuid?.() ?? null,
      homeFolder: world.homeFolder ?? join(tmpdir(), `grantctl-test-${process.pid}`),
    },
    now: world.now ?? (() => Date.now()),
    setTimer: world.setTimer ?? setTimer,
    onStopSignal: () => () => undefined,
    isForeground: () => false,
    beforeSignalEnds: () => () => undefined,
    runtime: { onCrash: () => () => undefined, withoutStderr: (work) => work(), tuneEngine: () => undefined },
  };
  return { host, stdout: stdout.text, stderr: stderr.text, both: () => Buffer.concat(both).toString("utf8") };
}

/** The short waits between repetitions of a read take no time. */
const setTimer: Host["setTimer"] = (milliseconds, call) => {
  const timer = setTimeout(call, milliseconds < 1000 ? 0 : milliseconds);
  return () => clearTimeout(timer);
};

/** Runs `grantctl` with these arguments inside this process. */
export async function runMain(
  words: readonly string[],
  world: Omit<World, "argv"> = {},
): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }> {
  const recorded = createTestHost({ ...world, argv: words });
  const code = await main(recorded.host);
  return { code, stdout: recorded.stdout(), stderr: recorded.stderr() };
}

/** A terminal with this input, and a function that returns its output. */
export function typing(typed: string): {
  readonly world: Pick<World, "openTerminal">;
  readonly shown: () => string;
} {
  const output = new PassThrough();
  const shown: string[] = [];
  output.setEncoding("utf8").on("data", (text: string) => shown.push(text));
  const input = new PassThrough();
  input.write(typed);
  const terminal = { input, output: Object.assign(output, { columns: 80 }), close: () => undefined };
  return { world: { openTerminal: () => terminal as unknown as Terminal }, shown: () => shown.join("") };
}

function recorder(
  both: Buffer[],
  columns: number | null,
): { readonly target: OutputTarget; readonly text: () => string } {
  const chunks: Buffer[] = [];
  return {
    target: {
      write(text) {
        chunks.push(Buffer.from(text));
        both.push(Buffer.from(text));
        return Promise.resolve();
      },
      isTerminal: columns !== null,
      isPipe: false,
      columns: columns ?? 80,
      // Enough to avoid the pager.
      rows: 10_000,
      whyLost: null,
      flush: () => Promise.resolve(),
    },
    text: () => Buffer.concat(chunks).toString("utf8"),
  };
}
