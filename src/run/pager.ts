// Sends output to a pager, like git and gh: GRANTCTL_PAGER, else PAGER, else less if it is installed; `cat` means none.
//
// It runs without a shell, and its environment contains no secrets. While it owns the terminal, it handles Ctrl-C. If the
// user quits it early, that counts as a closed pipe.
import { once } from "node:events";
import { splitCommand } from "../config/command-words.ts";
import { exitCodeOfSignal, QuietExit } from "../errors/errors.ts";
import type { Host } from "../system/host.ts";
import { createOutputStream, throwWriteFailure, type OutputStream } from "../output/output-stream.ts";
import { writeTo } from "../system/standard-streams.ts";

export async function printPaged(text: string, host: Host): Promise<void> {
  const paged = createPaged(host, () => undefined);
  await paged.stdout.write(text);
  await paged.close();
}

/** Wraps standard output. `whilePaging` gets the work during which the pager owns the terminal. */
export function createPaged(host: Host, whilePaging: (work: () => Promise<unknown>) => void) {
  const stdout = createOutputStream(host.stdout);
  let opening: ReturnType<typeof startPager> | null = null;
  const open = async (): ReturnType<typeof startPager> => {
    // One that needs a shell or cannot be started is skipped, because the requests were already sent.
    const pager = stdout.isTerminal ? await startPager(host).catch(() => null) : null;
    if (pager !== null) whilePaging(() => pager.left);
    return pager;
  };
  /** Writes everything, and waits until the pager exits. */
  const close = async (): Promise<void> => (await opening)?.end();
  const write: OutputStream["write"] = async (piece) => {
    const pager = await (opening ??= open());
    await (pager ?? stdout).write(piece);
  };
  const flush = async (): Promise<void> => {
    await close();
    await stdout.flush();
  };
  return { stdout: { ...stdout, write, flush }, close };
}

/** Starts the pager; null if there is none. Throws a usage failure for one that needs a shell. */
async function startPager(host: Host) {
  const { childEnvironment, environment } = host;
  const { startProgram } = await import("../system/programs.ts");
  const line = environment["GRANTCTL_PAGER"] ?? environment["PAGER"];
  if (environment["TERM"] === "dumb" || line?.trim() === "cat") return null;
  // less prints a text that fits into the window, and ends. Without a locale it would show UTF-8 as <E2><96><88>.
  const defaults = { LESS: "FRX", LV: "-c", LESSCHARSET: "utf-8" };
  const env = { ...defaults, ...childEnvironment };
  const child = startProgram(splitCommand(line ?? "less"), { env, stdio: ["pipe", "inherit", "inherit"] });
  const left = once(child, "exit").catch(() => undefined);
  const hasStarted = await once(child, "spawn").catch(() => null);
  const { stdin } = child;
  if (hasStarted === null || stdin === null) return null;
  // A pager that is quit early fails the write as well.
  stdin.on("error", () => undefined);
  let exitCode: number | null = null;
  const forget = host.onStopSignal((signal) => {
    // The terminal's keys are for the pager.
    if (signal === "SIGINT" || signal === "SIGQUIT") return;
    exitCode = exitCodeOfSignal(signal);
    child.kill(signal);
  });
  return {
    write: (text: string | Buffer): Promise<void> => writeTo(stdin, text).catch(throwWriteFailure),
    left,
    async end(): Promise<void> {
      stdin.end();
      await left;
      forget();
      if (exitCode !== null) throw new QuietExit(exitCode);
    },
  };
}
