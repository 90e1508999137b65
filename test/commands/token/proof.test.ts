// --proof-token-file and --stop-if-dead: a 404 means "revoked" only while an active proof token is found.
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startRecordingServer } from "../../support/recording-server.ts";
import { checkedJson, tokenValue } from "../../support/resources.ts";
import { inFull } from "../../support/soak.ts";
import { makeFolder, makeStateFolder } from "../../support/state-folder.ts";
import { runMain } from "../../support/test-host.ts";
import { knows, pathOf } from "./known-tokens.ts";

const proof = tokenValue(99);
const dead = Array.from({ length: 7 }, (_, index) => tokenValue(index + 1));

function fileOf(text: string, mode = 0o600): string {
  const file = join(makeFolder(), "live.txt");
  writeFileSync(file, text);
  chmodSync(file, mode);
  return file;
}

test("check: checks the proof token first; exits with 3 if all are revoked, 9 if some are, 0 if none", async () => {
  const server = await startRecordingServer(knows(proof, tokenValue(50), tokenValue(51)));
  const check = (tokens: readonly string[]): ReturnType<typeof runMain> =>
    server.run(["token", "check", "--proof-token-file", fileOf(`${proof}\n`), "--concurrency", "1"], {
      input: tokens.join("\n"),
    });
  const gone = await check(dead);
  expect([gone.code, gone.stdout]).toEqual([
    3,
    dead.map((token) => `not-found\t${token.slice(-8)}\n`).join(""),
  ]);
  expect(server.lines()).toEqual([proof, ...dead].map((token) => `GET ${pathOf(token)}`));
  expect((await check([...dead, tokenValue(50)])).code).toBe(9);
  expect((await check([tokenValue(50), tokenValue(51)])).code).toBe(0);
  expect(gone.stdout + gone.stderr).not.toContain(proof);
});

test.each([["revoke"], ["revoke-grant"]])(
  "%s: reports revoked tokens as already-gone and exits with 0, for one and for several",
  async (verb) => {
    const server = await startRecordingServer(knows(proof));
    for (const tokens of [dead, dead.slice(0, 1)]) {
      const run = await server.run(["token", verb, "--yes", "--proof-token-file", fileOf(proof)], {
        input: tokens.join("\n"),
      });
      expect([run.code, run.stdout]).toEqual([
        0,
        tokens.map((token) => `already-gone\t${token.slice(-8)}\n`).join(""),
      ]);
    }
    const plan = await server.run(["token", verb, "--dry-run", "--proof-token-file", fileOf(proof)], {
      input: dead.join("\n"),
    });
    expect(plan.code).toBe(0);
    expect(plan.stdout).toMatch(/^(already-gone\t\S+\n){7}$/);
  },
);

test("reset: reports revoked tokens as not-found, not as unproven", async () => {
  const server = await startRecordingServer(knows(proof));
  const run = await server.run(["token", "reset", "--yes", "--proof-token-file", fileOf(proof)], {
    input: dead.join("\n"),
  });
  expect(run.code).toBe(9);
  expect(run.stdout.match(/"status":"not-found"/g)).toHaveLength(7);
});

test.each([
  ["check", 1, 3],
  ["reset", 1, 3],
  ["check", 2, 9],
  ["reset", 2, 9],
])("%s of %i: does not blame wrong credentials for revoked tokens", async (verb, count, code) => {
  const server = await startRecordingServer(knows(proof, tokenValue(50)));
  const run = await server.run(
    ["token", verb, ...(verb === "reset" ? ["--dry-run"] : []), "--proof-token-file", fileOf(proof)],
    {
      input: [dead[0], tokenValue(50)].slice(0, count).join("\n"),
    },
  );
  expect(run.code).toBe(code);
  expect(run.stderr).toMatch(
    count === 1
      ? new RegExp(
          `the token ending in ${dead[0]?.slice(-8)} is not an active token of the application \\(verified\\)`,
        )
      : /, 1 not found, 0 failed/,
  );
  expect(run.stderr).not.toContain("credentials");
});

test("does not accept a gateway's page as proof", async () => {
  const server = await startRecordingServer((request) =>
    request.path === pathOf(proof)
      ? { status: 200, body: checkedJson(proof) }
      : { status: 404, headers: { "Content-Type": "text/html" }, body: "<html>" },
  );
  const run = await server.run(["token", "check", "--proof-token-file", fileOf(proof)], {
    input: dead[0] ?? "",
  });
  // Exit code 3 would mean that the token is proven to be revoked.
  expect(run.code).toBe(11);
  expect(run.stderr).not.toContain("(verified)");
  expect(run.stderr).toContain("without JSON");
});

const verbs = [["check"], ["reset"], ["revoke"], ["revoke-grant"]];

test.each(verbs)("%s: exits with 4 before any other request if the proof token is revoked", async (verb) => {
  const server = await startRecordingServer(knows(tokenValue(1)));
  const run = await server.run(["token", verb, "--yes", "--proof-token-file", fileOf(proof)], {
    input: dead.join("\n"),
  });
  expect([run.code, run.stdout, server.lines()]).toEqual([4, "", [`GET ${pathOf(proof)}`]]);
  expect(run.stderr).toContain(proof.slice(-8));
  expect(run.stderr).not.toContain(proof);
});

test.each(["check", "revoke"])(
  "%s: exits with 2 before any request for a proof token among the items, two, none, or a missing file",
  async (verb) => {
    const server = await startRecordingServer(knows(proof));
    for (const file of [
      fileOf(dead[3] ?? ""),
      fileOf(`${proof}\n${proof}x\n`),
      fileOf("\n"),
      "/nonexistent/live",
    ]) {
      const run = await server.run(["token", verb, "--yes", "--proof-token-file", file], {
        input: dead.join("\n"),
      });
      expect([run.code, run.stdout, server.lines()]).toEqual([2, "", []]);
      expect(run.stderr).not.toContain(proof);
    }
  },
);

test.each(["check", "revoke"])("%s: exits with 2 if the proof token is among the items", async (verb) => {
  const server = await startRecordingServer(knows(proof));
  const words = ["token", verb, "--yes", "--proof-token-file", fileOf(dead[3] ?? "")];
  const run = await server.run(words, { input: dead.join("\n") });
  expect([run.code, server.lines()]).toEqual([2, []]);
});

test("warns about personal access tokens among the items, as an application never finds them", async () => {
  const server = await startRecordingServer(knows(proof));
  const personal = `ghp_${"a1B2".repeat(9)}`;
  const run = await server.run(["token", "check", "--proof-token-file", fileOf(proof)], {
    input: [...dead, personal].join("\n"),
  });
  expect(run.code).toBe(3);
  expect(run.stderr).toContain("none of the 8 tokens is an active token of the application (verified)");
  expect(run.stderr).toContain(
    "1 of 8 tokens are personal access tokens, which an application's credentials never find, even if they are active. Run `grantctl token inspect` to check them.",
  );
});

test("also warns about a single personal access token that is proven not found", async () => {
  const server = await startRecordingServer(knows(proof));
  const run = await server.run(["token", "revoke", "--yes", "--proof-token-file", fileOf(proof)], {
    environment: makeStateFolder().environment,
    input: `ghp_${"a1B2".repeat(9)}`,
  });
  expect(run.stdout).toBe("already-gone\ta1B2a1B2\n");
  expect(run.stderr).toContain(
    "1 of 1 tokens are personal access tokens, which an application's credentials never find, even if they are active",
  );
});

test("warns about a proof token file that others may read, and uses it", async () => {
  const server = await startRecordingServer(knows(proof));
  const run = await server.run(["token", "check", "--proof-token-file", fileOf(proof, 0o644)], {
    input: dead.join("\n"),
  });
  expect(run.code).toBe(3);
  expect(run.stderr).toContain("chmod 600");
});

/** Models an incident with 17,000 tokens, of which 85 % were deleted; the soak test uses the full number. */
const many = inFull(120, 17_000);

/** Rows with this status; a script that trusts `not-found` would delete those tokens. */
function rowsOf(stdout: string, status: string): number {
  return stdout.split("\n").filter((line) => line.startsWith(`${status}\t`)).length;
}

test(
  "a server that returns 404 for active tokens: reports none as revoked with --stop-if-dead, 85 % without it",
  { tags: "soak" },
  async () => {
    const tokens = Array.from({ length: many }, (_, index) => tokenValue(index + 1000));
    const bodies = new Map([proof, ...tokens].map((token) => [pathOf(token), checkedJson(token)]));
    const well = Math.round(0.15 * many);
    let asked = 0;
    /** Every checked token is active, but after some requests the faulty server returns 404 for all. */
    const server = await startRecordingServer((request) => {
      asked += 1;
      return asked > 1 + well
        ? { status: 404, body: { message: "Not Found" } }
        : { status: 200, body: bodies.get(request.path) };
    });
    const world = { environment: server.environment, input: tokens.join("\n") };
    const flags = ["token", "check", "--concurrency", "1", "--proof-token-file", fileOf(proof)];
    const trusting = await runMain(flags, world);
    expect([trusting.code, rowsOf(trusting.stdout, "not-found")]).toEqual([9, many - well]);

    asked = 0;
    const careful = await runMain([...flags, "--stop-if-dead", "20"], world);
    expect([careful.code, rowsOf(careful.stdout, "not-found"), rowsOf(careful.stdout, "live")]).toEqual([
      11,
      0,
      well,
    ]);
    expect(rowsOf(careful.stdout, "unproven")).toBeGreaterThan(0);
    expect(rowsOf(careful.stdout, "not-tried")).toBeGreaterThan(0);
    expect(asked).toBeLessThan(0.5 * many);
  },
);

test.each([["service"], ["github"]])(
  "%s: does not report a proof token that is no longer found as (verified)",
  async (operator) => {
    let isFirst = true;
    const server = await startRecordingServer(() => {
      const status = isFirst ? 200 : 404;
      isFirst = false;
      return { status, body: status === 200 ? checkedJson(proof) : { message: "Not Found" } };
    });
    const run = await server.run(
      ["token", "check", "--proof-token-file", fileOf(proof), "--stop-if-dead", "30"],
      {
        environment: { GRANTCTL_OPERATOR: operator },
        input: Array.from({ length: 30 }, (_, index) => tokenValue(index + 200)).join("\n"),
      },
    );
    expect(run.code).toBe(11);
    expect(run.stderr).toContain(
      `could not be verified: the token ending in ${proof.slice(-8)} does not exist`,
    );
    expect(run.stderr).not.toContain("(verified)");
  },
);

test("--stop-if-dead does not stop a job with revoked tokens while the proof token is active", async () => {
  const server = await startRecordingServer(knows(proof));
  const items = Array.from({ length: 60 }, (_, index) => tokenValue(index + 200));
  const run = await server.run(
    ["token", "check", "--proof-token-file", fileOf(proof), "--stop-if-dead", "30", "--concurrency", "1"],
    { input: items.join("\n") },
  );
  expect(run.code).toBe(3);
  expect(run.stdout.match(/^not-found\t/gm)).toHaveLength(60);
  expect(server.lines().filter((line) => line === `GET ${pathOf(proof)}`)).toHaveLength(4);
});

test.each([["101"], ["-1"], ["half"], [""]])("--stop-if-revoked %j exits with 2", async (percent) => {
  const run = await runMain(["token", "check", "--stop-if-dead", percent], { input: proof });
  expect(run.code).toBe(2);
});
