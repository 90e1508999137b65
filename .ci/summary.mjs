// The end of .ci/run: the failed tests with their files and messages, then the totals. The arguments are the reports of the
// test runner; a missing report means that this part failed as a whole, or was stopped.
import { readFileSync } from "node:fs";
import { basename, relative } from "node:path";

const mostLines = 12;
const sum = { passed: 0, failed: 0, skipped: 0 };

/** The first lines of a failure's message, which may contain a whole diff. */
function beginningOf(message) {
  const lines = message.trim().split("\n");
  return lines
    .slice(0, mostLines)
    .map((line) => `     ${line}\n`)
    .join("");
}

function tellFailuresOf(file, run) {
  for (const { name, message, assertionResults } of run.testResults) {
    const failed = assertionResults.filter(({ status }) => status === "failed");
    const where = `${basename(file, ".json")}: ${relative(process.cwd(), name)}`;
    for (const { fullName, failureMessages } of failed)
      process.stdout.write(
        `== failed in ${where}\n   ${fullName}\n${beginningOf(failureMessages.join("\n"))}`,
      );
    if (failed.length === 0 && message)
      process.stdout.write(`== failed in ${where}\n${beginningOf(message)}`);
  }
}

for (const file of process.argv.slice(2)) {
  let run;
  try {
    run = JSON.parse(readFileSync(file, "utf8"));
  } catch {
    process.stdout.write(`== failed as a whole: ${basename(file, ".json")}\n`);
    sum.failed += 1;
    continue;
  }
  tellFailuresOf(file, run);
  sum.passed += run.numPassedTests;
  sum.failed += run.numFailedTests;
  // A soak omits the tests that the suite has just run; they do not count as skipped.
  if (!file.endsWith("/soak.json")) sum.skipped += run.numPendingTests + run.numTodoTests;
}
const skipped = sum.skipped === 0 ? "" : `, ${sum.skipped} skipped`;
process.stdout.write(`${sum.passed} passed, ${sum.failed} failed${skipped}\n`);
process.exitCode = sum.failed > 0 || sum.passed === 0 ? 1 : 0;
