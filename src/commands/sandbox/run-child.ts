// The command of `grantctl sandbox run`, run on the caller's own streams until it ends.
import type { ChildProcess } from "node:child_process";
import { constants } from "node:os";
import { exitCodeOfSignal } from "../../errors/errors.ts";
import { foreign } from "../../errors/foreign.ts";
import { startProgram } from "../../programs/start-program.ts";
import type { Context } from "../../run/context.ts";

/** The exit codes of shells for a program that does not exist, and for one that cannot be run. */
const notFoundCode = 127;
const notRunnableCode = 126;

/** Runs a program and resolves with its exit code; where a signal ended it or it did not start, with that of shells. */
export function runChild(
  [program = "", ...others]: readonly string[],
  environment: Record<string, string>,
  { host, notices }: Context,
): Promise<number> {
  return new Promise((resolve) => {
    // A terminal sends the signals of its keys to the child as well, and the console of Windows sends every signal; all
    // others are passed on to the child, which decides. Listens before the child is started, because the child may send
    // a signal before the code after its start runs.
    let started: ChildProcess | null = null;
    const stop = host.onStopSignal((signal) => {
      const isOfKeys = (signal === "SIGINT" || signal === "SIGQUIT") && host.isInFront();
      if (!isOfKeys && host.platform !== "win32") started?.kill(signal);
    });
    const child = startProgram([program, ...others], { env: environment, stdio: "inherit" }, host.platform);
    started = child;
    child.on("error", (error: NodeJS.ErrnoException) => {
      stop();
      notices.warn(
        `cannot run ${foreign(program)}: ${error.code === "ENOENT" ? "there is no such command" : foreign(error.message)}`,
      );
      resolve(error.code === "ENOENT" ? notFoundCode : notRunnableCode);
    });
    child.on("exit", (code, signal) => {
      stop();
      resolve(signal === null ? (code ?? 0) : exitCodeOfSignal(constants.signals[signal]));
    });
  });
}
