// `npm run bench`: how long grantctl takes for a start, a list and a bulk revocation, as a ratio to gh, where it is installed,
// and to the least script that does the same. The programs run in turns, so that other load on the machine meets all of
// them; the ratio is that of the medians. This file is also the server and the least scripts, as processes of their own.
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Agent, request } from "undici";

const file = fileURLToPath(import.meta.url);
const program = fileURLToPath(new URL("../bin/grantctl.js", import.meta.url));
const concurrency = 8;

/** The server: lists of pages of 100 authorizations, each answer after a delay, active tokens, and 204 for each deletion. */
function serve(pages, delay) {
  const item = {
    url: "https://api.example.com/authorizations/1",
    app: { name: "Lanternfish Search", url: "https://app.example.com/", client_id: "abcde12345fghij67890" },
    token: "",
    hashed_token: "25f94a2a5c7fbaf499c665bc73d67c1c87e496da8985131633ee0a95819db2e8",
    token_last_eight: "12345678",
    note: "importer",
    note_url: "https://notes.example.com/optional/note/url",
    created_at: "2011-09-06T17:26:27Z",
    updated_at: "2011-09-06T20:39:23Z",
    scopes: ["public_repo", "read:org"],
    fingerprint: "",
  };
  const bodyOf = (page) =>
    JSON.stringify(Array.from({ length: 100 }, (_, index) => ({ id: page * 100 + index, ...item })));
  const tokenBody = (token) =>
    JSON.stringify({
      id: 1,
      ...item,
      hashed_token: createHash("sha256").update(token).digest("hex"),
      token_last_eight: token.slice(-8),
    });
  const server = createServer((incoming, response) => {
    incoming.resume();
    const [, token] = /\/tokens\/(\w+)$/.exec(incoming.url) ?? [];
    const page = Number(/[?&]page=(\d+)/.exec(incoming.url)?.[1] ?? 1);
    const to = (target, rel) =>
      `<http://${incoming.headers.host}/authorizations?per_page=100&page=${target}>; rel="${rel}"`;
    // The last page has a link, too: a full one without any has a successor.
    const links = page < pages ? [to(page + 1, "next"), to(pages, "last")] : [to(1, "first")];
    const link = { Link: links.join(", ") };
    const answer = () => {
      if (incoming.method === "DELETE") response.writeHead(204).end();
      else if (incoming.url.startsWith("/applications/"))
        response
          .writeHead(200, { "Content-Type": "application/json" })
          .end('{"id":1,"app":null,"scopes":[]}');
      else {
        const body = token === undefined ? bodyOf(page) : tokenBody(token);
        response.writeHead(200, { "Content-Type": "application/json", ...link }).end(body);
      }
    };
    if (delay > 0) setTimeout(answer, delay);
    else answer();
  });
  server.listen(0, "127.0.0.1", () => {
    process.stdout.write(`http://127.0.0.1:${server.address().port}\n`);
  });
}

/** Calls `work` for every number below `count`, some at a time. */
async function inParallel(count, work) {
  let next = 0;
  const worker = async () => {
    for (let index = next++; index < count; index = next++) await work(index);
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
}

/** The least list: pages in parallel, parsed and written in their order, and nothing is checked. */
async function listPages(base, pages) {
  const dispatcher = new Agent({ connections: concurrency });
  const texts = [];
  await inParallel(pages, async (index) => {
    const { body } = await request(`${base}/authorizations?per_page=100&page=${index + 1}`, { dispatcher });
    texts[index] = (await body.json()).map((item) => `${JSON.stringify(item)}\n`).join("");
  });
  process.stdout.write(texts.join(""));
  await dispatcher.close();
}

/** The least revocation: a request for each token, and no record. */
async function revoke(base) {
  const dispatcher = new Agent({ connections: concurrency });
  const pieces = await process.stdin.toArray();
  const tokens = Buffer.concat(pieces).toString().trim().split("\n");
  await inParallel(tokens.length, async (index) => {
    const path = `${base}/applications/c/tokens/${tokens[index]}`;
    const { body } = await request(path, { dispatcher, method: "DELETE" });
    await body.dump();
    process.stdout.write(`${tokens[index].slice(-8)}\trevoked\n`);
  });
  await dispatcher.close();
}

/** Runs a program to its end, and returns the milliseconds that it took. */
function time({ name, command = process.execPath, words, input = "" }, env) {
  const before = performance.now();
  const { status, stderr } = spawnSync(command, words, { env, input, maxBuffer: 2 ** 30 });
  if (status !== 0) throw new Error(`${name} ended with ${status}: ${String(stderr)}`);
  return performance.now() - before;
}

function medianOf(times) {
  return times.toSorted((one, other) => one - other)[Math.floor(times.length / 2)];
}

/** Runs grantctl and the others in turns, against one server, and prints the times and the ratios. */
async function compare(title, rounds, { pages = 1, delay = 0 }, programsAt) {
  const server = spawn(process.execPath, [file, "serve", pages, delay], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = await once(server.stdout, "data");
  const folder = mkdtempSync(join(tmpdir(), "grantctl-bench-"));
  const base = String(line).trim();
  const env = {
    PATH: process.env["PATH"],
    HOME: folder,
    GH_TOKEN: "x",
    GH_HOST: "127.0.0.1",
    GRANTCTL_BASE_URL: base,
    GRANTCTL_USERNAME: "octavia",
    GRANTCTL_PASSWORD: "a password",
    GRANTCTL_CLIENT_ID: "abcde12345fghij67890",
    GRANTCTL_CLIENT_SECRET: "a secret",
  };
  const programs = programsAt(base).filter(({ command }) => command !== "gh" || hasGh);
  const times = programs.map(() => []);
  // The first round fills the caches of the system, and does not count.
  for (let round = 0; round <= rounds; round += 1)
    for (const [index, each] of programs.entries()) {
      const taken = time(each, env);
      if (round > 0) times[index].push(taken);
    }
  server.kill();
  rmSync(folder, { recursive: true });
  const [ours, ...others] = times.map(medianOf);
  process.stdout.write(`${title}: ${ours.toFixed(0)} ms\n`);
  for (const [index, other] of others.entries())
    process.stdout.write(
      `  ${(ours / other).toFixed(2)} × ${programs[index + 1].name} (${other.toFixed(0)} ms)\n`,
    );
}

const hasGh = spawnSync("gh", ["--version"]).status === 0;
const grantctl = (...words) => ({ name: "grantctl", words: [program, ...words] });
const node = { name: "node -e 0", words: ["-e", "0"] };
const firstPage = (base) => `${base}/authorizations?per_page=100`;
const gh = (...words) => ({ name: `gh ${words.slice(0, 2).join(" ")}`, command: "gh", words });

async function bench() {
  const list = ["authorization", "list"];
  await compare("--help", 21, {}, () => [grantctl("--help"), node, gh("--help")]);
  for (const format of ["json", "table"])
    await compare(`one page as ${format}`, 11, {}, (base) => [
      grantctl(...list, "--format", format),
      node,
      gh("api", firstPage(base)),
    ]);
  for (const [pages, delay] of [
    [300, 0],
    [100, 20],
  ])
    await compare(`${pages} pages at ${delay} ms`, 3, { pages, delay }, (base) => [
      grantctl(...list, "--format", "ndjson"),
      { name: "least script", words: [file, "list", base, pages] },
      gh("api", "--paginate", firstPage(base)),
    ]);
  const input = Array.from({ length: 3000 }, (_, index) => `f${index.toString(16).padStart(39, "0")}\n`).join(
    "",
  );
  await compare("3,000 revocations", 3, {}, (base) => [
    { ...grantctl("token", "revoke", "--yes"), input },
    { name: "least script", words: [file, "revoke", base], input },
  ]);
}

const [task, ...words] = process.argv.slice(2);
if (task === "serve") serve(Number(words[0]), Number(words[1]));
else if (task === "list") await listPages(words[0], Number(words[1]));
else if (task === "revoke") await revoke(words[0]);
else await bench();
