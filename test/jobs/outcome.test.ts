// A job's last line and its failure: the totals, which of several failures decides the exit code, and what the hint says.
import { expect, test } from "vitest";
import { Failure, type FailureDetails, type FailureKind } from "../../src/errors/errors.ts";
import { hints } from "../../src/errors/hints.ts";
import { remarks, Tally, type Ending, type Outcome, type Status } from "../../src/jobs/outcome.ts";

type Some = Outcome<unknown>;

const base = { item: "i", result: null };
const of = (status: Status, failure: Failure | null = null): Some => ({ ...base, status, failure });
const done = of("done");
const accepted = of("accepted");
const gone = of("gone");
const notTried = of("not-tried");
const unknown = of("unknown", new Failure("unknown", "unknown"));
const undelivered = of("undelivered", new Failure("undelivered", "undelivered"));
/** Its message is its kind. */
const failed = (kind: FailureKind, details?: FailureDetails): Some =>
  of("failed", new Failure(kind, kind, details));

type More = [gone?: string, before?: Map<Status, number>];
function tallyOf(outcomes: readonly Some[], isGoneDone = true, ...more: More) {
  const tally = new Tally({ doneWord: "revoked", isGoneDone }, ...more);
  for (const outcome of outcomes) tally.count(outcome);
  return tally;
}

test.each<[words: string, tally: Tally, totals: string]>([
  ["nothing", tallyOf([]), "0 revoked"],
  ["the statuses in one order", tallyOf([notTried, gone, done]), "1 revoked, 1 not found, 1 not tried"],
  ["what a row calls failed", tallyOf([undelivered, failed("refused")]), "1 undelivered, 1 failed"],
  ["the word of the server for what is gone", tallyOf([gone], true, "inactive"), "1 inactive"],
  ["what earlier runs did", tallyOf([done], true, undefined, new Map([["done", 1233]])), "1,234 revoked"],
])("the totals have %s", (_, tally, totals) => expect(tally.totals()).toBe(totals));

test.each<[words: string, outcomes: readonly Some[], isGoneDone: boolean, code: number]>([
  ["all are done or accepted", [done, accepted], false, 0],
  ["some are gone, as they should be", [done, gone], true, 0],
  ["some are gone that should be there", [done, gone], false, 9],
  ["all are gone that should be there", [gone, gone], false, 3],
  ["all failed in one way: that way's", [failed("network"), failed("network")], true, 8],
  ["one failed, and the rest was not tried: that one's", [failed("authentication"), notTried], true, 4],
  ["nothing was tried", [notTried], true, 9],
  ["they failed in two ways", [failed("network"), failed("refused")], true, 9],
  ["one is done and others failed", [failed("network"), done], true, 9],
  ["one is gone and others failed", [failed("network"), gone], false, 9],
  ["a value was not delivered, whatever else", [failed("network"), undelivered, done], true, 12],
  ["one may have happened, whatever else", [done, undelivered, unknown, failed("network")], true, 13],
])("the exit code if %s", (_, outcomes, isGoneDone, code) => {
  expect(tallyOf(outcomes, isGoneDone).failure()?.exitCode ?? 0).toBe(code);
});

const own = failed("refused", { hint: "Own." });
const active = failed("refused", { hint: "Look.", isStillActive: true });
const lost = failed("network", { hint: "Own." });
const lacking = failed("incomplete", { hint: "Own." });
const later = failed("refused", { hint: hints.nothingChanged });
const { unchanged, ineffective } = remarks;
const hint = "Resume.";
const first = "; first error: refused";
const one = `1 failed, 1 not tried${first}`;

test.each<[words: string, outcomes: readonly Some[], ending: Ending, message: string, hint?: string]>([
  ["an item fails with its own words", [own], {}, "refused", "Own."],
  ["an item that was stopped says so", [notTried], {}, "stopped before the request was sent"],
  ["an item beside one that is done is counted", [done, notTried], {}, "1 revoked, 1 not tried"],
  ["an item without a failure is counted", [of("lost")], {}, "1 lost"],
  ["items that were stopped are counted", [notTried, notTried], { hint }, "2 not tried", hint],
  ["items name the first failure", [done, own, lost], {}, `1 revoked, 2 failed${first}`, "Own."],
  ["active tokens come first", [lost, active, active], {}, `2 still active: 3 failed${first}`, "Look."],
  ["the way to go on replaces the hint of an item", [own], { hint }, "refused", hint],
  ["but not the reason why nothing came", [lost], { hint }, "network", `Own. ${hint}`],
  ["nor what is missing", [lacking], { hint }, "incomplete", `Own. ${hint}`],
  ["nothing was changed: said of several", [own, notTried], { remark: unchanged }, one, `${unchanged} Own.`],
  ["not said twice of one", [own], { remark: unchanged }, "refused", "Own."],
  ["nor beside a hint that says so", [later, notTried], { remark: unchanged }, one, hints.nothingChanged],
  ["without effect: said of one, too", [own], { remark: ineffective }, "refused", `${ineffective} Own.`],
])("%s", (_, outcomes, ending, message, said) => {
  const failure = tallyOf(outcomes).failure(ending);
  expect({ message: failure?.message, hint: failure?.details.hint }).toEqual({ message, hint: said });
});
