// `token revoke` and its dry run at a server that cannot report a token's state: after an accepted revocation, and
// without an introspection endpoint.
import { expect } from "vitest";
import { runBinary } from "../support/binary.ts";
import { startProgram } from "../support/killed-program.ts";
import { json, plain, type Server } from "../support/serve.ts";
import { makeStateFolder } from "../support/state-folder.ts";
import { at, dead, endpoints, live, metadataOf, statesOf, test, type Answers } from "./arranged-server.ts";

/** Sends this response to each introspection after the first revocation. */
function afterRevocation(answer: Response, isOn: () => boolean = () => true): Answers {
  let isRevoked = false;
  return ({ path }) => {
    isRevoked ||= path === "/revoke";
    return path === "/introspect" && isRevoked && isOn() ? answer : undefined;
  };
}

function isWarned(text: string): boolean {
  return text.includes("introspection is not available");
}

function count(server: Server, path: string): number {
  return endpoints(server).filter((line) => line === `POST ${path}`).length;
}

test.for<readonly [string, Response, number]>([
  ["401", plain(401), 1],
  ["503 with a long wait", plain(503, "", { "retry-after": "100" }), 1],
  ["429 with a long wait", plain(429, "", { "retry-after": "100" }), 1],
  ["another form", json(200, { active: "false" }), 1],
])(
  "an introspection after the revocation returns %s: unknown, with a journal",
  async ([, answer, times], { arrange }) => {
    let isOn = true;
    const server = await arrange({ answers: afterRevocation(answer, () => isOn) });
    const done = await server.run("token revoke --yes", { input: live });
    expect([done.code, done.stdout, endpoints(server)]).toEqual([
      13,
      "unknown\t-1234567\n",
      ["POST /introspect", "POST /revoke", ...Array.from({ length: times }, () => "POST /introspect")],
    ]);
    expect(done.stderr).not.toMatch(/nothing was changed|still active,/i);
    const left = await server.run("recover list --json");
    expect(JSON.parse(left.stdout)).toMatchObject([{ left: "unknown" }]);
    isOn = false;
    const id = /--resume ([\w-]+)/.exec(done.stderr)?.[1] ?? "";
    const resumed = await server.run(`token revoke --yes --resume ${id}`, { input: live });
    expect([resumed.code, resumed.stdout, count(server, "/revoke")]).toEqual([0, "revoked\t-1234567\n", 1]);
  },
);

test.for([400, 401, 403, 200])(
  "revocations whose result is unknown stay in the journal if a second request returns %i",
  async (status, { arrange }) => {
    const revoked = new Set<string>();
    let answered = 500;
    const server = await arrange({
      answers({ path }, token) {
        if (path === "/introspect") return json(200, { active: !revoked.has(token) });
        if (path !== "/revoke") return undefined;
        revoked.add(token);
        return json(answered, {});
      },
    });
    for (const input of [live, `${live}\n${dead}`]) {
      const { environment } = makeStateFolder();
      const world = { input, environment };
      revoked.clear();
      answered = 500;
      expect((await server.run("token revoke --yes", world)).code).toBe(13);
      const list = async (): Promise<readonly [{ readonly id: string }]> =>
        JSON.parse((await server.run("recover list --json id,left,items", { environment })).stdout);
      const before = await list();
      expect(before).toMatchObject([{ left: "unknown", items: input.split("\n").length }]);
      answered = status;
      const second = await server.run(`token revoke --yes --resume ${before[0].id}`, world);
      expect(second.code).not.toBe(0);
      expect(second.stderr).not.toMatch(/nothing was changed/i);
      expect(await list()).toEqual(before);
    }
  },
);

test("throttled after the revocation, it repeats the introspection and not the revocation", async ({
  arrange,
}) => {
  let throttled = 0;
  const isOn = (): boolean => {
    throttled += 1;
    return throttled <= 2;
  };
  for (const input of [live, `${live}\n${dead}`]) {
    throttled = 0;
    const answers = afterRevocation(plain(429, "", { "retry-after": "1" }), isOn);
    const server = await arrange({ active: [live, dead], answers });
    const done = await server.run("token revoke --yes --concurrency 1", { input });
    const tokens = input.split("\n").length;
    expect([done.code, new Set(statesOf(done.stdout))]).toEqual([0, new Set(["revoked"])]);
    expect([count(server, "/revoke"), count(server, "/introspect")]).toEqual([tokens, 4 * tokens + 1]);
  }
});

test("killed or interrupted while it waits after the revocation, the result is unknown", async ({
  arrange,
  environment: own,
}) => {
  for (const signal of ["SIGKILL", "SIGINT"] as const) {
    const answers = afterRevocation(plain(429, "", { "retry-after": "100" }));
    await arrange({ active: [live, dead], answers });
    const environment = { ...own, ...makeStateFolder().environment };
    const words = ["token", "revoke", "--yes", "--concurrency", "1"];
    const running = startProgram(words, environment, `${live}\n${dead}`);
    let said = "";
    running.child.stderr?.on("data", (text: Buffer) => (said += text.toString()));
    await expect.poll(() => said).toContain("waiting");
    running.child.kill(signal);
    const { code } = await running.finished;
    expect(code).toBe(signal === "SIGINT" ? 13 : null);
    const left = await runBinary(["recover", "list", "--json"], { environment });
    expect(JSON.parse(left.stdout)).toMatchObject([{ left: "unknown" }]);
  }
});

test.for<readonly [string, string | undefined, string | undefined, Response | null]>([
  ["no revocation endpoint", "ROOT/introspect", undefined, null],
  ["its revocation endpoint elsewhere", "ROOT/introspect", "https://other.example/revoke", null],
  ["its introspection endpoint elsewhere", "https://other.example/introspect", "ROOT/revoke", null],
  ["no introspection endpoint", undefined, "ROOT/revoke", null],
  ["an introspection that is forbidden", "ROOT/introspect", "ROOT/revoke", plain(403)],
  ["an introspection that fails", "ROOT/introspect", "ROOT/revoke", plain(500)],
  ["an introspection that rejects the client", "ROOT/introspect", "ROOT/revoke", plain(401)],
  ["everything", "ROOT/introspect", "ROOT/revoke", null],
])(
  "--dry-run at a server with %s exits like the run",
  async ([, introspection, revocation, answer], { arrange }) => {
    const metadata = (root: string): unknown => ({
      ...metadataOf(root),
      introspection_endpoint: introspection?.replace("ROOT", root),
      revocation_endpoint: revocation?.replace("ROOT", root),
    });
    const answers = answer === null ? {} : { answers: at("/introspect", answer) };
    for (const input of [live, dead, `${dead}\n${live}`]) {
      const server = await arrange({ metadata, ...answers });
      const planned = await server.run("token revoke --dry-run --concurrency 1", { input });
      expect(count(server, "/revoke")).toBe(0);
      const done = await server.run("token revoke --yes --concurrency 1", { input });
      expect(planned.code).toBe(done.code);
      const wouldBe = done.stdout.replaceAll(/\b(?:revoked|accepted)\b/g, "would-change");
      expect(planned.stdout).toBe(wouldBe);
      expect(isWarned(planned.stderr)).toBe(isWarned(done.stderr));
    }
  },
);
