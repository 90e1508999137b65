// The minimum cost of a list: undici's own request, a window of pages, JSON parsed and written again. No checks, no
// retries, no limits, no credentials. `list-floor BASE_URL WINDOW`; a window of 1 requests one page at a time.
import { Agent, request } from "undici";

const [, , base = "", words = "8"] = process.argv;
const window = Number(words);
const dispatcher = new Agent({ connections: window });

interface Page {
  readonly items: readonly unknown[];
  readonly last: number;
}

async function fetchPage(page: number): Promise<Page> {
  const { headers, body } = await request(`${base}/authorizations?per_page=100&page=${page}`, { dispatcher });
  const last = /[?&]page=(\d+)>; rel="last"/.exec(String(headers["link"] ?? ""))?.[1];
  return { items: (await body.json()) as unknown[], last: last === undefined ? page : Number(last) };
}

function write(text: string): Promise<void> {
  return new Promise((resolve) => {
    if (process.stdout.write(text)) resolve();
    else process.stdout.once("drain", resolve);
  });
}

const ahead = [fetchPage(1)];
let last = Infinity;
let asked = 1;
for (let page = 1; page <= last; page += 1) {
  const fetched = await ahead.shift();
  if (fetched === undefined) break;
  if (page === 1) last = fetched.last;
  while (asked < last && ahead.length < window) ahead.push(fetchPage((asked += 1)));
  await write(`${fetched.items.map((item) => JSON.stringify(item)).join("\n")}\n`);
}
await dispatcher.destroy();
