// Sends output that is longer than the window through a pager, like git and gh.
//
//   held     output is buffered until it is longer than the window, or `settle` is called
//   paging   the pager owns the terminal: it handles Ctrl-C, and lines for standard error are buffered
//   plain    the output was short, or the pager cannot be started: output is written immediately
//
// The pager is GRANTCTL_PAGER, else PAGER, else less if it is installed; `cat` means no pager. It runs without a shell,
// and its environment contains no secrets. If the user quits it early, that counts as a closed pipe. `settle` ends the
// pager's input and waits until the pager exits.
import { once } from "node:events";
import { stripVTControlCharacters } from "node:util";
import { splitCommand } from "../config/command-words.ts";
import { exitCodeOfSignal, QuietExit } from "../errors/errors.ts";
import type { Host } from "../host/host.ts";
import { createOutputStream, type OutputStream } from "../printing/output-stream.ts";

/** The signals of the terminal's keys (Ctrl-C, Ctrl-\), which the pager handles while it runs. */
const ofKeys: readonly NodeJS.Signals[] = ["SIGINT", "SIGQUIT"];

/** Prints a text, through a pager if it is longer than the window. */
export async function printPaged(text: string, host: Host): Promise<void> {
  const streams = { stdout: createOutputStream(host.stdout), stderr: createOutputStream(host.stderr) };
  const paged = createPaged(host, streams, () => undefined);
  await paged.stdout.write(text);
  await paged.close();
}

/** The pager's command; null to use no pager. */
async function findPager(host: Host): Promise<readonly [string, ...string[]] | null> {
  const { environment, childEnvironment, platform, stdout } = host;
  if (!stdout.isTerminal || environment["TERM"] === "dumb") return null;
  const line = environment["GRANTCTL_PAGER"] ?? environment["PAGER"];
  if (line !== undefined) return line.trim() === "cat" ? null : splitCommand(line);
  const { isProgram } = await import("../programs/start-program.ts");
  return isProgram("less", childEnvironment, platform) ? ["less", "-FRX"] : null;
}

/** Wraps the output streams. `whilePaging` gets the work during which the pager owns the terminal. */
export function createPaged(
  host: Host,
  streams: { readonly stdout: OutputStream; readonly stderr: OutputStream },
  whilePaging: (work: () => Promise<void>) => void,
) {
  const { stdout, stderr } = streams;
  let held: (string | Buffer)[] = [];
  let isHolding = stdout.isTerminal;
  let pager: Awaited<ReturnType<typeof startPager>> = null;
  let waiting: string[] = [];

  const writeHeld = async (to: Pick<OutputStream, "write">): Promise<void> => {
    const pieces = held;
    held = [];
    isHolding = false;
    for (const piece of pieces) await to.write(piece);
  };
  const open = async (): Promise<void> => {
    isHolding = false;
    const words = await findPager(host);
    pager = words === null ? null : await startPager(words, host);
    if (pager !== null) {
      const { left } = pager;
      whilePaging(() => left.then(() => undefined));
    }
    await writeHeld(pager?.stdin ?? stdout);
  };
  let opening: Promise<void> | null = null;
  const close = async (): Promise<void> => {
    await opening?.catch(() => undefined);
    try {
      if (isHolding) await writeHeld(stdout);
      await pager?.end();
    } finally {
      pager = null;
      const lines = waiting;
      waiting = [];
      for (const line of lines) await stderr.write(line);
    }
  };
  return {
    stdout: {
      isTerminal: stdout.isTerminal,
      get columns() {
        return stdout.columns;
      },
      async write(piece) {
        if (isHolding) {
          held.push(piece);
          if (countLines(held, stdout.columns) < host.stdout.rows) return;
          await (opening ??= open());
          return;
        }
        await opening;
        await (pager?.stdin ?? stdout).write(piece);
      },
      async settle() {
        await close();
        await stdout.settle();
      },
    } satisfies OutputStream,
    /** Standard error, which is buffered while the pager owns the terminal. */
    stderr: {
      isTerminal: stderr.isTerminal,
      get columns() {
        return stderr.columns;
      },
      write(piece) {
        if (pager === null || !stderr.isTerminal) return stderr.write(piece);
        waiting.push(piece.toString());
        return Promise.resolve();
      },
      settle: () => stderr.settle(),
    } satisfies OutputStream,
    /** Writes everything, and waits until the pager exits. */
    close,
  };
}

/** Starts a pager on the terminal; null if that fails. */
async function startPager(words: readonly [string, ...string[]], host: Host) {
  const { startProgram, withoutCurrentFolder } = await import("../programs/start-program.ts");
  const env = {
    LESS: "FRX",
    LV: "-c",
    // In a container without a locale, less would show every other character as <E2><96><88>.
    LESSCHARSET: "utf-8",
    ...withoutCurrentFolder(host.childEnvironment, host.platform),
  };
  const child = startProgram(words, { env, stdio: ["pipe", "inherit", "inherit"] }, host.platform);
  const left = once(child, "exit");
  left.catch(() => undefined);
  const hasStarted = await once(child, "spawn").then(
    () => true,
    () => false,
  );
  if (!hasStarted || child.stdin === null) return null;
  let stoppedBy: NodeJS.Signals | null = null;
  const forget = host.onStopSignal((signal) => {
    if (ofKeys.includes(signal)) return;
    stoppedBy = signal;
    child.kill(signal);
  });
  const target = { ...plainTarget, stream: child.stdin };
  return {
    stdin: createOutputStream(target),
    /** Resolves when the pager exits. */
    left,
    async end(): Promise<void> {
      child.stdin?.end();
      await left;
      forget();
      const { constants } = await import("node:os");
      if (stoppedBy !== null) throw new QuietExit(exitCodeOfSignal(constants.signals[stoppedBy]));
    },
  };
}

const plainTarget = {
  writeAtOnce: (bytes: Buffer) => bytes,
  isTerminal: false,
  columns: 80,
  rows: 24,
  whyLost: null,
  settle(done: (error: Error | null) => void) {
    done(null);
  },
  isFile: false,
};

/** The minimum number of lines that the text takes in a window of this width. Colours have no width. */
function countLines(pieces: readonly (string | Buffer)[], columns: number): number {
  const lines = stripVTControlCharacters(pieces.map(String).join("")).split("\n");
  return lines.reduce((count, { length }) => count + Math.max(1, Math.ceil(length / columns)), 0);
}
