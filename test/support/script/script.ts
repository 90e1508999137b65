// Scripts: command lines with what they print, how they exit and which requests they send, as text files. A script is run
// from its own text and compared with what the run wrote; `npm run record` writes it anew, and its diff is read whole.
//
//   # sandbox: FLAGS       starts a sandbox, which the lines below use
//   # server: TYPE         starts a double of a server (service, github or oauth); its requests are recorded
//   # file: NAME           makes a file of the lines below that begin with +
//   # set: NAME=VALUE …    sets variables for the lines below; NAME= removes one
//   # headers: NAME …      also records these headers of each request below; the credentials of Basic are decoded
//   # fresh                forgets state and configuration of the lines above
//   # anything else        a comment
//   < METHOD /path STATUS [Header: value]… BODY     (ALL /* for all requests, /path?page=2 for one page)
//                          what the double answers to the lines below, until there are other lines of this kind. Several for
//                          one path are given in order, the last one again; a path with a query is only for requests
//                          with it, and comes first. STATUS may be cut or silent. BODY is JSON, in
//                          which authorization("id":7), grant(…) and checked("token":"…") are whole resources and $T7 is a
//                          token, $ROOT the server's; `+ request` adds the fields of the request's body
//   $ LINE                 runs grantctl in this process: [NAME=VALUE…] grantctl WORDS [< FILE], after `echo WORDS |`,
//                          `printf '%s\n' WORDS |` or another grantctl command if it has input. $ID is the newest record.
//                          A line that ends with \ continues in the next
//   80$ LINE               the same on a terminal of 80 columns
//   sh$ LINE               bash runs the line, with grantctl as a program; 80sh$ on a terminal of 80 columns
//   ? PATTERN ==> KEYS     waits for the pattern on that terminal, then types the keys (\r, \t, \e, \x03)
//   @ METHOD /path BODY    a request, and who sent it if not the account; those in flight together are sorted
//   | TEXT                 a line of standard output (|- if it has no line feed)
//   ! TEXT                 a line of standard error
//   > TEXT                 a line of the terminal in the end, without colours
//   = CODE                 the exit code
//
// Clock, random values, host and user name are fixed; ports and the folder's name are replaced. What must hold for every line
// is checked in invariants.ts.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { noTerminalReason } from "../terminal.ts";
import { faultsOf } from "./invariants.ts";
import { partsOf, type Part } from "./parts.ts";
import { ScriptWorld } from "./script-world.ts";

/** A test for each script in a folder. */
export function testScripts(folder: string): void {
  const names = readdirSync(folder).filter((name) => name.endsWith(".txt"));
  if (process.env["CI"] !== undefined && process.argv.includes("-u"))
    throw new Error("in CI, scripts are not recorded");
  test.for(names)("%s", async (name, { skip }) => {
    const path = join(folder, name);
    // A few messages come from Node itself.
    if (!process.versions.node.startsWith("20.")) skip("scripts are recorded with Node 20");
    if (noTerminalReason !== null) skip(noTerminalReason);
    await expect(await runScript(readFileSync(path, "utf8"))).toMatchFileSnapshot(path);
  });
}

/** Runs a script and returns it with what its lines do now. Throws if an invariant does not hold. */
async function runScript(script: string): Promise<string> {
  const world = new ScriptWorld();
  const written: string[] = [];
  try {
    for (const part of partsOf(script)) written.push(...part.copied, ...(await perform(part, world)));
    return written.join("\n");
  } finally {
    await world.close();
  }
}

/** Does what a part says; resolves with the lines that a command adds to the script. */
async function perform(part: Part, world: ScriptWorld): Promise<readonly string[]> {
  if (part.kind === "sandbox") await world.startSandbox(part.value);
  else if (part.kind === "server") await world.startServer(part.value);
  else if (part.kind === "set") world.set(part.value);
  else if (part.kind === "headers") world.showHeaders(part.value);
  else if (part.kind === "fresh") world.forget();
  else if (part.kind === "file") world.writeFile(part.value, part.content);
  else if (part.kind === "answers") world.answer(part.copied);
  if (part.kind !== "command") return [];
  const outcome = await world.run(part.command);
  const faults = faultsOf(outcome);
  if (faults.length > 0) throw new Error(`${part.command.line}\n  ${faults.join("\n  ")}`);
  return world.linesOf(outcome, part.command.columns);
}
