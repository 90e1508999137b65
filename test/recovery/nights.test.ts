// A job that runs every night over the same list ends with 0 as soon as nothing in it is active: caution must not make it
// fail for ever. And what proof costs: one read of each item that is gone, and a few requests more.
import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { test, type Grantctl } from "../support/grantctl.ts";
import { startTruthService, type TruthService } from "../support/truth-service.ts";

const hex = (number: number): string => createHash("sha256").update(`n${number}`).digest("hex").slice(0, 40);
const base64url = (number: number): string => createHash("sha256").update(`n${number}`).digest("base64url");
const gho = (number: number): string => `gho_${hex(number).slice(0, 36)}`;

const notFound = { instead: { status: 404, body: { message: "Not Found" } } };

/** A list of which every second token is active, and the rest unknown to the server. */
function makeList(service: TruthService, form: (number: number) => string, count = 24): readonly string[] {
  return Array.from({ length: count }, (_, number) => {
    const token = form(number);
    if (number % 2 === 0) service.addToken({ user: { login: `person ${number % 3}` } }, token);
    return token;
  });
}

interface Place {
  readonly grantctl: Grantctl;
  readonly folder: string;
}

/** Runs the job once with each of these proof tokens; resolves with the exit codes. */
async function nights(
  { grantctl, folder }: Place,
  { environment }: TruthService,
  tokens: readonly string[],
  proofs: readonly string[],
  command = "revoke",
): Promise<readonly number[]> {
  const codes = [];
  const file = join(folder, "proof.txt");
  for (const proof of proofs) {
    writeFileSync(file, `${proof}\n`, { mode: 0o600 });
    const words = `token ${command} --yes ${proof === "" ? "" : `--proof-token-file ${file}`}`;
    codes.push((await grantctl(words, { environment, input: tokens.join("\n") })).code);
  }
  return codes;
}

describe("three nights over the same list", () => {
  test("of three forms, each at its server", async ({ grantctl, folder }) => {
    for (const [form, type] of [
      [hex, "service"],
      [base64url, "service"],
      [gho, "github"],
    ] as const) {
      const service = await startTruthService(undefined, type);
      const proof = service.addToken({}, form(1000));
      const tokens = makeList(service, form);
      expect(await nights({ grantctl, folder }, service, tokens, [proof, proof, proof])).toEqual([0, 0, 0]);
    }
  });

  test("with a proof token of a person in the list, whose grant ends last", async ({ grantctl, folder }) => {
    const service = await startTruthService();
    const proofs = [1000, 1001].map((number) =>
      service.addToken({ user: { login: "person 0" } }, hex(number)),
    );
    const tokens = makeList(service, hex);
    const end = (each: readonly string[]) =>
      nights({ grantctl, folder }, service, tokens, each, "revoke-grant");
    expect(await end(proofs.slice(0, 1))).toEqual([0]);
    expect(service.isLive(proofs[0] ?? "")).toBe(false);
    expect(await end(proofs.slice(0, 1))).toEqual([4]);
    const fresh = service.addToken({ user: { login: "person 7" } }, hex(1002));
    expect(await end([fresh, fresh])).toEqual([0, 0]);
  });

  test("with a proof token that expires meanwhile, and a fresh one later", async ({ grantctl, folder }) => {
    const service = await startTruthService();
    const [old, fresh] = [1000, 1001].map((number) => service.addToken({}, hex(number))) as [string, string];
    service.plan(({ subject }, position) => (subject === old && position > 5 ? notFound : undefined));
    const tokens = makeList(service, hex);
    expect(await nights({ grantctl, folder }, service, tokens, [old, fresh, fresh])).toEqual([9, 0, 0]);
  });

  test.for([
    ["revoke", "a proof token that expires in the middle"],
    ["reset", "a proof token that expires in the middle"],
    ["revoke", "a first token that is not found once, when it is to vouch"],
  ])(
    "%s with %s: the next active token vouches, and is changed last",
    async ([command = "", witness], { grantctl, folder }) => {
      const service = await startTruthService();
      const proof = witness?.includes("proof") === true ? service.addToken({}, hex(1000)) : "";
      let missed = 0;
      service.plan(({ subject, operation }, position) => {
        if (subject === proof && position > 5) return notFound;
        const isMissed = proof === "" && subject === hex(0) && operation === "check" && position > 5;
        return isMissed && (missed += 1) === 1 ? notFound : undefined;
      });
      const tokens = Array.from({ length: 140 }, (_, number) => hex(number));
      const active = tokens.filter((_, number) => number < 10 || (number >= 125 && number < 135));
      for (const token of active) service.addToken({}, token);
      const [code] = await nights({ grantctl, folder }, service, tokens, [proof], command);
      expect(code).toBe(command === "reset" ? 9 : 0);
      expect(active.filter((token) => service.isLive(token))).toEqual([]);
      const changes = service.requests.filter(({ operation }) => operation === command);
      expect(changes.at(-1)?.subject).toBe(tokens[125]);
      // Those between were read, and need not be sent.
      expect(changes.length).toBeLessThan(tokens.length);
    },
  );

  test("with 401 for the witness, which stops the job", async ({ grantctl, folder }) => {
    const service = await startTruthService();
    const proof = service.addToken({}, hex(1000));
    service.plan(({ subject }, at) =>
      subject === proof && at > 0
        ? { instead: { status: 401, body: { message: "Bad credentials" } } }
        : undefined,
    );
    const tokens = makeList(service, hex, 240);
    expect(await nights({ grantctl, folder }, service, tokens, [proof])).toEqual([9]);
    expect(service.requests.length).toBeLessThan(150);
  });

  test("with 503 for the witness", async ({ grantctl, folder }) => {
    const service = await startTruthService();
    const proof = service.addToken({}, hex(1000));
    let asked = 0;
    service.plan(({ subject }) => {
      if (subject === proof) asked += 1;
      const isOverloaded = subject === proof && asked > 1 && asked < 6;
      return isOverloaded ? { instead: { status: 503, body: { message: "Try again" } } } : undefined;
    });
    const tokens = makeList(service, hex);
    expect(await nights({ grantctl, folder }, service, tokens, [proof, proof, proof])).toEqual([0, 0, 0]);
  });

  test("at a server that answers 422 to a second deletion", async ({ grantctl, folder }) => {
    const service = await startTruthService(undefined, "github");
    const proof = service.addToken({}, gho(1000));
    service.plan(({ operation, subject }) =>
      operation === "revoke" && !service.isLive(subject)
        ? { instead: { status: 422, body: { message: "Validation Failed" } } }
        : undefined,
    );
    const tokens = makeList(service, gho);
    expect(await nights({ grantctl, folder }, service, tokens, [proof, proof, proof])).toEqual([0, 0, 0]);
  });
});

describe("what proof costs", () => {
  test.for([
    ["gone", 2 * 300 + 9],
    ["active", 300 + 1],
  ] as const)("three hundred tokens that are %s", async ([state, most], { grantctl, folder }) => {
    const service = await startTruthService();
    const proof = service.addToken({}, hex(5000));
    writeFileSync(join(folder, "proof.txt"), `${proof}\n`, { mode: 0o600 });
    const tokens = Array.from({ length: 300 }, (_, number) => hex(number));
    if (state === "active") for (const token of tokens) service.addToken({}, token);
    const more = state === "gone" ? `--proof-token-file ${join(folder, "proof.txt")}` : "";
    const run = await grantctl(`token revoke --yes ${more}`, {
      environment: service.environment,
      input: tokens.join("\n"),
    });
    expect(run.code).toBe(0);
    expect(service.requests.length).toBeLessThanOrEqual(most);
  });
});
