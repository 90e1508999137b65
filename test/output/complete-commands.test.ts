// Commands in hints include the profile and the base URL that were typed.
import { expect, test } from "vitest";
import { createCommandCompleter } from "../../src/output/notices.ts";

test.each([
  [{ profile: "work" }, "grantctl auth login", "grantctl auth login --profile work"],
  [{ profile: "work" }, "Run `grantctl doctor` to check.", "Run `grantctl doctor --profile work` to check."],
  [{ profile: "it's" }, "grantctl audit --json", `grantctl audit --profile 'it'"'"'s' --json`],
  [
    { baseUrl: "https://e.org/api", profile: "w" },
    "grantctl token revoke --resume 1; grantctl recover list",
    "grantctl token revoke --profile w --base-url https://e.org/api --resume 1; grantctl recover list --profile w --base-url https://e.org/api",
  ],
  [{ baseUrl: "https://e.org" }, "grantctl api /user", "grantctl api --base-url https://e.org /user"],
  [
    { baseUrl: "https://e.org" },
    "grantctl grant delete -",
    "grantctl grant delete --base-url https://e.org -",
  ],
  // It has the flag, is not about the server, or the URL has a password.
  [{ baseUrl: "https://e.org" }, "grantctl auth login --base-url URL", "grantctl auth login --base-url URL"],
  [{ profile: "work" }, "grantctl config list", "grantctl config list"],
  [{ profile: "work" }, "this is a bug in grantctl", "this is a bug in grantctl"],
  [{ baseUrl: "https://u:p@e.org" }, "grantctl auth login", "grantctl auth login"],
])("%j: %s", (options, line, wanted) => {
  expect(createCommandCompleter(options)(line)).toBe(wanted);
});
