// Dry runs of commands that change tokens exit with the code of the run, for any mix of active and revoked tokens.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeFolder, makeStateFolder } from "../../support/state-folder.ts";
import { runMain } from "../../support/test-host.ts";
import { startTruthService } from "../../support/truth-service.ts";

/** The exit code and each token's status in a run or dry run over active (L) and revoked (G) tokens. */
async function ending(verb: string, shape: string, isProven: boolean, flags: readonly string[]) {
  const service = await startTruthService();
  const environment = { ...service.environment, ...makeStateFolder().environment };
  const tokens = shape
    .split("")
    .map((kind, index) => (kind === "L" ? service.addToken() : `${index}${"e".repeat(39)}`));
  const proof = join(makeFolder(), "live.txt");
  writeFileSync(proof, service.addToken(), { mode: 0o600 });
  const words = ["token", verb, "--yes", "--concurrency", "1", "--format", "ndjson", ...flags];
  const run = await runMain([...words, ...(isProven ? ["--proof-token-file", proof] : [])], {
    environment,
    input: tokens.join("\n"),
  });
  const rows = run.stdout.trimEnd().split("\n").filter(Boolean);
  const status = rows.map((row) => (JSON.parse(row) as { status?: string }).status?.replace("would-", ""));
  return { service, code: run.code, status: status.map((word) => word?.replace(/ed$/, "e")) };
}

const shapes = ["L", "G", "LG", "GL", "GG"].flatMap((shape) => [
  { shape, isProven: false },
  { shape, isProven: true },
]);

test.each(["revoke", "revoke-grant", "reset"])("token %s", async (verb) => {
  for (const { shape, isProven } of shapes) {
    const run = await ending(verb, shape, isProven, []);
    const dry = await ending(verb, shape, isProven, ["--dry-run"]);
    expect({ shape, isProven, code: dry.code, status: dry.status }).toEqual({
      shape,
      isProven,
      code: run.code,
      status: run.status,
    });
    expect(dry.service.writes).toEqual([]);
  }
});
