// The first promise: no run says of an active token that it is gone, or ends with 0 because of it, whatever a server does
// in the middle of it. The truth is the server's own record.
import { createHash, createHmac } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect } from "vitest";
import { test, type Grantctl } from "../support/grantctl.ts";
import { inFull } from "../support/soak.ts";
import { startTruthService, type FaultPlan, type TruthService } from "../support/truth-service.ts";

const digest = (number: number): Buffer => createHash("sha256").update(`token ${number}`).digest();
const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");

function makeJwt(number: number): string {
  const text = `${part({ alg: "HS256" })}.${part({ jti: number })}`;
  return `${text}.${createHmac("sha256", "key").update(text).digest("base64url")}`;
}

/** Six forms of tokens. */
const forms: readonly ((number: number) => string)[] = [
  (number) => digest(number).toString("hex").slice(0, 40),
  (number) => `gho_${digest(number).toString("hex").slice(0, 36)}`,
  (number) => `ghs_${digest(number).toString("hex").slice(0, 36)}`,
  (number) => digest(number).toString("base64url"),
  (number) =>
    digest(number)
      .toString("hex")
      .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, "$1-$2-$3-$4-$5"),
  makeJwt,
];

/** What stands in the input in place of a token. */
const texts: readonly ((token: string) => string)[] = [
  (token) => token,
  (token) => token,
  (token) => token,
  (token) => token.slice(0, -1),
  (token) => token.slice(1),
  (token) => `x${token}`,
  (token) => `${token}0`,
  (token) => token.toUpperCase(),
];

const json404 = { status: 404, body: { message: "Not Found" } };

type Change = (method: string) => ReturnType<FaultPlan>;

/** What a server does from one request on. */
const changes: Readonly<Record<string, Change>> = {
  "the credentials are changed": () => ({ instead: json404 }),
  "the credentials are rejected": () => ({ instead: { status: 401, body: { message: "Bad credentials" } } }),
  "a gateway answers DELETE": (method) => (method === "DELETE" ? { instead: json404 } : undefined),
  "a gateway answers POST": (method) => (method === "POST" ? { instead: json404 } : undefined),
  "a gateway answers GET": (method) => (method === "GET" ? { instead: json404 } : undefined),
  "a web server answers": () => ({
    instead: { status: 404, headers: { "Content-Type": "text/html" }, body: "<html>Not Found</html>" },
  }),
  "it is overloaded": () => ({ instead: { status: 503, body: { message: "Try again" } } }),
  "answers do not arrive": () => ({ cutAt: 20 }),
  nothing: () => undefined,
};

interface Scene {
  readonly items: readonly { readonly form: number; readonly isActive: boolean; readonly text: number }[];
  readonly change: string;
  /** The requests before the change. */
  readonly before: number;
  /** The number of requests that it concerns: one, a spell of some, or all. */
  readonly length: number;
  readonly hasProof: boolean;
  /** True if an earlier run has sent the changes, and got no response. */
  readonly isResumed: boolean;
}

const scenes: fc.Arbitrary<Scene> = fc.record({
  items: fc.array(
    fc.record({ form: fc.nat(forms.length - 1), isActive: fc.boolean(), text: fc.nat(texts.length - 1) }),
    { minLength: 1, maxLength: 12 },
  ),
  change: fc.constantFrom(...Object.keys(changes)),
  before: fc.nat(16),
  length: fc.constantFrom(1, 2, 3, 5, 8, 13, 1000),
  hasProof: fc.boolean(),
  isResumed: fc.boolean(),
});

/** The input of a scene at a new server, which follows the plan once it misbehaves. */
async function arrange({ items, change, before, length }: Scene) {
  const service = await startTruthService();
  const tokens = items.map(({ form, isActive, text }, index) => {
    const token = forms[form]?.(index) ?? "";
    if (isActive) service.addToken({ user: { login: `person ${index % 2}` } }, token);
    return { token, text: texts[text]?.(token) ?? token };
  });
  const proof = service.addToken({}, digest(1000).toString("hex").slice(0, 40));
  const misbehave = (start = service.requests.length + before): void =>
    service.plan(({ method }, at) =>
      at >= start && at < start + length ? changes[change]?.(method) : undefined,
    );
  return { service, tokens, proof, misbehave };
}

interface Row {
  readonly token_last_eight?: string;
  readonly token_last_eight_before?: string;
  readonly id?: number;
  readonly status: string;
}

const saysGone = ["not-found", "revoked", "reset", "lost", "deleted"];

const rowsOf = (stdout: string): readonly Row[] =>
  (stdout.match(/^\{.*/gm) ?? []).map((line) => JSON.parse(line) as Row);

/** True for a token and for a text that a reader would take for it. */
const isPartOf = (token: string, text: string): boolean => token.includes(text) || text.includes(token);

/** What a run says wrongly, compared with what is active at the server now. */
function falsehoods(
  { code, stdout }: { readonly code: number; readonly stdout: string },
  tokens: readonly { readonly token: string; readonly text: string }[],
  service: TruthService,
): readonly string[] {
  const active = tokens.filter(({ token, text }) => service.isLive(token) && isPartOf(token, text));
  const endings = new Set(active.map(({ text }) => text.slice(-8)));
  const rows = rowsOf(stdout);
  if ([0, 3, 9].includes(code) && rows.length === 0) return ["no rows"];
  const wrong = rows
    .filter(({ status }) => saysGone.includes(status))
    .filter((row) => endings.has(row.token_last_eight ?? row.token_last_eight_before ?? ""))
    .map((row) => JSON.stringify(row));
  return code === 0 && active.length > 0 ? [...wrong, "exit code 0"] : wrong;
}

/** Different scenes in each run of the tests. */
const runs = inFull(14, 200);

async function checkScenes(command: string, grantctl: Grantctl, folder: string): Promise<void> {
  await fc.assert(
    fc.asyncProperty(scenes, async (scene) => {
      const { service, tokens, proof, misbehave } = await arrange(scene);
      const proofFile = join(folder, "proof.txt");
      writeFileSync(proofFile, `${proof}\n`, { mode: 0o600 });
      const words = `${command} ${scene.hasProof ? `--proof-token-file ${proofFile}` : ""} --format ndjson`;
      const input = tokens.map(({ text }) => `${text}\n`).join("");
      const { environment } = service;
      let resume = "";
      if (scene.isResumed) {
        // Every second change takes effect.
        const lost = [{ cutAt: 0 }, { instead: { status: 500 } }];
        service.plan(({ method }, position) => (method === "GET" ? undefined : lost[position % 2]));
        resume = /--resume [^`]+/.exec((await grantctl(words, { environment, input })).stderr)?.[0] ?? "";
      }
      misbehave();
      const run = await grantctl(`${words} ${resume}`, { environment, input });
      await service.settled();
      const ofCheck = command.includes("check") && run.code === 0 ? { ...run, code: 1 } : run;
      expect({ run, wrong: falsehoods(ofCheck, tokens, service) }).toEqual({ run, wrong: [] });
      await service.stop();
    }),
    { numRuns: runs },
  );
}

describe("no active token is called gone, whatever the server does in the middle of", () => {
  test.for(["token check", "token revoke --yes", "token revoke-grant --yes", "token reset --yes"])(
    "%s",
    { tags: "soak" },
    async (command, { grantctl, folder }) => checkScenes(command, grantctl, folder),
  );

  test("authorization delete --yes", { tags: "soak" }, async ({ grantctl }) => {
    await fc.assert(
      fc.asyncProperty(scenes, async (scene) => {
        const { service, tokens, misbehave } = await arrange(scene);
        misbehave();
        const ids = tokens.map(({ token }, index) =>
          service.isLive(token) ? service.idOf(token) : 90_000 + index,
        );
        const active = new Map(tokens.map(({ token }, index) => [ids[index], token]));
        const run = await grantctl(`authorization delete --yes --format ndjson ${ids.join(" ")}`, {
          environment: service.environment,
        });
        await service.settled();
        const wrong = rowsOf(run.stdout).filter(
          ({ id, status }) => saysGone.includes(status) && service.isLive(active.get(id) ?? ""),
        );
        const left = tokens.filter(({ token }) => service.isLive(token));
        expect({ run, wrong, left: run.code === 0 ? left : [] }).toEqual({ run, wrong: [], left: [] });
        await service.stop();
      }),
      { numRuns: runs },
    );
  });
});
