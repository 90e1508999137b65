// Runs a command of the user's on grantctl's own streams, as a shell would: `sandbox run` and `authorization run`.
//
// The command owns the terminal. A terminal sends the signals of its keys to the command as well, and the console of
// Windows sends every signal; all others are passed on, and the command decides. grantctl itself ends after it. The exit
// code is the command's; 126, 127 and 128 + signal are those of a shell.
//
// With `beforeStart`, the process exists before the command runs in it, so that its ID can be written down first: a
// shell waits on descriptor 3 and then replaces itself. If grantctl is killed meanwhile, the pipe closes and the shell
// ends. Windows has no such shell: there the command is started, and `beforeStart` runs right after that.
import type { ChildProcess } from "node:child_process";
import { constants } from "node:os";
import type { Duplex } from "node:stream";
import { exitCodeOfSignal } from "../errors/errors.ts";
import { foreign } from "../errors/foreign.ts";
import { startProgram, type ProgramOptions } from "../programs/start-program.ts";
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
    // Registered before the start, because the child may send a signal before the code after the start runs.
    let started: ChildProcess | null = null;
    const stop = host.onStopSignal((signal) => {
      const isOfKeys = (signal === "SIGINT" || signal === "SIGQUIT") && host.isForeground();
      if (!isOfKeys && host.platform !== "win32") started?.kill(signal);
    });
    const hasGate = beforeStart !== undefined && host.platform !== "win32";
    const options: ProgramOptions = { env: environment, stdio: ["inherit", "inherit", "inherit"] };
    const child = hasGate
      ? startProgram(
          ["/bin/sh", "-c", gate, "sh", ...words],
          { ...options, stdio: ["inherit", "inherit", "inherit", "pipe"] },
          host.platform,
        )
      : startProgram(words, options, host.platform);
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
    // EPIPE of a shell that a signal has ended: its exit code shows that.
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
