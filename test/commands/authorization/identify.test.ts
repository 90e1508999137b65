// Tokens are compared only by hash: they are neither sent nor printed.
import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { runMain } from "../../support/test-host.ts";
import { startTruthService, type TruthService } from "../../support/truth-service.ts";

const identify = ["authorization", "identify"];

function hash(token: string, encoding: "hex" | "base64"): string {
  return createHash("sha256").update(token).digest(encoding);
}

const ways: readonly (readonly [string, (token: string) => string])[] = [
  ["hexadecimal", (token) => hash(token, "hex")],
  ["base64", (token) => hash(token, "base64")],
  ["base64 without padding", (token) => hash(token, "base64").replace(/=+$/, "")],
];

/** Everything sent over the network, including headers and decoded credentials. */
function wireOf(service: TruthService): string {
  return service.requests
    .map(({ path, headers, body }) => {
      const credentials = String(headers.authorization).replace(/^Basic /, "");
      return `${path} ${JSON.stringify(headers)} ${Buffer.from(credentials, "base64").toString("utf8")} ${body}`;
    })
    .join("\n");
}

describe("authorization identify", () => {
  test.each(ways)("matches hashes in %s across several pages and sends no token", async (_, encode) => {
    const service = await startTruthService();
    const known = Array.from({ length: 230 }, (__, index) => {
      const token = `token-${index}-`.padEnd(40, "ab");
      service.addToken({ hashed_token: encode(token) });
      return { token, id: 1001 + index };
    });
    const wanted = [known[0], known[150], known[229]].filter((each) => each !== undefined);
    const stranger = "f".repeat(40);
    const input = [...wanted.map(({ token }) => token), stranger].join("\n");
    const run = await runMain(identify, { environment: service.environment, input });
    expect(run.code).toBe(9);
    expect(run.stdout.split("\n").map((line) => line.split("\t")[2] ?? null)).toEqual([
      ...wanted.map(({ id }) => String(id)),
      "",
      null,
    ]);
    expect(run.stderr).toContain("3 of 4");
    for (const token of [...wanted.map((each) => each.token), stranger]) {
      expect(wireOf(service)).not.toContain(token);
      expect(wireOf(service)).not.toContain(hash(token, "hex"));
      expect(run.stdout + run.stderr).not.toContain(token);
    }
    expect(service.requests.map(({ operation }) => operation)).toEqual(Array(7).fill("list"));
  });

  test.each([[[]], [["--debug"]]])("exits with code 3 if no hash matches, with %j", async (more) => {
    const service = await startTruthService();
    service.addToken({ hashed_token: null });
    service.addToken({ hashed_token: "" });
    const input = "f".repeat(40);
    const run = await runMain([...identify, ...more], { environment: service.environment, input });
    expect(run.code).toBe(3);
    expect(run.stdout).not.toContain("active");
    expect(run.stdout + run.stderr + wireOf(service)).not.toContain(input);
  });

  test("with the same last eight characters and another hash it is unclear", async () => {
    const service = await startTruthService();
    const token = "e".repeat(40);
    service.addToken({ token_last_eight: token.slice(-8) });
    const run = await runMain(identify, { environment: service.environment, input: token });
    expect([run.code, run.stdout]).toEqual([9, expect.stringContaining("unproven")]);
  });
});
