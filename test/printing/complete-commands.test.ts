// Commands in hints include the profile and the base URL that were typed.
import { describe, expect, test } from "vitest";
import { createCommandCompleter } from "../../src/printing/complete-commands.ts";
import { startRecordingServer } from "../support/recording-server.ts";
import { runMain } from "../support/test-host.ts";

const complete = (words: readonly string[], line: string): string => createCommandCompleter(words)(line);

describe("a command in a hint", () => {
  test.each([
    [["--profile", "work"], "grantctl auth login", "grantctl --profile work auth login"],
    [
      ["grant", "list", "--profile=work"],
      "run grantctl grant list",
      "run grantctl --profile work grant list",
    ],
    [["--profile", "a", "--profile", "b"], "grantctl doctor", "grantctl --profile b doctor"],
    [["--profile", "it's"], "grantctl doctor", String.raw`grantctl --profile 'it'\''s' doctor`],
    [
      ["--base-url", "https://e.org/api", "--profile", "w"],
      "grantctl token revoke --resume 1; grantctl recover list",
      "grantctl --profile w --base-url https://e.org/api token revoke --resume 1; grantctl --profile w --base-url https://e.org/api recover list",
    ],
    [
      ["--base-url", "https://e.org"],
      "grantctl auth login --base-url https://…",
      "grantctl auth login --base-url https://…",
    ],
    // Not about the server, or not typed by the user, or with a password in the URL.
    [["--profile", "work"], "grantctl config list", "grantctl config list"],
    [["--profile", "work"], "grantctl --version", "grantctl --version"],
    [["--profile", "work"], "this is a bug in grantctl", "this is a bug in grantctl"],
    [["sandbox", "run", "--", "x", "--profile", "work"], "grantctl auth login", "grantctl auth login"],
    [["--base-url", "https://u:p@e.org"], "grantctl auth login", "grantctl auth login"],
    [["--profile"], "grantctl auth login", "grantctl auth login"],
  ])("%j: %s", (words, line, wanted) => {
    expect(complete(words, line)).toBe(wanted);
  });
});

test("a typed name cannot send control characters to the terminal", async () => {
  const server = await startRecordingServer(() => ({ status: 404, body: {} }));
  const run = await runMain(["grant", "list", "--profile", "a\u001b[2Jb"], {
    environment: server.environment,
  });
  expect(run.stderr).not.toContain("\u001b");
});
