// Every hostile response for every kind of request: a soak runs all nine commands, other runs one of them in turn. A
// table lists the exit codes; the forbidden failures are the same for all.
import { expect, test } from "vitest";
import { bodies } from "./bodies.ts";
import { framings } from "./framings.ts";
import type { HostileAnswer } from "./answer-bytes.ts";
import {
  commands,
  faultsOf,
  ownRequests,
  runAgainst,
  type Command,
  type HostileRun,
  isOfFailure,
} from "./hostile-run.ts";
import { inTurn } from "../support/soak.ts";
import { runUntilStruck } from "../support/struck.ts";
import { statuses } from "./statuses.ts";

const hostileAnswers = [...framings, ...bodies, ...statuses];

const rows = hostileAnswers.map((hostile, row) => ({ ...hostile, row }));

test.each(rows)(
  "$name: each command handles it correctly and sends a write once",
  { tags: "soak" },
  async ({ answer, read, write, isEndless, row }) => {
    const runs = await Promise.all(
      inTurn(commands, commands.length, row).map((command) =>
        isEndless === true ? runUntilSent(command, answer) : runAgainst(command, answer, 100),
      ),
    );
    for (const run of runs) {
      const { name, isWrite } = run.command;
      expect.soft([name, faultsOf(run, isEndless)]).toEqual([name, []]);
      // A read is repeated three times after some of them.
      expect.soft(isWrite ? [1] : [1, 4], name).toContain(ownRequests(run).length);
      const wanted = isWrite ? write : read;
      expect.soft(wanted, `${name} ended with ${run.code}: ${run.stderr}`).toContain(run.code);
      // A command that fails prints nothing on standard output.
      expect.soft([name, run.code !== 0 && !isOfFailure(run.stdout)]).toEqual([name, false]);
    }
  },
);

function runUntilSent(command: Command, answer: HostileAnswer["answer"]): Promise<HostileRun> {
  return runUntilStruck(
    0.5,
    (seconds) => runAgainst(command, answer, seconds),
    (run) => ownRequests(run).length > 0,
  );
}
