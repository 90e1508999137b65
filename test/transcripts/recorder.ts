// Records sessions of the built program as text. A transcript is its own script: a file in this folder holds command
// lines, and below each what it printed and how it ended. `npm run transcripts` runs the lines again and writes the
// rest anew, so that the diff shows each change of words or behaviour, and is read whole before it is committed.
//
//   # sandbox: ARGUMENTS   starts a new sandbox; the lines below use it
//   # anything else        a comment
//   $ LINE                 run by bash, without a terminal; a line that ends with \ continues in the next
//   80$ LINE               run on a terminal of 80 columns
//   ? PATTERN ==> KEYS     waits for the pattern on that terminal, then types the keys (\r, \t, \x03)
//   | TEXT                 a line of standard output (|- if it has no line feed)
//   ! TEXT                 a line of standard error
//   > TEXT                 a line that stands on the terminal in the end, without colours
//   = CODE                 the exit code
//
// A line is recorded from the built program. When a transcript is checked, a line without a shell, typed keys and random
// values runs in this process instead, which takes a tenth of the time.
//
// The clock, random values, host and user name are fixed by `fixed-world.cjs`. Varying text is replaced by text of the
// same length: ports and the folder's name, because several recordings may run at the same time; and the version of
// Node.
import { spawn, type ChildProcess } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { program, runProgram, type Finished } from "../support/binary.ts";
import { grantctlWords } from "../support/example-words.ts";
import { runOnTerminal, type Step } from "../support/terminal.ts";
import { runMain, runMainOnTerminal } from "../support/test-host.ts";
import { screenOf } from "../support/screen.ts";

/** Another build can be recorded, such as that of an older version. */
const recorded = process.env["GRANTCTL_PROGRAM"] ?? program;
const isRecording = process.env["UPDATE"] === "1" || recorded !== program;

/** Variables that the line removes or sets, a command with plain and quoted words, and its standard input. */
const plainLine =
  /^(?:echo (?<input>\w+) \| )?(?:env(?<unset>(?: -u \w+)+) )?(?<set>(?:\w+=[\w.$:/]* )*)(?<command>grantctl(?: (?:[\w.,:/=@*{}[\]$-]+|'[^']*'))*)(?: < (?<from>[\w.-]+))?$/;

/** Commands that start programs or print what depends on the machine, and flags with a file in the folder of the line. */
const notPlain =
  / (?:run|sandbox)\b| --(?:[a-z-]*file|to-command|save|compare|since|known|input|machine-fingerprint)\b/;

/** Output that would differ in this process: the ID of a new job, which has random digits, and the keychain. */
const notPlainOutcome = /\b\d{8}-\d{6}-[0-9a-f]{6}\b|keychain/;

/** Commands that only repeat such an ID, and those that print the same on every machine. */
const repeating = / (?:recover|help|schema) /;

interface PlainCommand {
  readonly words: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** Standard input, or its file; both null without any. */
  readonly input: string | null;
  readonly from: string | null;
}

/** Time limit of a line. */
const limitSeconds = 50;

/** Rejects with the line if its command does not end in time. */
async function withLimit<T>(line: string, command: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${line} does not end`)), limitSeconds * 1000);
  });
  return Promise.race([command, late]).finally(() => clearTimeout(timer));
}

/** The command of a line that can run in this process, or null. */
function plainCommand(
  line: string,
  recordedOutcome: string,
  given: PlainCommand["environment"],
): PlainCommand | null {
  const { command, input = null, from = null, unset = "", set = "" } = plainLine.exec(line)?.groups ?? {};
  if (isRecording || command === undefined) return null;
  if (!repeating.test(command) && (notPlain.test(command) || notPlainOutcome.test(recordedOutcome)))
    return null;
  const removed = unset.split(" -u ");
  const expanded = (word: string): string =>
    word.includes(" ") ? word : word.replaceAll(/\$(\w+)/g, (_, name: string) => given[name] ?? "");
  const own = [...set.matchAll(/(\w+)=(\S*)/g)].map(([, name = "", value = ""]) => [name, expanded(value)]);
  const kept = Object.entries(given).filter(([name]) => !removed.includes(name));
  return {
    words: (grantctlWords(command)[0] ?? []).map(expanded),
    environment: Object.fromEntries([...kept, ...own]) as PlainCommand["environment"],
    input: input === null ? null : `${input}\n`,
    from,
  };
}

const fixedWorld = fileURLToPath(new URL("../support/fixed-world.cjs", import.meta.url));

interface Description {
  readonly base_url: string;
  readonly username: string;
  readonly password: string;
  readonly client_id: string;
  readonly client_secret: string;
  readonly tokens: readonly { readonly token: string }[];
  readonly otp_command: string;
}

/** Runs the lines of a transcript, and returns it with what they print now. */
export async function record(script: string): Promise<string> {
  const world = await openWorld();
  try {
    const written: string[] = [];
    const lines = script.split("\n").filter((line) => !/^(?:\||!|>|=)/.test(line));
    const outcomes = script.split(/^\d*\$ /m).slice(1);
    for (let at = 0; at < lines.length; at += 1) {
      let line = lines[at] ?? "";
      written.push(line);
      const [, sandbox] = /^# sandbox:(.*)$/.exec(line) ?? [];
      if (sandbox !== undefined) await world.startSandbox(sandbox.trim());
      const [, columns, first] = /^(\d*)\$ (.*)$/.exec(line) ?? [];
      if (first === undefined) continue;
      let command = first;
      while (line.endsWith("\\")) {
        line = lines[(at += 1)] ?? "";
        written.push(line);
        command += `\n${line}`;
      }
      const steps: Step[] = [];
      while (lines[at + 1]?.startsWith("? ") === true) {
        line = lines[(at += 1)] ?? "";
        written.push(line);
        const [pattern = "", keys = ""] = line.slice(2).split(" ==> ");
        steps.push({ when: new RegExp(pattern), type: keysOf(keys), whenRaw: keys.startsWith("raw:") });
      }
      written.push(...(await world.run(command, Number(columns), steps, outcomes.shift())));
    }
    return written.join("\n");
  } finally {
    await world.close();
  }
}

function keysOf(text: string): string {
  const keys: Readonly<Record<string, string>> = {
    "\\r": "\r",
    "\\t": "\t",
    "\\e": "\u001b",
    "\\x03": "\u0003",
  };
  return text.replace(/^raw:/, "").replaceAll(/\\(?:[rte]|x03)/g, (key) => keys[key] ?? key);
}

export interface World {
  startSandbox(words: string): Promise<void>;
  /** Runs a line, on a terminal if it has columns. `recordedOutcome` is what it printed when it was recorded. */
  run(
    line: string,
    columns: number,
    steps: readonly Step[],
    recordedOutcome?: string,
  ): Promise<readonly string[]>;
  /** Runs lines on a terminal, and returns its screen with colours. */
  show(lines: string, columns: number): Promise<readonly string[]>;
  close(): Promise<void>;
}

/** A folder and, once it is started, a sandbox, which the caller closes. */
export async function openWorld(): Promise<World> {
  const folder = mkdtempSync("/tmp/gt-");
  for (const name of ["home", "state", "config", "bin"]) mkdirSync(join(folder, name), { mode: 0o700 });
  const home = join(folder, "home");
  for (const [name, lines] of Object.entries(programs)) {
    writeFileSync(join(folder, "bin", name), `#!/bin/sh\n${lines}\n`);
    chmodSync(join(folder, "bin", name), 0o755);
  }
  const web = createServer((request, response) => {
    response.sendDate = false;
    const [, name = ""] = (request.url ?? "").split("/");
    (pages[name] ?? notFound)(response);
  });
  await new Promise<void>((resolve) => web.listen(0, "127.0.0.1", resolve));
  const replaced = new Map([
    [folder, "/tmp/gt-000000"],
    [process.versions.node, "20.20.2"],
  ]);
  const ports = new Map<string, string>();
  const webPort = String(portOf(web));
  ports.set(webPort, "40000");
  let numbered = 0;
  const fixed = (text: string): string => {
    let result = text;
    for (const [from, to] of replaced) result = result.replaceAll(from, to);
    // The words of libsecret or of the machine that lacks it.
    result = result.replaceAll(
      /(no keychain is available: )[^"\n]*/g,
      "$1Could not connect: No such file or directory",
    );
    return result.replaceAll(/(127\.0\.0\.1:)(\d{5})\b/g, (_, host: string, port: string) => {
      if (!ports.has(port)) ports.set(port, String(40_000 + (numbered += 1)));
      return `${host}${ports.get(port)}`;
    });
  };
  let sandbox: ChildProcess | null = null;
  const stop = async (): Promise<void> => {
    const running = sandbox;
    sandbox = null;
    if (running === null || running.exitCode !== null) return;
    const ended = new Promise((resolve) => running.once("exit", resolve));
    running.kill("SIGKILL");
    await ended;
  };
  const base = {
    PATH: `${join(folder, "bin")}:${process.env["PATH"] ?? ""}`,
    HOME: home,
    LANG: "C.UTF-8",
    TZ: "UTC",
    XDG_CACHE_HOME: join(folder, "cache"),
    GRANTCTL_STATE_DIR: join(folder, "state"),
    GRANTCTL_CONFIG_DIR: join(folder, "config"),
    // No other process can create a path below a missing folder of this one.
    DBUS_SESSION_BUS_ADDRESS: `unix:path=${join(folder, "no-session", "bus")}`,
    NODE_OPTIONS: `--require=${fixedWorld}`,
    TRANSCRIPT_PROGRAM: recorded,
    TRANSCRIPT_NODE: process.execPath,
    TRANSCRIPT_NOW: "2026-11-25T12:00:00Z",
    WEB: `http://127.0.0.1:${webPort}`,
  };
  let account: Readonly<Record<string, string>> = {};
  const seen = new Map<string, number>();
  const environmentFor = (line: string): Readonly<Record<string, string>> => {
    const count = (seen.get(line) ?? 0) + 1;
    seen.set(line, count);
    return { ...base, ...account, TRANSCRIPT_SEED: `${line} #${count}` };
  };
  const outcomeOf = ({
    stdout,
    stderr,
    code,
  }: Pick<Finished, "stdout" | "stderr" | "code">): readonly string[] => [
    ...linesOf("|", fixed(stdout)),
    ...linesOf("!", fixed(stderr)),
    `= ${String(code)}`,
  ];
  const showOnTerminal = async (line: string, columns: number, steps: readonly Step[]): Promise<Sent> => {
    const run = `stty rows 200; bash -c '${line.replaceAll("'", String.raw`'\''`)}'`;
    const { raw, code } = await runOnTerminal(run, steps, environmentFor(line), columns);
    return { sent: fixed(/\[process \d+\]\r\n(.*)\[ended \d+\]/s.exec(raw)?.[1] ?? raw), code };
  };
  return {
    async startSandbox(words) {
      await stop();
      const environment = { ...base, TRANSCRIPT_SEED: "sandbox" };
      const child = spawn("bash", ["-c", `exec grantctl sandbox start --json ${words}`], {
        env: environment,
        cwd: home,
        stdio: ["ignore", "pipe", "ignore"],
      });
      sandbox = child;
      const description = await firstLine(child);
      account = accountOf(description);
      // The system may give it the port of an earlier one.
      ports.delete(new URL(description.base_url).port);
      fixed(description.base_url);
      for (const [at, { token }] of description.tokens.entries())
        writeFileSync(join(home, `token-${at + 1}.txt`), `${token}\n`);
      writeFileSync(join(home, "tokens.txt"), description.tokens.map(({ token }) => `${token}\n`).join(""));
      writeFileSync(join(home, "password.txt"), `${description.password}\n`);
      writeFileSync(join(home, "secret.txt"), `${description.client_secret}\n`);
    },
    async run(line, columns, steps, recordedOutcome = "") {
      const mayAsk = steps.length > 0 || (columns > 0 && / delete\b/.test(line));
      const plain = mayAsk
        ? null
        : plainCommand(line, recordedOutcome, { ...base, TERM: "xterm", ...account });
      if (plain === null && columns > 0)
        return screenLines(await showOnTerminal(line, columns, steps), columns);
      // Also counts the line, so that its random values do not depend on where others ran.
      const environmentOfLine = environmentFor(line);
      if (plain !== null) {
        const { words, environment, input, from } = plain;
        const given = from === null ? input : readFileSync(join(home, from), "utf8");
        const now = (): number => Date.parse(base.TRANSCRIPT_NOW);
        const host = { environment, childEnvironment: environment, now };
        if (columns === 0)
          return outcomeOf(await withLimit(line, runMain(words, { ...host, input: given ?? "" })));
        const { code, sent } = await withLimit(
          line,
          runMainOnTerminal(words, columns, { ...host, input: given }),
        );
        return screenLines({ sent: fixed(sent), code }, columns);
      }
      const run = await runProgram("timeout", ["-s", "KILL", String(limitSeconds), "bash", "-c", line], {
        environment: environmentOfLine,
        folder: home,
      });
      return outcomeOf(run);
    },
    async show(lines, columns) {
      const { sent, code } = await showOnTerminal(lines, columns, []);
      if (code !== 0) throw new Error(`the lines ended with ${code}:\n${sent}`);
      return screenOf(sent, columns, true);
    },
    async close() {
      await stop();
      web.closeAllConnections();
      await new Promise((resolve) => web.close(resolve));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The programs on the path of the lines. */
const programs: Readonly<Record<string, string>> = {
  grantctl: 'exec "$TRANSCRIPT_NODE" "$TRANSCRIPT_PROGRAM" "$@"',
  // Takes a value from standard input, and says what it was given.
  taker: 'read -r value; echo "taker: $value for $GRANTCTL_AUTHORIZATION_ID ($GRANTCTL_NOTE)" >> taken.txt',
};

/** The output of a line on a terminal, with escape sequences, and its exit code. */
interface Sent {
  readonly sent: string;
  readonly code: number;
}

function screenLines({ sent, code }: Sent, columns: number): readonly string[] {
  return [...screenOf(sent, columns).map((text) => `> ${text}`.trimEnd()), `= ${code}`];
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}

function accountOf(description: Description): Readonly<Record<string, string>> {
  const [first, second, third] = description.tokens;
  return {
    GRANTCTL_BASE_URL: description.base_url,
    GRANTCTL_USERNAME: description.username,
    GRANTCTL_PASSWORD: description.password,
    GRANTCTL_CLIENT_ID: description.client_id,
    GRANTCTL_CLIENT_SECRET: description.client_secret,
    OTP_COMMAND: description.otp_command,
    TOKEN_1: first?.token ?? "",
    TOKEN_2: second?.token ?? "",
    TOKEN_3: third?.token ?? "",
  };
}

function firstLine(child: ChildProcess): Promise<Description> {
  return new Promise((resolve, reject) => {
    let text = "";
    child.stdout?.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
      if (text.includes("\n")) resolve(JSON.parse(text.slice(0, text.indexOf("\n"))) as Description);
    });
    child.once("exit", (code) => {
      reject(new Error(`the sandbox ended with ${String(code)}: ${text}`));
    });
  });
}

function linesOf(mark: string, text: string): readonly string[] {
  if (text === "") return [];
  const lines = text.split("\n").map((line) => withEscapes(line));
  const last = lines.pop() ?? "";
  return [...lines.map((line) => `${mark} ${line}`.trimEnd()), ...(last === "" ? [] : [`${mark}- ${last}`])];
}

/** Control characters as they are written in a string. */
function withEscapes(line: string): string {
  return line
    .replaceAll("\u001b", "\\e")
    .replaceAll(
      /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g,
      (one) => `\\x${one.charCodeAt(0).toString(16).padStart(2, "0")}`,
    );
}

/** Servers that are not the service, as the first part of a path. */
const pages: Readonly<Record<string, (response: ServerResponse) => void>> = {
  html: (response) => answer(response, 200, "text/html", "<html>Welcome</html>"),
  broken: (response) => answer(response, 200, "application/json", '[{"id": 1,'),
  other: (response) => answer(response, 200, "application/json", '{"hello": "world"}'),
  failing: (response) => answer(response, 500, "text/html", "<h1>Internal error</h1>"),
  moved: (response) => {
    response.setHeader("Location", "https://elsewhere.example.com/");
    answer(response, 301, "text/html", "moved");
  },
  forbidden: (response) => answer(response, 403, "application/json", '{"message":"Not for you."}'),
  unauthorized: (response) => answer(response, 401, "application/json", '{"message":"Bad credentials"}'),
  limited: (response) => {
    response.setHeader("Retry-After", "7200");
    answer(response, 429, "application/json", '{"message":"Slow down."}');
  },
  cut: (response) => {
    response.writeHead(200, { "Content-Type": "application/json", "Content-Length": "100" });
    response.write("[", () => response.destroy());
  },
  silent: () => undefined,
};

function notFound(response: ServerResponse): void {
  answer(response, 404, "application/json", '{"message":"Not Found"}');
}

function answer(response: ServerResponse, status: number, type: string, body: string): void {
  response.writeHead(status, { "Content-Type": type }).end(body);
}
