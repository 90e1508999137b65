// The entry point of the helper process, the only one that loads keytar: a keychain call may hang forever, and with it
// the process. Reads requests from standard input, writes responses to standard output, and exits with its parent.
// Never lists entries, because that crashes on a locked keychain.
import { randomBytes } from "node:crypto";
import { createRequire } from "node:module";
import type * as keytar from "keytar";
import {
  type KeychainResponse,
  type KeychainRequest,
  type KeychainProblem,
  type ReportHeader,
  keytarBuildFor,
  readLines,
  readyLine,
} from "./keychain-protocol.ts";

type Keytar = typeof keytar;

// keytar is CommonJS: for an import, the bundler would add a wrapper in a separate chunk.
const require = createRequire(import.meta.url);
const loaded = load();
let work: Promise<void> = Promise.resolve();

process.stdout.write(`${readyLine}\n`);
readLines(process.stdin, (line) => {
  work = answerInTurn(line, work);
});
// A normal exit would wait for a hanging call.
process.stdin.on("end", () => {
  void work.then(() => process.kill(process.pid, "SIGKILL"));
  setTimeout(() => process.kill(process.pid, "SIGKILL"), 1000);
});

async function answerInTurn(line: string, before: Promise<void>): Promise<void> {
  await before;
  process.stdout.write(`${JSON.stringify(await respond(JSON.parse(line) as KeychainRequest))}\n`);
}

function load(): Keytar | string {
  try {
    return require("keytar") as Keytar;
  } catch (error) {
    return loadBuild(error as NodeJS.ErrnoException);
  }
}

/** Loads the build for this machine, which keytar may not have tried. A string is the reason for a failure. */
function loadBuild({ code }: NodeJS.ErrnoException): Keytar | string {
  if (code === "MODULE_NOT_FOUND") return "the optional package keytar is not installed";
  try {
    const { platform, arch, report } = process;
    const header = (): ReportHeader => (report.getReport() as { readonly header: ReportHeader }).header;
    return require(keytarBuildFor(platform, arch, header)) as Keytar;
  } catch (error) {
    return (error as Error).message.split("\n")[0] ?? "keytar could not be loaded";
  }
}

async function respond(request: KeychainRequest): Promise<KeychainResponse> {
  const keychain = loaded;
  if (typeof keychain === "string") return { problem: "absent", reason: keychain };
  try {
    return await carryOut(request, keychain);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { problem: classifyProblem(reason), reason };
  }
}

async function carryOut(
  { call, service, account, secret }: KeychainRequest,
  keychain: Keytar,
): Promise<KeychainResponse> {
  if (call === "get") return { secret: await keychain.getPassword(service, account) };
  if (call === "delete") {
    const before = await keychain.getPassword(service, account);
    await keychain.deletePassword(service, account);
    const after = await keychain.getPassword(service, account);
    return after === null
      ? { secret: before }
      : { problem: "failed", reason: "it still contains the deleted entry" };
  }
  const wanted = call === "set" ? (secret ?? "") : randomBytes(16).toString("hex");
  const name = call === "set" ? account : `${account} ${randomBytes(8).toString("hex")}`;
  await keychain.setPassword(service, name, wanted);
  const kept = await keychain.getPassword(service, name);
  if (call === "probe") await keychain.deletePassword(service, name);
  return kept === wanted
    ? { secret: null }
    : { problem: "failed", reason: "it does not contain the stored entry" };
}

/**
 * Derives the type of problem from the message of the system (libsecret, GLib's D-Bus), because there is no error code.
 */
function classifyProblem(reason: string): KeychainProblem {
  // "Does not exist at path" means that the collection was never unlocked and no user could be prompted.
  if (/locked|not allowed|user interaction|dismissed|does not exist at path/i.test(reason)) return "locked";
  return /d-?bus|org\.freedesktop|connect|no such file|not provided|autolaunch|address/i.test(reason)
    ? "absent"
    : "failed";
}
