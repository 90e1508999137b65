// Whether this process is in the foreground of a terminal, whose keys then send signals to it and its children alike.
import { closeSync, openSync, readFileSync } from "node:fs";

/** Whether this process belongs to the foreground job of its terminal; outside Linux, whether it has a terminal. */
export function isInFront(): boolean {
  try {
    const text = readFileSync("/proc/self/stat", "latin1");
    // The name in brackets may hold anything. After it come state, parent, group, session, terminal, the terminal's group.
    const [, , group, , , groupInFront] = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return group === groupInFront;
  } catch {
    return hasTerminal();
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
