// The least that a job over many tokens costs: a line read, a request sent, a line written, so many at once. Keeps
// nothing on disk: whoever stops it knows nothing. `bulk-floor BASE_URL METHOD CONCURRENCY`.
import { Agent, request } from "undici";

const [, , base = "", method = "DELETE", words = "8"] = process.argv;
const concurrency = Number(words);
const dispatcher = new Agent({ connections: concurrency });

const chunks: Buffer[] = [];
for await (const chunk of process.stdin as AsyncIterable<Buffer>) chunks.push(chunk);
const tokens = Buffer.concat(chunks).toString("utf8").trim().split("\n");

let next = 0;
async function work(): Promise<void> {
  for (let token = tokens[next++]; token !== undefined; token = tokens[next++]) {
    const { statusCode, body } = await request(`${base}/applications/c/tokens/${token}`, {
      dispatcher,
      method,
    });
    if (statusCode === 204) await body.dump();
    else await body.json();
    process.stdout.write(`done\t${token.slice(-8)}\n`);
  }
}
await Promise.all(Array.from({ length: concurrency }, work));
await dispatcher.destroy();
