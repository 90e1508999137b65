// The sandbox as a test server for scripts: its start-up time and its requests per second, compared with a minimal
// server with the same responses.
import { Agent, request, type Dispatcher } from "undici";
import { rm, writeFile } from "node:fs/promises";
import { runProgram } from "./child.ts";
import { ratioOf, spreadOf, type Measure, type Result, type Surroundings } from "./measure.ts";
import { bareNode, concurrency, grantctl } from "./programs.ts";
import { startServer, type RunningServer } from "./servers.ts";

function startSandbox(surroundings: Surroundings, words: readonly string[]): Promise<RunningServer> {
  const program = grantctl(surroundings, ["sandbox", "start", "--json", ...words]);
  return startServer(program.words, program.environment);
}

/** A running server, and the response that it must send: the sandbox's. */
async function startFloor({ programOf, folder }: Surroundings, page: string): Promise<RunningServer> {
  const file = `${folder}/page.json`;
  await writeFile(file, page);
  return startServer([programOf("server-floor"), file]);
}

/** From the start of the process to its first response, in milliseconds. */
async function firstAnswerOf(start: () => Promise<RunningServer>): Promise<number> {
  const dispatcher = new Agent();
  const started = performance.now();
  const server = await start();
  try {
    const { base_url: baseUrl } = JSON.parse(server.line) as Pick<Described, "base_url">;
    const { body } = await request(`${baseUrl}/authorizations`, { dispatcher });
    await body.dump();
    return performance.now() - started;
  } finally {
    await dispatcher.destroy();
    await server.stop().catch(() => undefined);
  }
}

const ready: Measure = {
  name: "sandbox-ready",
  async run(surroundings) {
    const ours: number[] = [];
    const floor: number[] = [];
    const node: number[] = [];
    for (let round = 0; round <= surroundings.runs; round += 1) {
      const sandboxMs = await firstAnswerOf(() => startSandbox(surroundings, []));
      const floorMs = await firstAnswerOf(() => startFloor(surroundings, "[]"));
      const { milliseconds } = await runProgram(bareNode());
      if (round === 0) continue;
      ours.push(sandboxMs);
      floor.push(floorMs);
      node.push(milliseconds);
    }
    return {
      name: "sandbox-ready",
      says: "time until the sandbox responds, relative to the smallest server",
      value: ratioOf(ours, floor),
      unit: "×",
      contestants: [
        { name: "grantctl sandbox start", ...spreadOf(ours) },
        { name: "node:http server", ...spreadOf(floor) },
        { name: "node -e 0", ...spreadOf(node) },
      ],
      contestantUnit: "ms",
      note: `${ratioOf(ours, node).median.toFixed(2)} times the time of node -e 0`,
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

const basicOf = (login: string): string => `Basic ${Buffer.from(login).toString("base64")}`;

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

/** A new body for each request. */
const getOrCreateOf: RequestOf = (sandbox, index) => ({
  method: "PUT",
  path: `/authorizations/clients/${sandbox.client_id}/machine-of-bench-${index}`,
  login: account(sandbox),
  body: JSON.stringify({ client_secret: sandbox.client_secret, scopes: ["repo"], note: `bench ${index}` }),
});

/** Requests per second, with some in flight at a time. Throws at the first unsuccessful response. */
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
        authorization: basicOf(login),
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

/** A page from a sandbox, which the minimal server serves, too. */
async function pageIn(sandbox: Described): Promise<string> {
  const { path, login } = pageOf(sandbox, 0);
  const headers = { "user-agent": "grantctl-bench", authorization: basicOf(login) };
  const { body } = await request(sandbox.base_url + path, { headers });
  return body.text();
}

/** The same requests to a sandbox in memory, one on disk, and the minimal server. */
function measureRate(name: string, says: string, requestOf: RequestOf, count: number): Measure {
  return {
    name,
    async run(surroundings): Promise<Result> {
      const requests = surroundings.isQuick ? count / 10 : count;
      const data = `${surroundings.folder}/data-${name}`;
      const inMemory = await startSandbox(surroundings, ["--authorizations", "500"]);
      const onDisk = await startSandbox(surroundings, ["--authorizations", "500", "--data", data]);
      const described = JSON.parse(inMemory.line) as Described;
      const smallest = await startFloor(surroundings, await pageIn(described));
      const rates = { memory: [] as number[], disk: [] as number[], smallest: [] as number[] };
      try {
        for (let round = 0; round <= 3; round += 1) {
          for (const [kind, { line }] of [
            ["memory", inMemory],
            ["disk", onDisk],
            ["smallest", smallest],
          ] as const) {
            const place = { ...described, ...(JSON.parse(line) as Partial<Described>) };
            const rate = await rateOf(place, requestOf, round * requests, requests);
            if (round > 0) rates[kind].push(rate);
          }
        }
      } finally {
        await Promise.allSettled([inMemory.stop(), onDisk.stop(), smallest.stop()]);
        await rm(data, { recursive: true, force: true });
      }
      const share = ratioOf(rates.memory, rates.smallest).median;
      return {
        name,
        says,
        value: spreadOf(rates.memory),
        unit: "/s",
        contestants: [
          { name: "in memory", ...spreadOf(rates.memory) },
          { name: "with --data", ...spreadOf(rates.disk) },
          { name: "node:http server", ...spreadOf(rates.smallest) },
        ],
        contestantUnit: "/s",
        share,
        note: `${share.toFixed(2)} times the rate of the smallest server`,
      };
    },
  };
}

export const sandboxMeasures: readonly Measure[] = [
  ready,
  measureRate("sandbox-page", "pages of 100 authorizations served by the sandbox", pageOf, 2000),
  measureRate("sandbox-check", "token checks served by the sandbox", checkOf, 10_000),
  measureRate(
    "sandbox-get-or-create",
    "get-or-create requests served by the sandbox, each for a new authorization",
    getOrCreateOf,
    5000,
  ),
];
