// Whether this process is in front on a terminal, whose keys then send signals to it and to its children alike.
import { closeSync, openSync, readFileSync } from "node:fs";

/** Whether this process is of the job in front on its terminal; where only Linux tells, whether it has a terminal. */
export function isInFront(): boolean {
  try {
    const text = readFileSync("/proc/self/stat", "latin1");
    // The name in brackets may hold anything. Behind it: state, parent, group, session, terminal, the terminal's group.
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
