// Mutation testing runs tests for each of hundreds of mutants: it skips tests that only measure time, and does not
// shrink failing examples.
import { configureGlobal } from "fast-check";
import { beforeEach } from "vitest";

configureGlobal({ endOnFailure: true });

beforeEach(({ task, skip }) => {
  skip(task.name.includes("linear time"));
});
