// Runs a user's command on grantctl's own streams, as a shell would, for `sandbox run` and `authorization run`.
//
// The command owns the terminal. It receives keyboard signals from the terminal directly, and on Windows all signals
// from the console; grantctl forwards the others, lets the command handle them, and exits after it. The exit code is
// the command's, or 126, 127 or 128 + signal as in a shell.
//
// With `beforeStart`, the process exists before the command runs in it, so that its ID can be recorded first: a shell
// waits for a line on descriptor 3 and then execs the command. If grantctl is killed meanwhile, the pipe closes and the
// shell exits. Windows has no such shell: there, `beforeStart` runs right after the start of the command.
import type { ChildProcess } from "node:child_process";
import { constants } from "node:os";
import type { Duplex } from "node:stream";
import { exitCodeOfSignal } from "../errors/errors.ts";
import { foreign } from "../errors/foreign.ts";
import { startProgram } from "../programs/start-program.ts";
import type { Context } from "../command-line/command.ts";

/** The exit codes of shells for a program that does not exist, and for one that cannot be run. */
export const notFoundCode = 127;
export const notRunnableCode = 126;

const gate = 'read -r line <&3 || exit 125; exec 3<&-; exec "$@"';

interface ForegroundOptions {
  readonly environment: Readonly<Record<string, string>>;
  /** Called with the process ID before the command runs. If it rejects, the command does not run. */
  readonly beforeStart?: (pid: number) => Promise<void>;
}

/** Runs a command to its end; resolves with its exit code. Rejects only if `beforeStart` does. */
export function runInForeground(
  words: readonly [string, ...string[]],
  { environment, beforeStart }: ForegroundOptions,
  { host, notices }: Pick<Context, "host" | "notices">,
): Promise<number> {
  const [program] = words;
  return new Promise((finish, fail) => {
    // Registered before the start, because the child may send a signal before the next statement runs.
    let started: ChildProcess | null = null;
    const stop = host.onStopSignal((signal) => {
      const isOfKeys = (signal === "SIGINT" || signal === "SIGQUIT") && host.isForeground();
      if (!isOfKeys && host.platform !== "win32") started?.kill(signal);
    });
    const hasGate = beforeStart !== undefined && host.platform !== "win32";
    const child = startProgram(
      hasGate ? ["/bin/sh", "-c", gate, "sh", ...words] : words,
      { env: environment, stdio: ["inherit", "inherit", "inherit", ...(hasGate ? (["pipe"] as const) : [])] },
      host.platform,
    );
    started = child;
    let refusal: { readonly error: unknown } | null = null;
    const end = (code: number): void => {
      stop();
      if (refusal === null) finish(code);
      else fail(refusal.error);
    };
    child.on("error", (error: NodeJS.ErrnoException) => {
      notices.show(
        `grantctl: cannot run ${foreign(program)}: ${error.code === "ENOENT" ? "command not found" : foreign(error.message)}`,
      );
      end(error.code === "ENOENT" ? notFoundCode : notRunnableCode);
    });
    child.on("exit", (code, signal) => {
      end(signal === null ? (code ?? 0) : exitCodeOfSignal(constants.signals[signal]));
    });
    if (beforeStart === undefined || child.pid === undefined) return;
    const opener = hasGate ? (child.stdio[3] as Duplex) : null;
    // Ignore EPIPE if a signal has ended the shell: the exit code reports that.
    opener?.on("error", () => undefined);
    beforeStart(child.pid).then(
      () => opener?.end("\n"),
      (error: unknown) => {
        refusal = { error };
        opener?.destroy();
        child.kill("SIGKILL");
      },
    );
  });
}
