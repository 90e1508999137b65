// Scripts: command lines with what they print, how they exit and which requests they send, as text files. A script is run
// from its own text and compared with what the run wrote; `npm run record` writes it anew, and its diff is read whole.
//
//   # sandbox: FLAGS       starts a sandbox, which the lines below use
//   # server: TYPE         starts a double of a server (service, github or oauth); its requests are recorded
//   # file: NAME           makes a file of the lines below that begin with +
//   # set: NAME=VALUE …    sets variables for the lines below; NAME= removes one
//   # headers: NAME …      also records these headers of each request below; the credentials of Basic are decoded
//   # fresh                forgets state and configuration of the lines above
//   # anything else        a comment
//   < METHOD /path STATUS [Header: value]… BODY     (ALL /* for all requests, /path?page=2 for one page)
//                          what the double answers to the lines below, until there are other lines of this kind. Several for
//                          one path are given in order, the last one again; a path with a query is only for requests
//                          with it, and comes first. STATUS may be cut or silent. BODY is JSON, in
//                          which authorization("id":7), grant(…) and checked("token":"…") are whole resources and $T7 is a
//                          token, $ROOT the server's; `+ request` adds the fields of the request's body
//   $ LINE                 runs grantctl in this process: [NAME=VALUE…] grantctl WORDS [< FILE], after `echo WORDS |`,
//                          `printf '%s\n' WORDS |` or another grantctl command if it has input. $ID is the newest record.
//                          A line that ends with \ continues in the next
//   80$ LINE               the same on a terminal of 80 columns
//   sh$ LINE               bash runs the line, with grantctl as a program; 80sh$ on a terminal of 80 columns
//   ? PATTERN ==> KEYS     waits for the pattern on that terminal, then types the keys (\r, \t, \e, \x03)
//   @ METHOD /path BODY    a request, and who sent it if not the account; those in flight together are sorted
//   | TEXT                 a line of standard output (|- if it has no line feed)
//   ! TEXT                 a line of standard error
//   > TEXT                 a line of the terminal in the end, without colours
//   = CODE                 the exit code
//
// Clock, random values, host and user name are fixed; ports and the folder's name are replaced. What must hold for every line
// is checked in invariants.ts.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { main } from "../../src/main.ts";
import { openAccount, fault, type Account } from "./account.ts";
import { program, runProgram, writeScript } from "./binary.ts";
import { seedRandom } from "./fixed-world.cjs";
import { createClock, credentials, environmentAt } from "./grantctl.ts";
import { faultsOf, type Outcome } from "./invariants.ts";
import { authorizationJson, checkedJson, grantJson, tokenValue } from "./resources.ts";
import { screenOf } from "./screen.ts";
import { cut, json, on, silent, startServer, plain, type ServedRequest, type Server } from "./serve.ts";
import { noTerminalReason, runOnTerminal, type Step } from "./terminal.ts";
import { createTestHost } from "./test-host.ts";

const now = "2026-11-25T12:00:00Z";

/** Finds no keychain: its session bus does not exist. */
const keychainHelper = join(dirname(program), "..", "dist", "keychain-helper.cjs");

/** One part of a script: lines that are copied, and what they mean. */
type Part =
  | { readonly kind: "comment"; readonly copied: readonly string[] }
  | {
      readonly kind: "sandbox" | "server" | "set" | "headers";
      readonly copied: readonly string[];
      readonly value: string;
    }
  | { readonly kind: "fresh"; readonly copied: readonly string[] }
  | {
      readonly kind: "file";
      readonly copied: readonly string[];
      readonly value: string;
      readonly content: string;
    }
  | { readonly kind: "answers"; readonly copied: readonly string[] }
  | { readonly kind: "command"; readonly copied: readonly string[]; readonly command: CommandLine };

export interface CommandLine {
  readonly line: string;
  /** The width of the terminal; 0 for pipes. */
  readonly columns: number;
  readonly isShell: boolean;
  readonly steps: readonly Step[];
}

/** A test for each script in a folder. */
export function testScripts(folder: string): void {
  const names = readdirSync(folder).filter((name) => name.endsWith(".txt"));
  if (process.env["CI"] !== undefined && process.argv.includes("-u"))
    throw new Error("in CI, scripts are not recorded");
  test.for(names)("%s", async (name, { skip }) => {
    const path = join(folder, name);
    // A few messages come from Node itself.
    if (!process.versions.node.startsWith("20.")) skip("scripts are recorded with Node 20");
    if (noTerminalReason !== null) skip(noTerminalReason);
    await expect(await runScript(readFileSync(path, "utf8"))).toMatchFileSnapshot(path);
  });
}

/** Runs a script and returns it with what its lines do now. Throws if an invariant does not hold. */
async function runScript(script: string): Promise<string> {
  const world = openScriptWorld();
  const written: string[] = [];
  try {
    for (const part of partsOf(script)) {
      written.push(...part.copied);
      if (part.kind === "sandbox") await world.startSandbox(part.value);
      else if (part.kind === "server") await world.startServer(part.value);
      else if (part.kind === "set") world.set(part.value);
      else if (part.kind === "headers") world.showHeaders(part.value);
      else if (part.kind === "fresh") world.forget();
      else if (part.kind === "file")
        writeFileSync(join(world.home, part.value), part.content, { mode: 0o600 });
      else if (part.kind === "answers") world.answer(part.copied);
      else if (part.kind === "command") {
        const outcome = await world.run(part.command);
        const faults = faultsOf(outcome);
        if (faults.length > 0) throw new Error(`${part.command.line}\n  ${faults.join("\n  ")}`);
        written.push(...world.linesOf(outcome, part.command.columns));
      }
    }
    return written.join("\n");
  } finally {
    await world.close();
  }
}

/** The parts of a script without what its lines printed. */
function partsOf(script: string): readonly Part[] {
  const lines = script.split("\n").filter((line) => !/^[|!>=@]/.test(line));
  const parts: Part[] = [];
  /** The lines after this one that match; `at` moves behind them. */
  let at = 0;
  const takeWhile = (pattern: RegExp): readonly string[] => {
    const taken: string[] = [];
    while (pattern.test(lines[at] ?? "")) taken.push(lines[at++] ?? "");
    return taken;
  };
  while (at < lines.length) {
    const line = lines[at++] ?? "";
    const [, directive, value = ""] = /^# (sandbox|server|set|headers|file|fresh)\b:?(.*)$/.exec(line) ?? [];
    const [, columns = "", shell] = /^(\d*)(sh)?\$ /.exec(line) ?? [];
    if (directive === "file") {
      const content = takeWhile(/^\+/);
      const text = content.map((one) => `${one.slice(2)}\n`).join("");
      parts.push({ kind: "file", copied: [line, ...content], value: value.trim(), content: text });
    } else if (directive === "fresh") parts.push({ kind: "fresh", copied: [line] });
    else if (directive !== undefined)
      parts.push({ kind: directive as "set", copied: [line], value: value.trim() });
    else if (line.startsWith("< ")) parts.push({ kind: "answers", copied: [line, ...takeWhile(/^< /)] });
    else if (/^\d*(?:sh)?\$ /.test(line)) {
      const command = [line];
      while (command.at(-1)?.endsWith("\\") === true) command.push(lines[at++] ?? "");
      const steps = takeWhile(/^\? /);
      const whole = command.join("\n").replace(/^\d*(?:sh)?\$ /, "");
      const isShell = shell !== undefined || steps.length > 0;
      const given = { line: whole, columns: Number(columns), isShell, steps: steps.map(stepOf) };
      parts.push({ kind: "command", copied: [...command, ...steps], command: given });
    } else parts.push({ kind: "comment", copied: [line] });
  }
  return parts;
}

function stepOf(line: string): Step {
  const [pattern = "", keys = ""] = line.slice(2).split(" ==> ");
  const names: Readonly<Record<string, string>> = {
    "\\r": "\r",
    "\\t": "\t",
    "\\e": "\u001b",
    "\\x03": "\u0003",
  };
  const type = keys.replace(/^raw:/, "").replaceAll(/\\(?:[rte]|x03)/g, (key) => names[key] ?? key);
  return { when: new RegExp(pattern), type, whenRaw: keys.startsWith("raw:") };
}

/** The programs that a shell line finds besides those of the system. */
const programs: Readonly<Record<string, string>> = {
  grantctl: `exec '${process.execPath}' '${program}' "$@"`,
  // Takes a value from standard input, and records what it was given.
  taker: 'read -r value; echo "taker: $value for $GRANTCTL_AUTHORIZATION_ID ($GRANTCTL_NOTE)" >> taken.txt',
};

/** A folder, a clock and at most one server; the caller closes it. */
function openScriptWorld() {
  const folder = mkdtempSync("/tmp/gt-");
  const home = join(folder, "home");
  const clock = createClock(Date.parse(now));
  const makeFolders = (): void => {
    for (const name of ["home", "state", "config", "bin"])
      mkdirSync(join(folder, name), { mode: 0o700, recursive: true });
  };
  makeFolders();
  for (const [name, lines] of Object.entries(programs))
    writeScript(join(folder, "bin", name), `#!/bin/sh\n${lines}\n`);
  const fixed: Readonly<Record<string, string>> = {
    PATH: `${join(folder, "bin")}:${process.env["PATH"] ?? ""}`,
    HOME: home,
    LANG: "C.UTF-8",
    TERM: "xterm",
    TZ: "UTC",
    XDG_CACHE_HOME: join(folder, "cache"),
    GRANTCTL_STATE_DIR: join(folder, "state"),
    GRANTCTL_CONFIG_DIR: join(folder, "config"),
    // No other process can create a path below a missing folder of this one.
    DBUS_SESSION_BUS_ADDRESS: `unix:path=${join(folder, "no-session", "bus")}`,
  };
  const forProcesses = {
    NODE_OPTIONS: `--require=${fileURLToPath(new URL("fixed-world.cjs", import.meta.url))}`,
    TRANSCRIPT_NOW: now,
  };
  let server: Server | null = null;
  let account: Account | null = null;
  let variables: Readonly<Record<string, string>> = {};
  let secrets: readonly string[] = [];
  let shownHeaders: readonly string[] = [];
  const ports = new Map<string, string>();
  const seen = new Map<string, number>();

  const replaced = (shown: string): string =>
    shown
      .replaceAll(folder, "/tmp/gt-000000")
      .replaceAll(process.versions.node, "20.20.2")
      // The words of libsecret, of the machine that lacks it, or of the helper that cannot be started.
      .replaceAll(/(no keychain is available: )[^"\r\n]*/g, "$1no keychain")
      .replaceAll(/(127\.0\.0\.1:)(\d{5})\b/g, (_, host: string, port: string) => {
        if (!ports.has(port)) ports.set(port, String(40_001 + ports.size));
        return `${host}${ports.get(port)}`;
      });

  const stop = async (): Promise<void> => {
    await server?.close();
    await account?.sandbox.close();
    server = null;
    account = null;
  };

  const records = new Set<string>();
  /** The ID of the newest record, as this is called before each line; empty without one. */
  const newestId = (): string => {
    const all = readdirSync(join(folder, "state")).flatMap((name) => /^(.*)\.journal$/.exec(name)?.[1] ?? []);
    for (const id of all.toSorted()) records.add(id);
    return [...records].filter((id) => all.includes(id)).at(-1) ?? "";
  };

  const inProcess = async ({ line, columns }: CommandLine): Promise<Ended> => {
    const given = { ...fixed, ...variables, ID: newestId() };
    const commands = readLine(line, given, home);
    const before = process.cwd();
    process.chdir(home);
    let ended: Ended = { code: 0, stdout: "", stderr: "", sent: "" };
    try {
      for (const [at, { words, environment, input }] of commands.entries()) {
        const width = columns === 0 || at < commands.length - 1 ? null : columns;
        const recorded = createTestHost({
          argv: words,
          environment,
          childEnvironment: environment,
          input: input ?? (at > 0 ? ended.stdout : width === null ? "" : null),
          columns: width,
          errorColumns: width,
          now: clock.now,
          setTimer: clock.setTimer,
          hostname: "workstation",
          homeFolder: home,
          keychainHelper: [process.execPath, keychainHelper],
        });
        const code = await main(recorded.host);
        ended =
          width === null
            ? { code, stdout: recorded.stdout(), stderr: ended.stderr + recorded.stderr(), sent: "" }
            : { code, stdout: "", stderr: "", sent: recorded.both().replaceAll("\n", "\r\n") };
      }
      return ended;
    } finally {
      process.chdir(before);
    }
  };

  const inShell = async ({ line, columns, steps }: CommandLine, seed: string): Promise<Ended> => {
    const environment = {
      ...fixed,
      ...variables,
      ID: newestId(),
      ...forProcesses,
      TRANSCRIPT_SEED: `${line} #${seed}`,
    };
    if (columns > 0) {
      const command = `stty rows 200; bash -c '${line.replaceAll("'", String.raw`'\''`)}'`;
      const { raw, code } = await runOnTerminal(command, steps, environment, columns);
      return {
        code,
        stdout: "",
        stderr: "",
        sent: /\[process \d+\]\r\n(.*)\[ended \d+\]/s.exec(raw)?.[1] ?? raw,
      };
    }
    const run = await runProgram("timeout", ["-s", "KILL", "50", "bash", "-c", line], {
      environment,
      folder: home,
    });
    return { code: run.code ?? 128, stdout: run.stdout, stderr: run.stderr, sent: "" };
  };

  return {
    home,
    async startSandbox(flags: string): Promise<void> {
      await stop();
      const restore = seedRandom("sandbox");
      account = await openAccount({ now: clock.now, ...sandboxOptions(flags) }).finally(restore);
      const { description } = account.sandbox;
      const tokens = description.tokens.map(({ token }) => token);
      secrets = [description.password, description.client_secret, ...tokens];
      const files = {
        "tokens.txt": tokens,
        "password.txt": [description.password],
        "secret.txt": [description.client_secret],
        ...Object.fromEntries(tokens.map((token, at) => [`token-${at + 1}.txt`, [token]])),
      };
      for (const [name, lines] of Object.entries(files))
        writeFileSync(join(home, name), `${lines.join("\n")}\n`, { mode: 0o600 });
      variables = {
        ...account.environment,
        ...Object.fromEntries(tokens.map((token, at) => [`TOKEN_${at + 1}`, token])),
      };
    },
    async startServer(type: string): Promise<void> {
      await stop();
      server = await startServer();
      const tokens = [1, 2, 3, 4, 5, 6, 7, 8, 9].map((number) => [`T${number}`, tokenValue(number)] as const);
      secrets = [credentials.password, credentials.clientSecret, ...tokens.map(([, token]) => token)];
      variables = {
        ...environmentAt(server.root),
        ...(type === "" || type === "service" ? {} : { GRANTCTL_SERVER_TYPE: type }),
        ...Object.fromEntries(tokens),
      };
    },
    set(words: string): void {
      const changes = words.split(" ").map((word): readonly [string, string] => {
        const [name = "", ...value] = word.split("=");
        return [name, value.join("=")];
      });
      variables = { ...variables, ...Object.fromEntries(changes) };
    },
    showHeaders(names: string): void {
      shownHeaders = names.split(" ").filter((name) => name !== "");
    },
    forget(): void {
      for (const name of ["state", "config"]) rmSync(join(folder, name), { recursive: true, force: true });
      makeFolders();
    },
    answer(lines: readonly string[]): void {
      if (server === null) throw new Error(`an answer without a server: ${lines[0]}`);
      const byOperation = new Map<string, ReturnType<typeof answerOf>[]>();
      for (const line of lines) {
        const [, operation = "", rest = ""] = /^< (\S+ \S+) (.*)$/.exec(line) ?? [];
        const path = expandResources(operation);
        const answer = answerOf(rest.replaceAll("$ROOT", server.root));
        byOperation.set(path, [...(byOperation.get(path) ?? []), answer]);
      }
      server.reset(
        ...[...byOperation].map(([operation, [first, ...others]]) =>
          on(operation as `GET /${string}`, first ?? silent, ...others),
        ),
      );
    },
    async run(command: CommandLine): Promise<Outcome> {
      const count = (seen.get(command.line) ?? 0) + 1;
      seen.set(command.line, count);
      const before = server?.requests.length ?? 0;
      // The sandbox runs in this process, whatever the line is run by.
      const restore = seedRandom(`${command.line} #${count}`);
      const ended = await (command.isShell ? inShell(command, String(count)) : inProcess(command)).finally(
        restore,
      );
      const unhandled = server?.unhandled() ?? [];
      if (unhandled.length > 0) throw new Error(`${command.line}\n  no answer to ${unhandled.join(", ")}`);
      return { line: command.line, ...ended, requests: server?.requests.slice(before) ?? [], secrets };
    },
    linesOf({ code, stdout, stderr, sent, requests }: Outcome, columns: number): readonly string[] {
      const sorted = requests
        .map((request) => [request.batch, requestLine(request, shownHeaders)] as const)
        .toSorted(([one, line], [other, otherLine]) => one - other || (line < otherLine ? -1 : 1));
      const screen = columns === 0 ? [] : screenOf(replaced(sent), columns);
      return [
        ...sorted.map(([, line]) => `@ ${line}`),
        ...marked("|", replaced(stdout)),
        ...marked("!", replaced(stderr)),
        ...screen.map((line) => `> ${line}`.trimEnd()),
        `= ${code}`,
      ];
    },
    async close(): Promise<void> {
      await stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

type Ended = Pick<Outcome, "code" | "stdout" | "stderr" | "sent">;

interface PlainCommand {
  readonly words: readonly string[];
  readonly environment: Record<string, string>;
  /** Standard input; null for what the command before it prints, or nothing. */
  readonly input: string | null;
}

/** The commands of a pipeline, read as a shell would: words, variables and standard input. */
function readLine(
  line: string,
  given: Readonly<Record<string, string>>,
  home: string,
): readonly PlainCommand[] {
  const needsShell = (): Error => new Error(`${line}\n  needs a shell: begin it with sh$`);
  const commands: PlainCommand[] = [];
  let input: string | null = null;
  let words: string[] = [];
  let environment: Record<string, string> = { ...given };
  let isFile = false;
  const endCommand = (): void => {
    const [name, ...rest] = words;
    if (name === "grantctl") commands.push({ words: rest, environment, input });
    else if (commands.length > 0) throw needsShell();
    input = name === "printf" ? printf(rest) : null;
    if (name === "echo") input = `${rest.join(" ")}\n`;
    words = [];
    environment = { ...given };
  };
  const pattern = /((?:'[^']*'|"(?:\\.|[^"\\])*"|\\.|[^\s'"|<>();&\\])+)|([|<>();&]+)|(?:\s|\\\n)+/g;
  for (const [, word, operator] of line.matchAll(pattern)) {
    if (word !== undefined) {
      const value = unquote(word, given);
      const [, name, set] = /^(\w+)=(.*)$/s.exec(value) ?? [];
      if (isFile) input = readFileSync(resolve(home, value), "utf8");
      else if (words.length === 0 && name !== undefined && set !== undefined) environment[name] = set;
      else words.push(value);
      isFile = false;
    } else if (operator === "<") isFile = true;
    else if (operator === "|") endCommand();
    else if (operator !== undefined) throw needsShell();
  }
  endCommand();
  if (commands.length === 0) throw needsShell();
  return commands;
}

/** What the shell's printf prints for the formats that scripts use: one with or without a %s. */
function printf([format = "", ...words]: readonly string[]): string {
  const text = format.replaceAll("\\n", "\n");
  return words.length === 0 ? text : words.map((word) => text.replace("%s", () => word)).join("");
}

/** A word as a shell expands it. */
function unquote(word: string, given: Readonly<Record<string, string>>): string {
  const expand = (text: string): string =>
    text.replaceAll(
      /\$(?:(\w+)|\{(\w+)\})/g,
      (_, one?: string, other?: string) => given[one ?? other ?? ""] ?? "",
    );
  return [...word.matchAll(/'([^']*)'|"((?:\\.|[^"\\])*)"|\\(.)|([^'"\\]+)/gs)]
    .map(([, single, double, escaped, bare]) => {
      if (double !== undefined) return expand(double.replaceAll(/\\(["\\$`])/g, "$1"));
      return single ?? escaped ?? expand(bare ?? "");
    })
    .join("");
}

/** The sandbox of these flags. */
function sandboxOptions(flags: string): Parameters<typeof openAccount>[0] {
  const words = flags.split(" ").filter((word) => word !== "");
  const valuesOf = (flag: string): readonly string[] =>
    words.flatMap((word, at) => (word === flag ? [words[at + 1] ?? ""] : []));
  const numberOf = (flag: string): number | null => (words.includes(flag) ? Number(valuesOf(flag)[0]) : null);
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

/** The answer of a line: a status, headers and a body. */
function answerOf(words: string): Response | ((request: ServedRequest) => Response) {
  const [, status = "", rest = ""] = /^(\S+) ?(.*)$/.exec(words) ?? [];
  if (status === "cut") return cut;
  if (status === "silent") return silent;
  const headers: Record<string, string> = {};
  let body = rest;
  for (let header = headerAt(body); header !== null; header = headerAt(body)) {
    headers[header[1] ?? ""] = header[2] ?? "";
    body = body.slice(header[0].length);
  }
  if (body === "") return plain(Number(status), "", headers);
  const [value = "", addition] = body.split(" + request");
  const expanded = expandResources(value);
  if (addition === undefined) {
    if (!/^[[{"\d]|^(?:null|true|false)/.test(expanded)) return plain(Number(status), expanded, headers);
    return plain(Number(status), expanded, { "Content-Type": "application/json", ...headers });
  }
  return (request) => {
    const { client_secret: _, ...asked } = JSON.parse(request.body) as Record<string, unknown>;
    return json(Number(status), { ...(JSON.parse(expanded) as object), ...asked }, headers);
  };
}

function headerAt(body: string): RegExpExecArray | null {
  return /^\[([A-Z][\w-]*): ([^\]]*)\] ?/.exec(body);
}

const resources = { authorization: authorizationJson, grant: grantJson } as const;

function expandResources(body: string): string {
  return body
    .replaceAll(/\$T(\d+)/g, (_, number: string) => tokenValue(Number(number)))
    .replaceAll(
      /\b(authorization|grant|checked)\(((?:"(?:\\.|[^"\\])*"|[^)"])*)\)/g,
      (_, kind: string, fields: string) => {
        const changes = JSON.parse(`{${fields}}`) as Record<string, unknown>;
        if (kind === "checked") return JSON.stringify(checkedJson(String(changes["token"]), changes));
        return JSON.stringify(resources[kind as "grant"](changes));
      },
    );
}

function requestLine(
  { method, path, body, sender, headers }: ServedRequest,
  shown: readonly string[],
): string {
  const code = Object.entries(headers).find(([name]) => name.endsWith("-otp"))?.[1];
  return [
    method,
    path,
    sender === credentials.username ? "" : `(${sender})`,
    code === undefined ? "" : `(code ${String(code)})`,
    ...shown.flatMap((name) => {
      const value = String(headers[name] ?? "");
      const decoded = value.replace(/(?<=^Basic ).*/, (word) => Buffer.from(word, "base64").toString("utf8"));
      return value === "" ? [] : [`[${name}: ${decoded}]`];
    }),
    body.replaceAll(credentials.clientSecret, "$CLIENT_SECRET").replaceAll("\n", "\\n"),
  ]
    .filter((word) => word !== "")
    .join(" ");
}

function marked(mark: string, shown: string): readonly string[] {
  if (shown === "") return [];
  const lines = shown.split("\n").map(withEscapes);
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
