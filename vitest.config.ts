// All test files share workers, which saves starting a process and loading the code for each file, so a test must leave
// nothing behind in its process.
import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

const { version } = JSON.parse(readFileSync(new URL("package.json", import.meta.url), "utf8")) as {
  version: string;
};

export default defineConfig({
  define: { GRANTCTL_VERSION: JSON.stringify(version) },
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/support/build-once.ts"],
    // More than processors, because tests wait for the programs that they start.
    maxWorkers: Math.ceil(1.5 * availableParallelism()),
    isolate: false,
    tags: [
      {
        name: "soak",
        description: "does more in a soak",
        ...(process.env["GRANTCTL_SOAK"] === "1" ? { timeout: 1_800_000 } : {}),
      },
    ],
    // For tests that hang. A slow and busy machine may take a minute for what usually takes a second.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 100_000 } },
  },
});
