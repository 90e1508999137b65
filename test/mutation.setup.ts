// Mutation testing runs some tests for each of hundreds of changes: those that only measure time are left out.
import { beforeEach } from "vitest";

beforeEach(({ task, skip }) => {
  skip(task.name.includes("linear time"));
});
