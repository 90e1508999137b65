// Where a script's lines run: a folder, a clock, and at most one server, which is a sandbox or a double.
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { main } from "../../../src/main.ts";
import { fault, openAccount, type Account } from "../account.ts";
import { program, runProgram, writeScript } from "../binary.ts";
import { createClock, credentials, environmentAt } from "../grantctl.ts";
import { tokenValue } from "../resources.ts";
import { startServer, type Server } from "../serve.ts";
import { runOnTerminal } from "../terminal.ts";
import { createTestHost } from "../test-host.ts";
import { handlersOf } from "./answers.ts";
import { seedRandom } from "./fixed-world.cjs";
import type { Outcome } from "./invariants.ts";
import { outcomeLines } from "./outcome-lines.ts";
import type { CommandLine } from "./parts.ts";
import { readLine, type PlainCommand } from "./plain-line.ts";

type Variables = Readonly<Record<string, string>>;
type Ended = Pick<Outcome, "code" | "stdout" | "stderr" | "sent">;

const now = "2026-11-25T12:00:00Z";

/** Finds no keychain: its session bus does not exist. */
const keychainHelper = join(dirname(program), "..", "dist", "keychain-helper.cjs");

/** Gives a program the clock and the random values of a line. */
const forProcesses: Variables = {
  NODE_OPTIONS: `--require=${fileURLToPath(new URL("fixed-world.cjs", import.meta.url))}`,
  TRANSCRIPT_NOW: now,
};

/** The programs that a shell line finds besides those of the system. */
const programs: Variables = {
  grantctl: `exec '${process.execPath}' '${program}' "$@"`,
  // Takes a value from standard input, and records what it was given.
  taker: 'read -r value; echo "taker: $value for $GRANTCTL_AUTHORIZATION_ID ($GRANTCTL_NOTE)" >> taken.txt',
};

/** The caller closes it. */
export class ScriptWorld {
  readonly #folder = mkdtempSync("/tmp/gt-");
  readonly #home = join(this.#folder, "home");
  readonly #clock = createClock(Date.parse(now));
  readonly #fixed: Variables = {
    PATH: `${join(this.#folder, "bin")}:${process.env["PATH"] ?? ""}`,
    HOME: this.#home,
    LANG: "C.UTF-8",
    TERM: "xterm",
    TZ: "UTC",
    XDG_CACHE_HOME: join(this.#folder, "cache"),
    GRANTCTL_STATE_DIR: join(this.#folder, "state"),
    GRANTCTL_CONFIG_DIR: join(this.#folder, "config"),
    // No other process can create a path below a missing folder of this one.
    DBUS_SESSION_BUS_ADDRESS: `unix:path=${join(this.#folder, "no-session", "bus")}`,
  };
  #server: Server | null = null;
  #account: Account | null = null;
  #variables: Variables = {};
  #secrets: readonly string[] = [];
  #shownHeaders: readonly string[] = [];
  /** The replacement of each port, until another server gets it. */
  readonly #ports = new Map<string, string>();
  #portCount = 0;
  /** How often each line has run. */
  readonly #seen = new Map<string, number>();
  /** The IDs of records, oldest first. */
  readonly #records = new Set<string>();

  constructor() {
    this.#makeFolders();
    for (const [name, lines] of Object.entries(programs))
      writeScript(join(this.#folder, "bin", name), `#!/bin/sh\n${lines}\n`);
  }

  async startSandbox(flags: string): Promise<void> {
    await this.#stop();
    const restore = seedRandom("sandbox");
    const options = { now: this.#clock.now, ...sandboxOptions(flags) };
    this.#account = await openAccount(options).finally(restore);
    const { description } = this.#account.sandbox;
    this.#ports.delete(description.base_url.slice(-5));
    const tokens = description.tokens.map(({ token }) => token);
    this.#secrets = [description.password, description.client_secret, ...tokens];
    const files = {
      "tokens.txt": tokens,
      "password.txt": [description.password],
      "secret.txt": [description.client_secret],
      ...Object.fromEntries(tokens.map((token, at) => [`token-${at + 1}.txt`, [token]])),
    };
    for (const [name, lines] of Object.entries(files)) this.writeFile(name, `${lines.join("\n")}\n`);
    this.#variables = {
      ...this.#account.environment,
      ...Object.fromEntries(tokens.map((token, at) => [`TOKEN_${at + 1}`, token])),
    };
  }

  async startServer(type: string): Promise<void> {
    await this.#stop();
    this.#server = await startServer();
    this.#ports.delete(this.#server.root.slice(-5));
    const tokens = [1, 2, 3, 4, 5, 6, 7, 8, 9].map((number) => [`T${number}`, tokenValue(number)] as const);
    this.#secrets = [credentials.password, credentials.clientSecret, ...tokens.map(([, token]) => token)];
    this.#variables = {
      ...environmentAt(this.#server.root),
      ...(type === "" || type === "service" ? {} : { GRANTCTL_SERVER_TYPE: type }),
      ...Object.fromEntries(tokens),
    };
  }

  set(words: string): void {
    const changes = words.split(" ").map((word) => /^(\w*)=?(.*)$/.exec(word)?.slice(1) ?? []);
    this.#variables = { ...this.#variables, ...(Object.fromEntries(changes) as Variables) };
  }

  showHeaders(names: string): void {
    this.#shownHeaders = names.split(" ").filter((name) => name !== "");
  }

  /** Forgets state and configuration. */
  forget(): void {
    for (const name of ["state", "config"])
      rmSync(join(this.#folder, name), { recursive: true, force: true });
    this.#makeFolders();
  }

  writeFile(name: string, content: string): void {
    writeFileSync(join(this.#home, name), content, { mode: 0o600 });
  }

  answer(lines: readonly string[]): void {
    if (this.#server === null) throw new Error(`an answer without a server: ${lines[0]}`);
    this.#server.reset(...handlersOf(lines, this.#server.root));
  }

  async run(command: CommandLine): Promise<Outcome> {
    const count = (this.#seen.get(command.line) ?? 0) + 1;
    this.#seen.set(command.line, count);
    const before = this.#server?.requests.length ?? 0;
    const seed = `${command.line} #${count}`;
    // The sandbox runs in this process, whatever the line is run by.
    const restore = seedRandom(seed);
    const running = command.isShell ? this.#inShell(command, seed) : this.#inProcess(command);
    const ended = await running.finally(restore);
    const unhandled = this.#server?.unhandled() ?? [];
    if (unhandled.length > 0) throw new Error(`${command.line}\n  no answer to ${unhandled.join(", ")}`);
    const requests = this.#server?.requests.slice(before) ?? [];
    return { line: command.line, ...ended, requests, secrets: this.#secrets };
  }

  linesOf(outcome: Outcome, columns: number): readonly string[] {
    const replaced = (text: string): string => this.#replaced(text);
    return outcomeLines(outcome, { columns, headers: this.#shownHeaders, replaced });
  }

  async close(): Promise<void> {
    await this.#stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #inProcess({ line, columns }: CommandLine): Promise<Ended> {
    const commands = readLine(line, this.#environment(), this.#home);
    const before = process.cwd();
    process.chdir(this.#home);
    let ended: Ended = { code: 0, stdout: "", stderr: "", sent: "" };
    try {
      for (const [at, command] of commands.entries()) {
        const width = columns === 0 || at < commands.length - 1 ? null : columns;
        const piped = at > 0 ? ended.stdout : width === null ? "" : null;
        const next = await this.#runMain(command, command.input ?? piped, width);
        ended = { ...next, stderr: width === null ? ended.stderr + next.stderr : "" };
      }
      return ended;
    } finally {
      process.chdir(before);
    }
  }

  async #runMain(
    { words, environment }: PlainCommand,
    input: string | null,
    columns: number | null,
  ): Promise<Ended> {
    const recorded = createTestHost({
      argv: words,
      environment,
      childEnvironment: environment,
      input,
      columns,
      errorColumns: columns,
      now: this.#clock.now,
      setTimer: this.#clock.setTimer,
      hostname: "workstation",
      homeFolder: this.#home,
      keychainHelper: [process.execPath, keychainHelper],
    });
    const code = await main(recorded.host);
    if (columns === null) return { code, stdout: recorded.stdout(), stderr: recorded.stderr(), sent: "" };
    return { code, stdout: "", stderr: "", sent: recorded.both().replaceAll("\n", "\r\n") };
  }

  async #inShell({ line, columns, steps }: CommandLine, seed: string): Promise<Ended> {
    const environment = { ...this.#environment(), ...forProcesses, TRANSCRIPT_SEED: seed };
    if (columns > 0) {
      const command = `stty rows 200; bash -c '${line.replaceAll("'", String.raw`'\''`)}'`;
      const { raw, code } = await runOnTerminal(command, steps, environment, columns);
      const sent = /\[process \d+\]\r\n(.*)\[ended \d+\]/s.exec(raw)?.[1] ?? raw;
      return { code, stdout: "", stderr: "", sent };
    }
    const words = ["-s", "KILL", "50", "bash", "-c", line];
    const run = await runProgram("timeout", words, { environment, folder: this.#home });
    return { code: run.code ?? 128, stdout: run.stdout, stderr: run.stderr, sent: "" };
  }

  /** The variables of the next line; ID is that of the newest record. */
  #environment(): Variables {
    const names = readdirSync(join(this.#folder, "state"));
    const all = names.flatMap((name) => /^(.*)\.journal$/.exec(name)?.[1] ?? []).toSorted();
    for (const id of all) this.#records.add(id);
    const newest = [...this.#records].filter((id) => all.includes(id)).at(-1) ?? "";
    return { ...this.#fixed, ...this.#variables, ID: newest };
  }

  #replaced(shown: string): string {
    return (
      shown
        .replaceAll(this.#folder, "/tmp/gt-000000")
        .replaceAll(process.versions.node, "20.20.2")
        // The words of libsecret, of the machine that lacks it, or of the helper that cannot be started.
        .replaceAll(/(no keychain is available: )[^"\r\n]*/g, "$1no keychain")
        .replaceAll(/(127\.0\.0\.1:)(\d{5})\b( is gone)?/g, (_, host: string, port: string, end = "") => {
          if (!this.#ports.has(port)) this.#ports.set(port, String(40_001 + this.#portCount++));
          const ended = `${host}${this.#ports.get(port)}${end}`;
          if (end !== "") this.#ports.delete(port);
          return ended;
        })
    );
  }

  #makeFolders(): void {
    for (const name of ["home", "state", "config", "bin"])
      mkdirSync(join(this.#folder, name), { mode: 0o700, recursive: true });
  }

  async #stop(): Promise<void> {
    await this.#server?.close();
    await this.#account?.sandbox.close();
    this.#server = null;
    this.#account = null;
  }
}

/** The sandbox of these flags. */
function sandboxOptions(flags: string): Parameters<typeof openAccount>[0] {
  const words = flags.split(" ").filter((word) => word !== "");
  const valuesOf = (flag: string): readonly string[] =>
    words.flatMap((word, at) => (word === flag ? [words[at + 1] ?? ""] : []));
  const numberOf = (flag: string): number | undefined =>
    words.includes(flag) ? Number(valuesOf(flag)[0]) : undefined;
  const [type = "service"] = valuesOf("--server-type");
  return {
    serverType: words.includes("--github-com") ? "github.com" : (type as "service" | "github" | "oauth"),
    otp: (valuesOf("--otp")[0] ?? "none") as "none" | "app" | "sms",
    grants: numberOf("--grants"),
    authorizations: numberOf("--authorizations"),
    seed: numberOf("--seed") ?? 0,
    faults: valuesOf("--fault").map(fault),
  };
}
