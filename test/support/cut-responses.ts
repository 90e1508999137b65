// Truncates the response that contains a new token after each byte (only some in a normal run). In every case: one
// request, no incomplete value on standard output, and afterwards either the value or a true report that it is lost.
import { rmSync } from "node:fs";
import { isPlaceToCut } from "./soak.ts";
import { makeStateFolder } from "./state-folder.ts";
import { runMain } from "./test-host.ts";
import { credentials } from "./recording-server.ts";
import { startTruthService, type TruthService } from "./truth-service.ts";

interface Making {
  readonly words: readonly string[];
  readonly input: string;
  /** The subject in the server's records. */
  readonly subject: string;
}

/** `number` makes the subject of each run unique. */
type MakingOf = (service: TruthService, number: number) => Making;
type Frame = (answer: Buffer) => Buffer;

/** The three commands that receive a value only once. */
export const makings = {
  create: (_, number) => ({
    words: ["authorization", "create", "--note", `note ${number}`, "--scope", "repo"],
    input: "",
    subject: `note ${number}`,
  }),
  "get-or-create": (_, number) => ({
    words: ["authorization", "get-or-create", "--fingerprint", `machine-${number}`],
    input: "",
    subject: `${credentials.clientId} machine-${number}`,
  }),
  reset: (service) => {
    const token = service.addToken();
    return { words: ["token", "reset", "--yes"], input: `${token}\n`, subject: token };
  },
} satisfies Readonly<Record<string, MakingOf>>;

/** The ways to delimit a response. */
export const framings = {
  "with its length": (answer) => answer,
  "that ends with the connection": (answer) =>
    Buffer.from(answer.toString("latin1").replace(/Content-Length: \d+\r\n/, ""), "latin1"),
  "in chunks": (answer) => {
    const text = answer.toString("latin1").replace(/Content-Length: \d+/, "Transfer-Encoding: chunked");
    const start = text.indexOf("\r\n\r\n") + 4;
    const body = text.slice(start);
    const middle = 20;
    const chunks = [body.slice(0, middle), body.slice(middle)];
    const framed = chunks.map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`).join("");
    return Buffer.from(`${text.slice(0, start)}${framed}0\r\n\r\n`, "latin1");
  },
} satisfies Readonly<Record<string, Frame>>;

/** True if the first `cut` bytes contain the complete value, with quotes. */
function hasArrived(answer: Buffer, cut: number, value: string): boolean {
  return answer.subarray(0, cut).toString("latin1").includes(`"token":"${value}"`);
}

function isWrite(operation: string): boolean {
  return !["list", "check", "view"].includes(operation);
}

/** Texts near which every byte is tried: the start of the body, the value, the field after it. */
const remarkable = (value: string): readonly string[] => [
  "\r\n\r\n",
  '"token":"',
  `"token":"${value}"`,
  '"token_last_eight"',
];

/** Truncates responses at one byte after the other; returns the number of cuts, and the violations. */
export async function cutEverywhere(
  making: MakingOf,
  frame: Frame,
): Promise<{ readonly cuts: number; readonly wrong: readonly string[] }> {
  const service = await startTruthService();
  const state = makeStateFolder(true);
  const world = { environment: { ...service.environment, ...state.environment } };
  const wrong: string[] = [];
  let cuts = 0;
  /** The previous response, of the same length except for the digits of an ID. */
  let previous: Buffer = Buffer.alloc(0);
  let previousValue = "";
  for (let cut = 0, isWhole = false; !isWhole; cut += 1) {
    if (!isPlaceToCut(cut, previous, remarkable(previousValue)) && cut < previous.length) continue;
    cuts += 1;
    service.clear();
    const { words, input, subject } = making(service, cut);
    const at = cut;
    service.plan(({ operation }) => (isWrite(operation) ? { cutAt: at, rewrite: frame } : undefined));
    const before = service.requests.length;
    let answer: Buffer = Buffer.alloc(0);
    const sent = (): number =>
      service.requests.slice(before).filter(({ operation }) => isWrite(operation)).length;
    let isWritten = false;
    service.onRequest(({ operation }) => {
      if (!isWrite(operation) && isWritten && answer.length === 0) answer = service.lastAnswer();
      isWritten ||= isWrite(operation);
    });
    const run = await runMain(words, { ...world, input });
    if (answer.length === 0) answer = service.lastAnswer();
    isWhole = cut >= answer.length;
    const complain = (problem: string): void => void wrong.push(`byte ${at} of ${answer.length}: ${problem}`);

    const write = service.writes.findLast((each) => each.subject === subject);
    const value = write?.value ?? "";
    previous = answer;
    previousValue = value;
    if (sent() !== 1) complain(`${sent()} requests`);
    if (service.writes.filter((each) => each.subject === subject).length !== 1) complain("not one write");
    if (run.stderr.includes(value)) complain("the value on standard error");
    // A response without a length may be complete although its last bytes are missing.
    if (run.code === 0 && run.stdout === `${value}\n`) {
      if (!isWhole && !answer.subarray(0, cut).toString("latin1").includes("}}"))
        complain("0 for a cut answer");
      if (state.ids().length > 0) complain("a leftover of a delivered value");
      continue;
    }
    if (isWhole) complain(`${run.code} for a whole answer: ${run.stderr}`);
    if (run.code !== 13) complain(`exit ${run.code}: ${run.stderr}`);
    if (run.stdout !== "") complain(`on standard output: ${run.stdout}`);
    const [id = "none", ...others] = state.ids();
    if (id === "none" || others.length > 0) complain(`${state.ids().length} leftovers`);
    if (!/recover show|--resume/.test(run.stderr) || !run.stderr.includes(id)) complain("no hint to recover");
    const shown = await runMain(["recover", "show", id], { ...world, input });
    const outcome = `exit ${shown.code}, standard output ${JSON.stringify(shown.stdout)}: ${shown.stderr}`;
    if (hasArrived(answer, cut, value)) {
      if (shown.code !== 0 || shown.stdout !== `${value}\n`) complain(`the value arrived, but ${outcome}`);
      if (/never arrived|cannot be shown again|authorization delete/.test(run.stderr))
        complain(`the value arrived, but the run says that it is lost: ${run.stderr}`);
    } else if (shown.code !== 13 || shown.stdout !== "") complain(`the value did not arrive, but ${outcome}`);
    rmSync(state.path, { recursive: true, force: true });
  }
  return { cuts, wrong };
}
