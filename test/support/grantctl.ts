// How tests run grantctl: one function, one result, two ways. Real terminals are in terminal.ts.
//
//   call       the whole program in this process, on a host with the test's environment and a clock that never waits
//   process    the built program with pipes
//
// As a fixture, it has a folder of its own with home, state and configuration, and uses the server that the test serves:
//
//   const server = await serve(on("GET /applications/grants/:id", json(200, grantJson())));
//   const { code, stdout } = await grantctl("grant view 42 --json");
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test as base } from "vitest";
import type { HttpHandler } from "msw";
import type { SandboxOptions } from "../../src/sandbox/sandbox.ts";
import { openAccount, type Account } from "./account.ts";
import { runBinary } from "./binary.ts";
import { startServer, type Server } from "./serve.ts";
import { runMain, type World } from "./test-host.ts";

export interface RunOptions {
  /** `call` by default. */
  readonly as?: "call" | "process";
  /** In addition to the fixture's; undefined removes a variable. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Standard input; empty by default, null for a terminal (`call` only). */
  readonly input?: string | null;
  /** The width of the terminal; without it, `call` has pipes. */
  readonly columns?: number;
  /** `call` only: parts of the host, such as a controlling terminal. */
  readonly world?: Partial<World>;
}

export interface Run {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export type Grantctl = (words: string | readonly string[], options?: RunOptions) => Promise<Run>;

/** A clock that stands still, but for waits: each is over at once, the earliest first, and moves the time to its end. */
export interface Clock {
  readonly now: () => number;
  readonly advance: (milliseconds: number) => void;
  readonly setTimer: (milliseconds: number, call: () => void) => () => void;
}

export function createClock(start = Date.parse("2026-11-25T12:00:00Z")): Clock {
  let now = start;
  const pending = new Set<{ readonly due: number; readonly call: () => void }>();
  const fire = (): void => {
    const [next] = [...pending].toSorted((one, other) => one.due - other.due);
    if (next === undefined) return;
    pending.delete(next);
    now = Math.max(now, next.due);
    next.call();
  };
  return {
    now: () => now,
    advance: (milliseconds) => void (now += milliseconds),
    setTimer(length, call) {
      const timer = { due: now + length, call };
      pending.add(timer);
      setImmediate(fire);
      return () => pending.delete(timer);
    },
  };
}

export const credentials = {
  username: "octavia",
  password: "correct horse battery",
  clientId: "0123456789abcdef0123",
  clientSecret: "c0ffee".repeat(6).padEnd(40, "5"),
} as const;

/** Configures grantctl to use a server, with these credentials. */
export function environmentAt(root: string): Record<string, string> {
  return {
    GRANTCTL_BASE_URL: root,
    GRANTCTL_USERNAME: credentials.username,
    GRANTCTL_PASSWORD: credentials.password,
    GRANTCTL_CLIENT_ID: credentials.clientId,
    GRANTCTL_CLIENT_SECRET: credentials.clientSecret,
  };
}

/** A folder with `home`, `state` and `config`, which only its user can read. */
function makeRunFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "grantctl-test-"));
  for (const name of ["home", "state", "config"]) mkdirSync(join(folder, name), { mode: 0o700 });
  return folder;
}

/** A runner with a folder; `environment` is read at each run. */
function createRunner(folder: string, environment: Readonly<Record<string, string>>, clock: Clock): Grantctl {
  const own = {
    HOME: join(folder, "home"),
    GRANTCTL_STATE_DIR: join(folder, "state"),
    GRANTCTL_CONFIG_DIR: join(folder, "config"),
  };
  return async (given, { as = "call", environment: more = {}, input = "", columns, world } = {}) => {
    const words = typeof given === "string" ? given.split(" ").filter((word) => word !== "") : given;
    const all = Object.entries({ ...own, ...environment, ...more });
    const set = Object.fromEntries(all.filter((entry): entry is [string, string] => entry[1] !== undefined));
    if (as === "process") {
      const run = await runBinary(words, { environment: set, input: input ?? "", folder: own.HOME });
      return { code: run.code ?? 128, stdout: run.stdout, stderr: run.stderr };
    }
    return runMain(words, {
      environment: set,
      childEnvironment: set,
      input,
      columns: columns ?? null,
      errorColumns: columns ?? null,
      now: clock.now,
      setTimer: clock.setTimer,
      ...world,
    });
  };
}

interface Fixtures {
  readonly folder: string;
  readonly clock: Clock;
  /** The variables of each run; `serve` and `world` set those of their server. */
  readonly environment: Record<string, string>;
  readonly grantctl: Grantctl;
  /** Starts a double of a server, which grantctl then uses. */
  readonly serve: (...handlers: readonly HttpHandler[]) => Promise<Server>;
  /** Starts a sandbox, which grantctl then uses. */
  readonly world: (options?: Partial<SandboxOptions>) => Promise<Account>;
}

export const test = base.extend<Fixtures>({
  // vitest reads the names of the fixtures that a fixture needs from its first parameter.
  folder: async ({}, use) => {
    const folder = makeRunFolder();
    await use(folder);
    rmSync(folder, { recursive: true, force: true });
  },
  clock: async ({}, use) => use(createClock()),
  environment: async ({}, use) => use({}),
  grantctl: async ({ folder, environment, clock }, use) => use(createRunner(folder, environment, clock)),
  serve: async ({ environment }, use) => {
    const servers: Server[] = [];
    await use(async (...handlers) => {
      const server = await startServer(...handlers);
      servers.push(server);
      Object.assign(environment, environmentAt(server.root));
      return server;
    });
    for (const server of servers) await server.close();
    expect(servers.flatMap((server) => server.unhandled())).toEqual([]);
  },
  world: async ({ environment, clock }, use) => {
    const accounts: Account[] = [];
    await use(async (options) => {
      const account = await openAccount({ now: clock.now, ...options });
      accounts.push(account);
      Object.assign(environment, account.environment);
      return account;
    });
    for (const { sandbox } of accounts) await sandbox.close();
  },
});
