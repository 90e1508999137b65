// The sandbox as a peer for scripts: how soon it is ready, and how many requests a second it answers.
import { Agent, request, type Dispatcher } from "undici";
import { rm } from "node:fs/promises";
import { runProgram } from "./child.ts";
import { ratioOf, spreadOf, type Measure, type Result, type Surroundings } from "./measure.ts";
import { bareNode, concurrency, grantctl } from "./programs.ts";
import { startServer, type RunningServer } from "./servers.ts";

function startSandbox(surroundings: Surroundings, words: readonly string[]): Promise<RunningServer> {
  const program = grantctl(surroundings, ["sandbox", "start", "--json", ...words]);
  return startServer(program.words, program.environment);
}

const ready: Measure = {
  name: "sandbox-ready",
  async run(surroundings) {
    const ours: number[] = [];
    const floor: number[] = [];
    for (let round = 0; round <= surroundings.runs; round += 1) {
      const sandbox = await startSandbox(surroundings, []);
      await sandbox.stop().catch(() => undefined);
      const { milliseconds } = await runProgram(bareNode());
      if (round === 0) continue;
      ours.push(sandbox.readyMs);
      floor.push(milliseconds);
    }
    return {
      name: "sandbox-ready",
      says: "until a sandbox answers, in times of node -e 0",
      value: ratioOf(ours, floor),
      unit: "×",
      contestants: [
        { name: "grantctl sandbox start", ...spreadOf(ours) },
        { name: "node -e 0", ...spreadOf(floor) },
      ],
      contestantUnit: "ms",
    };
  },
};

interface Described {
  readonly base_url: string;
  readonly username: string;
  readonly password: string;
  readonly client_id: string;
  readonly client_secret: string;
  readonly tokens: readonly { readonly token: string }[];
}

interface Asked {
  readonly method: Dispatcher.HttpMethod;
  readonly path: string;
  readonly login: string;
  readonly body?: string;
}

type RequestOf = (sandbox: Described, index: number) => Asked;

const account = ({ username, password }: Described): string => `${username}:${password}`;

const pageOf: RequestOf = (sandbox) => ({
  method: "GET",
  path: "/authorizations?per_page=100",
  login: account(sandbox),
});

const checkOf: RequestOf = (sandbox) => ({
  method: "GET",
  path: `/applications/${sandbox.client_id}/tokens/${sandbox.tokens[0]?.token ?? ""}`,
  login: `${sandbox.client_id}:${sandbox.client_secret}`,
});

/** A new one each time. */
const getOrCreateOf: RequestOf = (sandbox, index) => ({
  method: "PUT",
  path: `/authorizations/clients/${sandbox.client_id}/machine-of-bench-${index}`,
  login: account(sandbox),
  body: JSON.stringify({ client_secret: sandbox.client_secret, scopes: ["repo"], note: `bench ${index}` }),
});

/** Requests a second, some at a time. Throws at the first answer that is no success. */
async function rateOf(
  sandbox: Described,
  requestOf: RequestOf,
  from: number,
  count: number,
): Promise<number> {
  const dispatcher = new Agent({ connections: concurrency });
  const started = performance.now();
  let next = from;
  const work = async (): Promise<void> => {
    while (next < from + count) {
      const { method, path, login, body = null } = requestOf(sandbox, next++);
      const headers = {
        "user-agent": "grantctl-bench",
        authorization: `Basic ${Buffer.from(login).toString("base64")}`,
        ...(body === null ? {} : { "content-type": "application/json" }),
      };
      const answer = await request(sandbox.base_url + path, { dispatcher, method, headers, body });
      await answer.body.dump({ limit: 10_000_000 });
      if (answer.statusCode > 299) throw new Error(`${method} ${path} was answered ${answer.statusCode}`);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  await dispatcher.destroy();
  return (count / (performance.now() - started)) * 1000;
}

/** The same requests to a sandbox in memory and to one on disk, and the sandbox without them for comparison. */
function measureRate(name: string, says: string, requestOf: RequestOf, count: number): Measure {
  return {
    name,
    async run(surroundings): Promise<Result> {
      const requests = surroundings.isQuick ? count / 10 : count;
      const data = `${surroundings.folder}/data-${name}`;
      const inMemory = await startSandbox(surroundings, ["--authorizations", "500"]);
      const onDisk = await startSandbox(surroundings, ["--authorizations", "500", "--data", data]);
      const rates = { memory: [] as number[], disk: [] as number[] };
      try {
        for (let round = 0; round <= 3; round += 1) {
          for (const [kind, { line }] of [
            ["memory", inMemory],
            ["disk", onDisk],
          ] as const) {
            const rate = await rateOf(JSON.parse(line) as Described, requestOf, round * requests, requests);
            if (round > 0) rates[kind].push(rate);
          }
        }
      } finally {
        await Promise.allSettled([inMemory.stop(), onDisk.stop()]);
        await rm(data, { recursive: true, force: true });
      }
      return {
        name,
        says,
        value: spreadOf(rates.memory),
        unit: "/s",
        contestants: [
          { name: "in memory", ...spreadOf(rates.memory) },
          { name: "with --data", ...spreadOf(rates.disk) },
        ],
        contestantUnit: "/s",
      };
    },
  };
}

export const sandboxMeasures: readonly Measure[] = [
  ready,
  measureRate("sandbox-page", "pages of 100 authorizations that a sandbox answers", pageOf, 2000),
  measureRate("sandbox-check", "checks of a token that it answers", checkOf, 10_000),
  measureRate(
    "sandbox-get-or-create",
    "new authorizations by get-or-create that it answers",
    getOrCreateOf,
    5000,
  ),
];
