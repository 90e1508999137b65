// Finds out whether this process is to survive a hang-up (SIGHUP), as after `nohup` or `trap '' HUP`. Such a process is
// started with SIGHUP ignored, but Node resets every signal to its default before it runs any code of ours, so that
// /proc/self/status no longer shows it. What remains:
//
//   trap '' HUP; grantctl …   the parent still ignores SIGHUP                                     Linux
//   nohup grantctl …          `_` in the environment names nohup (bash, zsh, ksh)                 everywhere
//   nohup grantctl …          nohup replaced a terminal: as standard input by a /dev/null that     Linux
//                             cannot be read, as standard output by the file nohup.out
import { readFileSync, readlinkSync } from "node:fs";
import { basename } from "node:path";

type Process = Pick<NodeJS.Process, "env" | "platform" | "ppid">;

/** Whether this process goes on when its terminal is closed. */
export function survivesHangUp({ env, platform, ppid }: Process): boolean {
  if (platform === "win32") return false;
  if (basename(env["_"] ?? "") === "nohup") return true;
  if (platform !== "linux") return false;
  return ignoresHangUp(textOf(`/proc/${ppid}/status`)) || isUnreadableNull() || isNohupOutput();
}

/** Whether Linux reports in the text of `/proc/PID/status` that the process ignores SIGHUP, which is signal 1. */
export function ignoresHangUp(status: string): boolean {
  return /^SigIgn:\s*[\da-f]*[13579bdf]$/m.test(status);
}

function isUnreadableNull(): boolean {
  return targetOf(0) === "/dev/null" && accessOf(0) === writeOnly;
}

function isNohupOutput(): boolean {
  return basename(targetOf(1)) === "nohup.out";
}

const writeOnly = 1;

/** The access mode of a descriptor: 0 for reading, 1 for writing, 2 for both. */
function accessOf(descriptor: number): number {
  const [, flags = "0"] = /^flags:\s*([0-7]+)/m.exec(textOf(`/proc/self/fdinfo/${descriptor}`)) ?? [];
  return Number.parseInt(flags, 8) % 4;
}

/** Empty where there is no such descriptor. */
function targetOf(descriptor: number): string {
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`);
  } catch {
    return "";
  }
}

/** Empty for a file that cannot be read. */
function textOf(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}
