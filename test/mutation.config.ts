// The tests that mutation testing runs against each mutant: those of the mutated modules, without the
// build that the full suite starts with.
import { defineConfig } from "vitest/config";
import { tags } from "../vitest.config.ts";

export default defineConfig({
  test: {
    include: [
      "test/http/{origin,path-target,link}.test.ts",
      "test/drawing/{sanitise,ascii}.test.ts",
      "test/redaction/{redact,encodings,secret-index}.test.ts",
      "test/errors/errors.test.ts",
    ],
    setupFiles: ["test/mutation.setup.ts"],
    testTimeout: 30_000,
    tags,
  },
});
