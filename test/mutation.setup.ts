// Mutation testing runs some tests for each of hundreds of changes: those that only measure time are left out, and what
// fails is not made smaller first.
import { configureGlobal } from "fast-check";
import { beforeEach } from "vitest";

configureGlobal({ endOnFailure: true });

beforeEach(({ task, skip }) => {
  skip(task.name.includes("linear time"));
});
