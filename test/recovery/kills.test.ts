// Kills the real program at random instants, several times per job, and resumes it until it is done. Then compares the
// server's own record with the output. GRANTCTL_TEST_KILLS sets the number of kills per bulk job, GRANTCTL_TEST_SEED
// the instants.
import { existsSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runBinary, type Finished } from "../support/binary.ts";
import { seededRandom, startProgram, unfinishedJob } from "../support/killed-program.ts";
import { makeFolder, makeStateFolder } from "../support/state-folder.ts";
import { inFull, inTurn } from "../support/soak.ts";
import { runMain } from "../support/test-host.ts";
import {
  startTruthService,
  type TruthOperator,
  type TruthRequest,
  type TruthService,
} from "../support/truth-service.ts";

const kills = Number(process.env["GRANTCTL_TEST_KILLS"] ?? inFull("2", "12"));
const seed = Number(process.env["GRANTCTL_TEST_SEED"] ?? "1");
const itemsOfAJob = 200;
const operators: readonly TruthOperator[] = ["service", "github"];
const signals: readonly NodeJS.Signals[] = ["SIGKILL", "SIGKILL", "SIGKILL", "SIGTERM", "SIGINT"];

interface Line {
  readonly token_last_eight_before: string;
  readonly token: string;
}

/** Counters of one test, printed at its end. */
type Counts = Record<string, number>;

function report(name: string, counts: Counts): void {
  const text = Object.entries(counts).map(([what, count]) => `${count} ${what}`);
  process.stdout.write(`${name}: ${text.join(", ")} (seed ${seed})\n`);
}

/** Runs it and sends a signal shortly after the given number of requests, unless it finishes earlier. */
async function runAndKill(
  service: TruthService,
  words: readonly string[],
  environment: Readonly<Record<string, string>>,
  input: string,
  instant: { readonly signal: NodeJS.Signals; readonly afterRequests: number; readonly afterMs: number },
): Promise<Finished> {
  const { child, finished } = startProgram(words, environment, input);
  const from = service.requests.length;
  let isAimed = false;
  const strike = (): void => {
    if (isAimed || service.requests.length < from + instant.afterRequests) return;
    isAimed = true;
    setTimeout(() => child.kill(instant.signal), instant.afterMs);
  };
  service.onRequest(strike);
  if (instant.afterRequests === 0) strike();
  return finished;
}

/** Groups the violations by type, with a count and one example each. */
function kindsOf(wrong: readonly string[]): readonly string[] {
  const kinds = new Map<string, { readonly example: string; readonly count: number }>();
  for (const example of wrong) {
    const kind = example.replaceAll(/\d+/g, "0").slice(0, 60);
    kinds.set(kind, {
      example: kinds.get(kind)?.example ?? example,
      count: (kinds.get(kind)?.count ?? 0) + 1,
    });
  }
  return [...kinds.values()].map(({ example, count }) => `${count} times: ${example}`);
}

/** Counts each status in a job's report. */
function statusesOf(finished: Finished | null): string {
  const counts = new Map<string, number>();
  for (const line of (finished?.stdout ?? "").split("\n").filter((text) => text !== "")) {
    const [status = ""] = line.split("\t");
    counts.set(status, (counts.get(status) ?? 0) + 1);
  }
  return [...counts].map(([status, count]) => `${count} ${status}`).join(", ");
}

/** The complete lines of an output file. A last line without a line feed was cut off by the kill. */
function linesOf(file: string): readonly string[] {
  if (!existsSync(file)) return [];
  const text = readFileSync(file, "utf8");
  return text
    .slice(0, text.lastIndexOf("\n") + 1)
    .split("\n")
    .slice(0, -1);
}

function countBy(requests: readonly TruthRequest[], operation: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const request of requests.filter((each) => each.operation === operation))
    counts.set(request.subject, (counts.get(request.subject) ?? 0) + 1);
  return counts;
}

test.each(inTurn(operators, 2, 0))(
  `%s: bulk resets killed ${kills} times lose no value and repeat none`,
  { tags: "soak" },
  async (operator) => {
    const random = seededRandom(seed);
    const service = await startTruthService(undefined, operator);
    const counts: Counts = {
      jobs: 0,
      runs: 0,
      kills: 0,
      items: 0,
      "values delivered": 0,
      "unknown outcomes": 0,
    };
    const wrong: string[] = [];
    while ((counts["kills"] ?? 0) < kills) {
      service.clear();
      counts["jobs"] = (counts["jobs"] ?? 0) + 1;
      const tokens = Array.from({ length: itemsOfAJob }, () => service.addToken());
      counts["items"] = (counts["items"] ?? 0) + tokens.length;
      service.plan(() => ({ delayMs: random() * 2, delayAnswerMs: random() * 4 }));
      const state = makeStateFolder();
      const environment = { ...service.environment, ...state.environment };
      const world = { environment };
      const input = `${tokens.join("\n")}\n`;
      const output = join(makeFolder(), "new.txt");
      const job = `job ${counts["jobs"]}`;
      const fromRequest = service.requests.length;
      const fromWrite = service.writes.length;

      let last: Finished | null = null;
      for (let run = 0; run < 20; run += 1) {
        const journal = run === 0 ? null : await unfinishedJob(environment);
        if (journal === null && run > 0 && service.writes.length > fromWrite) {
          // There is nothing to resume only if the kill came after the end.
          if (service.writes.length - fromWrite < tokens.length)
            wrong.push(`${job} run ${run}: writes, and no journal`);
          break;
        }
        // Killed before anything was sent: start the job again.
        if (journal === null) rmSync(output, { force: true });
        const resume = journal === null ? [] : ["--resume", journal];
        const words = ["token", "reset", "--yes", "--output-file", output, ...resume];
        const isKilled = run < 6;
        const afterRequests = Math.floor(random() * 60);
        const signal = signals[Math.floor(random() * signals.length)] ?? "SIGKILL";
        const instant = { signal, afterRequests, afterMs: random() * (afterRequests === 0 ? 400 : 15) };
        counts["runs"] = (counts["runs"] ?? 0) + 1;
        last = isKilled
          ? await runAndKill(service, words, environment, input, instant)
          : await runBinary(words, { environment, input });
        const wasStopped = last.signal !== null || last.code === 143 || last.code === 130;
        if (wasStopped) counts["kills"] = (counts["kills"] ?? 0) + 1;
        const whole = existsSync(output) ? readFileSync(output, "utf8") : "";
        if (last.signal === null && whole !== "" && !whole.endsWith("\n"))
          wrong.push(`${job} run ${run}: a torn last line`);
        if (!wasStopped && (last.code === 0 || (last.code === 13 && !last.stdout.includes("not-tried"))))
          break;
        if (run === 19) wrong.push(`${job}: never done: ${statusesOf(last)}`);
        // Lost values are reported, and nothing is left to do.
        if (!wasStopped && last.code === 9 && !/not-tried|unproven|failed/.test(last.stdout)) break;
        if (!wasStopped && last.code === 13) continue;
        if (!wasStopped) wrong.push(`${job} run ${run}: exit ${last.code}: ${last.stderr}`);
      }

      const lines = linesOf(output).map((line) => JSON.parse(line) as Line);
      if (existsSync(output) && (statSync(output).mode & 0o777) !== 0o600) wrong.push(`${job}: not private`);
      const delivered = lines.map(({ token }) => token);
      counts["values delivered"] = (counts["values delivered"] ?? 0) + delivered.length;
      if (new Set(delivered).size !== delivered.length)
        wrong.push(`${job}: ${delivered.length - new Set(delivered).size} values twice in the output file`);
      const writes = service.writes.slice(fromWrite);
      const requests = service.requests.slice(fromRequest);
      for (const token of tokens) {
        const written = writes.filter(({ subject }) => subject === token);
        if (written.length !== 1) wrong.push(`${job}: ${written.length} resets of one token`);
        const first = written[0];
        const repeated = requests.filter(
          ({ operation, subject, at }) =>
            operation === "reset" && subject === token && at > (first?.at ?? 0) + 50,
        );
        if (repeated.length > 0) wrong.push(`${job}: a finished token was sent again`);
        if (first?.value !== undefined && first.value !== null && !delivered.includes(first.value)) {
          counts["unknown outcomes"] = (counts["unknown outcomes"] ?? 0) + 1;
          const isSaid = last?.code === 9 && last.stdout.includes(`lost\t${token.slice(-8)}`);
          if (!isSaid)
            wrong.push(`${job}: a value is lost without a word (exit ${last?.code}: ${statusesOf(last)})`);
        }
      }
      const made = new Set(writes.map(({ value }) => value));
      if (delivered.some((value) => !made.has(value)))
        wrong.push(`${job}: a value that the service never made`);
      const shown = await runMain(["recover", "list", "--json", "id,values,unknown"], world);
      if (last?.code === 0 && shown.stdout !== "[]\n") wrong.push(`${job}: done, and left ${shown.stdout}`);
    }
    report(`bulk reset, ${operator}`, counts);
    expect(kindsOf(wrong)).toEqual([]);
  },
);

test.each(inTurn(operators, 2, 1))(
  `%s: bulk revocations killed ${kills} times skip no item and repeat none`,
  { tags: "soak" },
  async (operator) => {
    const random = seededRandom(seed + 1);
    const service = await startTruthService(undefined, operator);
    const counts: Counts = { jobs: 0, runs: 0, kills: 0, items: 0, unproven: 0 };
    const wrong: string[] = [];
    while ((counts["kills"] ?? 0) < kills) {
      service.clear();
      counts["jobs"] = (counts["jobs"] ?? 0) + 1;
      const job = `job ${counts["jobs"]}`;
      const tokens = Array.from({ length: itemsOfAJob }, () => service.addToken());
      counts["items"] = (counts["items"] ?? 0) + tokens.length;
      service.plan(() => ({ delayMs: random() * 2, delayAnswerMs: random() * 4 }));
      const state = makeStateFolder();
      const environment = { ...service.environment, ...state.environment };
      const input = `${tokens.join("\n")}\n`;
      const fromRequest = service.requests.length;
      const fromWrite = service.writes.length;
      /** End time of the run that reported an item as done, by the item's last eight characters. */
      const finished = new Map<string, number>();
      let last: Finished | null = null;
      for (let run = 0; run < 20; run += 1) {
        const journal = run === 0 ? null : await unfinishedJob(environment);
        if (journal === null && service.writes.length - fromWrite === tokens.length) break;
        if (journal === null && service.writes.length > fromWrite)
          wrong.push(`${job} run ${run}: no journal`);
        const words = ["token", "revoke", "--yes", ...(journal === null ? [] : ["--resume", journal])];
        const afterRequests = Math.floor(random() * 60);
        const signal = signals[Math.floor(random() * signals.length)] ?? "SIGKILL";
        const instant = { signal, afterRequests, afterMs: random() * (afterRequests === 0 ? 400 : 15) };
        counts["runs"] = (counts["runs"] ?? 0) + 1;
        last =
          run < 6
            ? await runAndKill(service, words, environment, input, instant)
            : await runBinary(words, { environment, input });
        const wasStopped = last.signal !== null || last.code === 143 || last.code === 130;
        if (wasStopped) counts["kills"] = (counts["kills"] ?? 0) + 1;
        for (const [, lastEight = ""] of last.stdout.matchAll(/^(?:revoked|not-found)\t(.*)$/gm))
          finished.set(lastEight, finished.get(lastEight) ?? Date.now());
        const isAllGone = tokens.every((token) => !service.isLive(token));
        // Items that are gone are no proof of the credentials: without a success in the run they stay unproven.
        if (!wasStopped && last.code === 9 && isAllGone) {
          counts["unproven"] = (counts["unproven"] ?? 0) + last.stdout.split("unproven\t").length - 1;
          if (last.stdout.split("\n").some((line) => line !== "" && !line.startsWith("unproven\t")))
            wrong.push(`${job}: exit 9 with ${statusesOf(last)}`);
          break;
        }
        if (!wasStopped && last.code === 0) break;
        if (!wasStopped && !/not tried/.test(last.stderr))
          wrong.push(`${job} run ${run}: exit ${last.code}: ${last.stderr}`);
        if (run === 19) wrong.push(`${job}: never done: ${statusesOf(last)}`);
      }
      if (tokens.some((token) => service.isLive(token))) wrong.push(`${job}: a live token was skipped`);
      const writes = service.writes.slice(fromWrite);
      if (writes.length !== tokens.length)
        wrong.push(`${job}: ${writes.length} revocations of ${tokens.length}`);
      const sent = countBy(service.requests.slice(fromRequest), "revoke");
      // Sent again only if a kill kept it from being carried out.
      const repeats = [...sent.values()].filter((count) => count > 1).length;
      counts["sent again because not carried out"] =
        (counts["sent again because not carried out"] ?? 0) + repeats;
      // A kill between an item's row and its record makes the next run check the item, which changes nothing.
      for (const { operation, subject, at } of service.requests.slice(fromRequest)) {
        const end = finished.get(subject.slice(-8));
        if (operation === "revoke" && end !== undefined && at > end)
          wrong.push(`${job}: a finished item was sent again`);
      }
    }
    report(`bulk revoke, ${operator}`, counts);
    expect(kindsOf(wrong)).toEqual([]);
  },
);

test.each(operators)(
  `%s: single resets and creations killed ${kills} times leave a value or a report`,
  { tags: "soak" },
  async (operator) => {
    const random = seededRandom(seed + 2);
    const service = await startTruthService(
      () => ({ delayMs: random() * 5, delayAnswerMs: random() * 5 }),
      operator,
    );
    const counts: Counts = {
      runs: 0,
      kills: 0,
      delivered: 0,
      "kept for recover": 0,
      unknown: 0,
      "not sent": 0,
    };
    const add = (what: string): void => void (counts[what] = (counts[what] ?? 0) + 1);
    const wrong: string[] = [];
    for (let run = 0; run < kills; run += 1) {
      const state = makeStateFolder();
      const environment = { ...service.environment, ...state.environment };
      const world = { environment };
      const isReset = run % 2 === 0;
      const token = isReset ? service.addToken() : "";
      const subject = isReset ? token : `note ${run}`;
      const operation = isReset ? "reset" : "create";
      const words = isReset ? ["token", "reset", "--yes"] : ["authorization", "create", "--note", subject];
      const signal = signals[run % signals.length] ?? "SIGKILL";
      const finished = await runAndKill(service, words, environment, token, {
        signal,
        afterRequests: run % 5 === 0 ? 0 : 1,
        afterMs: random() * (run % 5 === 0 ? 300 : 12),
      });
      add("runs");
      if (finished.signal !== null) add("kills");
      const name = `run ${run}, ${operation}, ${signal}`;
      // Let requests in flight finish before reading the server's record.
      await service.settled();
      const sent = service.requests.filter(
        (each) => each.subject === subject && each.operation === operation,
      );
      if (sent.length > 1) wrong.push(`${name}: sent ${sent.length} times`);
      const write = service.writes.find((each) => each.subject === subject);
      const value = write?.value ?? null;
      if (value !== null && finished.stdout === `${value}\n`) {
        add("delivered");
        continue;
      }
      if (finished.stdout !== "") wrong.push(`${name}: on standard output: ${finished.stdout}`);
      if (finished.signal === null) wrong.push(`${name}: exit ${finished.code}: ${finished.stderr}`);
      const [id] = state.ids();
      if (id === undefined) {
        add("not sent");
        if (sent.length > 0) wrong.push(`${name}: sent, and nothing is left of it`);
        continue;
      }
      const shown = await runMain(["recover", "show", id], { ...world, input: token });
      if (shown.code === 0) {
        add("kept for recover");
        if (shown.stdout !== `${value}\n`) wrong.push(`${name}: recovered a wrong value`);
        continue;
      }
      const isBlank = sent.length === 0 && write === undefined;
      if (shown.code === 2 && isBlank) {
        add("not sent");
        continue;
      }
      add("unknown");
      if (shown.code !== 13 || shown.stdout !== "")
        wrong.push(`${name}: recover exits ${shown.code}: ${shown.stderr}`);
    }
    report(`single requests, ${operator}`, counts);
    expect(kindsOf(wrong)).toEqual([]);
  },
);
