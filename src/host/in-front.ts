// Whether this process is in the foreground of a terminal, whose keys then send signals to it and its children alike.
import { closeSync, openSync, readFileSync } from "node:fs";

/** Whether this process belongs to the foreground job of its terminal; where that is not told, whether it has a terminal. */
export function isInFront(): boolean {
  return isToldInFront(readStat()) ?? hasTerminal();
}

/** Whether Linux says so in the text of `/proc/self/stat`; null where it does not tell. */
export function isToldInFront(text: string): boolean | null {
  // The name in brackets may hold anything. After it come state, parent, group, session, terminal, the terminal's group.
  const [, , group, , terminal, groupInFront] = text.slice(text.lastIndexOf(")") + 2).split(" ");
  // No terminal is 0, which gVisor says of every process.
  return terminal === undefined || terminal === "0" ? null : group === groupInFront;
}

/** Empty outside Linux. */
function readStat(): string {
  try {
    return readFileSync("/proc/self/stat", "latin1");
  } catch {
    return "";
  }
}

function hasTerminal(): boolean {
  try {
    closeSync(openSync("/dev/tty", "r"));
    return true;
  } catch {
    return false;
  }
}
