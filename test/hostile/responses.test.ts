// Every hostile answer, given to every kind of request: in a soak to every command, else to two of the nine in turn.
// The exit code of a command is in the table; the failures that may never happen are the same for all.
import { expect, test } from "vitest";
import { bodies } from "./bodies.ts";
import { framings } from "./framings.ts";
import type { HostileAnswer } from "./answer-bytes.ts";
import { commands, faultsOf, ownRequests, runAgainst, type Command, type HostileRun } from "./hostile-run.ts";
import { inTurn } from "../support/soak.ts";
import { runUntilStruck } from "../support/struck.ts";
import { statuses } from "./statuses.ts";

const hostileAnswers = [...framings, ...bodies, ...statuses];

const rows = hostileAnswers.map((hostile, row) => ({ ...hostile, row }));

test.each(rows)(
  "$name: no command is misled, and each sends it once",
  { tags: "soak" },
  async ({ answer, read, write, isEndless, row }) => {
    const runs = await Promise.all(
      inTurn(commands, 5, row).map((command) =>
        isEndless === true ? runUntilSent(command, answer) : runAgainst(command, answer, 100),
      ),
    );
    for (const run of runs) {
      const { name, isWrite } = run.command;
      expect.soft([name, faultsOf(run, isEndless)]).toEqual([name, []]);
      expect.soft([name, ownRequests(run).length]).toEqual([name, 1]);
      const wanted = isWrite ? write : read;
      expect.soft(wanted, `${name} ended with ${run.code}: ${run.stderr}`).toContain(run.code);
      // With 0 there is a whole response, and with anything else there is none.
      expect.soft([name, run.code !== 0 && run.stdout !== ""]).toEqual([name, false]);
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

test("there are enough of them, each with a name of its own", () => {
  expect(new Set(hostileAnswers.map(({ name }) => name)).size).toBe(hostileAnswers.length);
  expect(hostileAnswers.length).toBeGreaterThan(100);
});
