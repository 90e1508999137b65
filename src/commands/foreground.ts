// Runs a user's command on grantctl's own streams, as a shell would, for `sandbox run` and `authorization run`.
//
// The command owns the terminal. It receives keyboard signals from the terminal directly, and on Windows all signals
// from the console; grantctl forwards the others, lets the command handle them, and exits after it. The exit code is
// the command's, or 126, 127 or 128 + signal as in a shell.
//
// `authorization run` passes the descriptor of its record on, whose lock the command then holds as well.
import { exitCodeOfSignal } from "../errors/errors.ts";
import { typedWord } from "../errors/words.ts";
import { startProgram } from "../system/programs.ts";
import type { Context } from "../command-line/command.ts";

/** The exit codes of shells for a program that does not exist, and for one that cannot be run. */
export const notFoundCode = 127;
export const notRunnableCode = 126;

/** Resolves with the exit code. The command inherits the descriptor, besides the standard streams. */
export function runInForeground(
  words: readonly [string, ...string[]],
  environment: Readonly<Record<string, string>>,
  { host, notices }: Pick<Context, "host" | "notices">,
  descriptor?: number,
): Promise<number> {
  const [program] = words;
  return new Promise((finish) => {
    // Registered before the start, because the child may send a signal at once. It is handled after these statements.
    const stop = host.onStopSignal((signal) => {
      const isOfKeys = (signal === "SIGINT" || signal === "SIGQUIT") && host.isForeground();
      if (!isOfKeys && host.platform !== "win32") child.kill(signal);
    });
    const inherited = descriptor === undefined || host.platform === "win32" ? [] : [descriptor];
    const stdio = ["inherit", "inherit", "inherit", ...inherited] as const;
    const child = startProgram(words, { env: environment, stdio: [...stdio] });
    const end = (code: number): void => {
      stop();
      finish(code);
    };
    child.on("error", (error: NodeJS.ErrnoException) => {
      // It runs, and only a signal could not be passed on, as to a command of another user.
      if (child.pid !== undefined) return;
      notices.show(
        `grantctl: cannot run ${typedWord(program)}: ${error.code === "ENOENT" ? "command not found" : error.message}`,
      );
      end(error.code === "ENOENT" ? notFoundCode : notRunnableCode);
    });
    child.on("exit", (code, signal): void => end(signal === null ? (code ?? 0) : exitCodeOfSignal(signal)));
  });
}
