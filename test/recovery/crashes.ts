// One job that crashes, and everything that must hold afterwards, whatever the crash was. The ledger of the server and the
// receivers of the values are the judges, not what grantctl says of itself:
//
//   sent once         no run repeats a write, and no run sends one that an earlier run got done
//   nothing lost      a value that the server made is with its receiver, or a record has it, or a run calls it lost; and no
//                     more are lost than answers were under way
//   nothing claimed   what is called gone is gone; with wrong credentials nothing is called gone
//   never neither     an old token is deleted when its successor works and is delivered, a run's token when its command ended
//   settled           `--resume`, `recover end` and `recover show` finish everything, `recover list` names what is left before,
//                     and no record is left
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { runBinary, writeScript, type Finished } from "../support/binary.ts";
import { makeFolder, makeStateFolder } from "../support/state-folder.ts";
import { runMain } from "../support/test-host.ts";
import { startTruthService, type TruthOperation } from "../support/truth-service.ts";

interface Job {
  readonly operation: TruthOperation;
  readonly count: number;
  readonly words: readonly string[];
}

export const jobs = {
  create: { operation: "create", count: 1, words: ["authorization", "create", "--note", "note 1"] },
  "get-or-create": {
    operation: "get-or-create",
    count: 1,
    words: ["authorization", "get-or-create", "--fingerprint", "here", "--note", "note 1"],
  },
  "reset 1": { operation: "reset", count: 1, words: ["token", "reset", "--yes"] },
  "reset 12": { operation: "reset", count: 12, words: ["token", "reset", "--yes"] },
  "revoke 12": { operation: "revoke", count: 12, words: ["token", "revoke", "--yes"] },
  "rotate 3": { operation: "create", count: 3, words: ["authorization", "rotate", "--yes"] },
  run: { operation: "create", count: 1, words: ["authorization", "run", "--"] },
  "delete 6": { operation: "delete", count: 6, words: ["authorization", "delete", "--yes"] },
  "revoke-grant 6": { operation: "revoke-grant", count: 6, words: ["token", "revoke-grant", "--yes"] },
} as const satisfies Readonly<Record<string, Job>>;
export type JobName = keyof typeof jobs;

/** How a run ended; `code` is null if it was killed. */
export type Ended = Pick<Finished, "code" | "stdout" | "stderr">;

export type Scene = Awaited<ReturnType<typeof setScene>>;

const concurrency = 4;
const personal = { app: { name: "personal", url: "", client_id: "0".repeat(20) }, note_url: null };
const wrongCredentials = { GRANTCTL_PASSWORD: "wrong", GRANTCTL_CLIENT_SECRET: "wrong" };
/** Rows that say that a token is gone, by its end or its ID, of a table or as JSON. */
const goneRows =
  /^(?:not-found|revoked|deleted|lost)\t(\w+)|"token_last_eight_before":"(\w{8})".*"status":"(?:not-found|lost)"/gm;

function textOf(path: string): string {
  return existsSync(path) ? readFileSync(path, "utf8") : "";
}

/** When no request can take effect any more. */
const later = (): number => Date.now() + 200_000;

/** A server with what the job needs, a state folder and a receiver: a file, a command, or standard output, by `turn`. */
export async function setScene(name: JobName, turn: number) {
  const { operation, count, words: given }: Job = jobs[name];
  const service = await startTruthService();
  const state = makeStateFolder(true);
  const environment = { ...service.environment, ...state.environment };
  const folder = makeFolder(true);
  const [file, taken, crashed, begun, over] = ["new.txt", "taken", "crashed", "begun", "ended"].map((each) =>
    join(folder, each),
  ) as [string, string, string, string, string];
  const isRotation = name === "rotate 3";
  const isOfTokens = given[0] === "token";
  const isOfIds = isRotation || operation === "delete";
  const olds = Array.from({ length: isOfTokens || isOfIds ? count : 0 }, (_, index) =>
    service.addToken(
      isOfIds
        ? { ...personal, note: `note ${index + 1}.`, fingerprint: null, scopes: [] }
        : { user: { login: `person ${index}` } },
    ),
  );
  const oldIds = olds.map((old) => String(service.idOf(old)));
  const take = join(folder, "take.sh");
  writeScript(take, `#!/bin/sh\n[ -e '${crashed}' ] && exit 1\nread -r value; echo "$value" >> '${taken}'\n`);
  // When a rotation deletes, what went to standard output cannot be known yet.
  const receivers = [["--output-file", file], ["--to-command", take], ...(isRotation ? [] : [[]])];
  const receiver =
    name === "run" || ["revoke", "revoke-grant", "delete"].includes(operation)
      ? []
      : (receivers[turn % receivers.length] as string[]);
  const script = `echo > '${begun}'; sleep 0.0${turn % 10}; echo > '${over}'`;
  const words = [
    ...given,
    ...(isOfIds ? oldIds : []),
    ...(isOfTokens || isOfIds ? ["--concurrency", String(concurrency)] : []),
    ...(name === "run" ? ["sh", "-c", script] : receiver),
  ];
  const input = isOfTokens ? `${olds.join("\n")}\n` : "";
  const proof = join(folder, "proof");
  writeFileSync(proof, service.addToken(), { mode: 0o600 });
  const wrong: string[] = [];
  const proven = new Set<string>();
  let [printed, said, runs, firstCode, isAnew] = ["", "", 0, null as number | null, false];

  const delivered = (): string => printed + textOf(file) + textOf(taken);
  const made = (): readonly string[] => service.writes.flatMap(({ value }) => value ?? []);
  const untaken = (): readonly string[] =>
    name === "run" ? [] : made().filter((value) => !delivered().includes(value));
  const successorsOf = (old: number): readonly string[] =>
    service.writes
      .filter(({ subject }) => subject.startsWith(`note ${old + 1}. (rotated`))
      .flatMap(({ value }) => value ?? [])
      .filter((value) => service.isLive(value));

  service.onRequest(({ operation: sent, subject, headers }) => {
    if (sent === "user") proven.add(String(headers.authorization).replace(/^token /, ""));
    if (sent !== "delete" || operation === "delete") return;
    const old = oldIds.indexOf(subject);
    const victim = made().find((value) => service.isLive(value) && String(service.idOf(value)) === subject);
    if (old >= 0 && service.isLive(olds[old] ?? "")) {
      if (!successorsOf(old).some((value) => proven.has(value) && delivered().includes(value)))
        wrong.push("an old token is deleted before its successor is proven and delivered");
    } else if (victim !== undefined && delivered().includes(victim))
      wrong.push("a delivered token is deleted");
    if (name === "run" && existsSync(begun) && !existsSync(over))
      wrong.push("a token is deleted while its command runs");
  });

  /** True if no item is to be done, as the server knows it. */
  function isDone(): boolean {
    if (!isRotation) return olds.every((old) => !service.isLive(old));
    return olds.every((old, index) => {
      const [only] = successorsOf(index);
      return (
        !service.isLive(old) && only !== undefined && service.fieldsOf(only)["note"] === `note ${index + 1}.`
      );
    });
  }

  /** Compares what a run did and said with the ledger. `from` counts the requests before it. */
  function judge({ code, stdout, stderr }: Ended, from: number): void {
    const complain = (problem: string): void =>
      void wrong.push(`run ${runs}: ${problem}; exit ${code}: ${stderr.slice(0, 400)}`);
    const reads = new Set<TruthOperation>(["list", "view", "check", "user"]);
    const writes = service.requests.slice(from).filter((request) => !reads.has(request.operation));
    const sent = writes.map(({ method, path, body }) => `${method} ${path} ${body}`);
    if (new Set(sent).size < sent.length) complain("a write is sent twice");
    if (made().some((value) => stderr.includes(value))) complain("a value on standard error");
    if (code === null) return;
    if (![0, 1, 2, 3, 4, 8, 9, 12, 13, 130, 143].includes(code)) complain("an exit code that says nothing");
    if (code === 2 && writes.length > 0) complain("2 after a write");
    if (code === 0 && !(isDone() && untaken().every((value) => !service.isLive(value))))
      complain("0, and not done");
    for (const [, end = "", other = ""] of stdout.matchAll(goneRows))
      if (olds.some((old, at) => service.isLive(old) && (old.endsWith(end || other) || oldIds[at] === end)))
        complain(`…${end || other} is active and called gone`);
  }

  /** One run; the process or this one. */
  async function start(
    more: readonly string[],
    how: (words: readonly string[]) => Promise<Ended>,
  ): Promise<Ended> {
    runs += 1;
    // A request of a killed run may still be on its way.
    await service.settled();
    const from = service.requests.length;
    const ended = await how([...words, ...more]);
    printed += ended.stdout;
    said += `${ended.code}: ${ended.stdout}${ended.stderr}`;
    if (runs === 1) firstCode = ended.code;
    judge(ended, from);
    return ended;
  }

  const runHere = (typed: readonly string[], more: Readonly<Record<string, string>> = {}) =>
    runMain(typed, { environment: { ...environment, ...more }, input, now: later });
  const here = async (typed: readonly string[], more: Readonly<Record<string, string>> = {}) => {
    const ended = await runHere(typed, more);
    said += `${ended.code}: ${ended.stdout}${ended.stderr}`;
    return ended;
  };

  /** The records that `recover list` names; a crash damages none, and their summary asks no server. */
  async function listed(): Promise<readonly string[]> {
    const from = service.requests.length;
    const rows = JSON.parse((await here(["recover", "list", "--json", "id,left"])).stdout) as {
      readonly id: string;
      readonly left: string;
    }[];
    for (const { id, left } of rows) {
      const shown = await here(["recover", "show", id]);
      const keeps = untaken().filter((value) => shown.stdout.includes(value));
      if (!["value", "token", "unknown", "unfinished"].includes(left)) wrong.push(`a record is ${left}`);
      if (left === "value" && (shown.code !== 0 || shown.stdout === ""))
        wrong.push(`a record with ${left}, of which recover show says ${shown.code}: ${shown.stderr}`);
      // A later run that was killed as well may have begun to write a file anew that had the value.
      if (left !== "value" && keeps.length > 0 && receiver[0] !== "--output-file")
        wrong.push(`a record with a value is called ${left}`);
    }
    if (service.requests.length > from) wrong.push("recover list or show asks the server");
    return rows.map(({ id }) => id);
  }

  /** What a person does with the record of a creation or a run: takes the value, or ends the token that nobody has. */
  async function recover(id: string, credentialsOf: Readonly<Record<string, string>>): Promise<void> {
    if ((await here(["recover", "show", id, "--to-command", `tee -a ${taken}`])).code === 0) return;
    const end = await here(["recover", "end", id], credentialsOf);
    if (credentialsOf === wrongCredentials) {
      if (end.code === 0) wrong.push("a token is called gone with wrong credentials");
      return;
    }
    const lost = untaken().filter((value) => service.isLive(value));
    const lostIds = lost.map((value) => String(service.idOf(value)));
    // A token that may be another's is named, and an answer without a value is shown.
    const isTold =
      lostIds.some((lostId) => end.stderr.includes(`grantctl authorization delete ${lostId}`)) ||
      (end.code === 2 && (await here(["recover", "show", id])).stderr.includes("may have taken effect"));
    if (!isTold) return;
    for (const lostId of lostIds) await here(["authorization", "delete", "--yes", lostId]);
    if (end.code === 2) await here(["recover", "forget", "--yes", id]);
  }

  /** Finishes what the first run left, as its user would, in which `odd` crashes begin with wrong credentials. */
  async function settle(wasKilled: boolean): Promise<void> {
    for (let round = 0; round < 12; round += 1) {
      const [id] = await listed();
      const credentialsOf = round === 0 && turn % 2 === 1 ? wrongCredentials : noChange;
      if (id === undefined) {
        const lost = untaken().filter((value) => service.isLive(value) && !isCalledLost(value));
        if (lost.length > 0) wrong.push(`${lost.length} values are lost without a word`);
        if (lost.length > 0 || isDone()) break;
        if (round === 0 && wasKilled && service.writes.length > 0)
          wrong.push("something was sent, and no record tells of it");
        // Killed before its first request, or nothing was proven: the job begins anew.
        isAnew ||= service.writes.length > 0;
        printed += textOf(file);
        rmSync(file, { force: true });
      }
      if (olds.length > 0) {
        const witness = isOfTokens && credentialsOf === noChange ? ["--proof-token-file", proof] : [];
        const resume = id === undefined ? [] : resumed(id);
        const before = said.length;
        await start([...resume, ...witness], (typed) => runHere(typed, credentialsOf));
        if (credentialsOf === wrongCredentials && [...said.slice(before).matchAll(goneRows)].length > 0)
          wrong.push("called gone with wrong credentials");
      } else if (id !== undefined) {
        await recover(id, credentialsOf);
        if (round > 2) await sleep(50);
      }
    }
  }
  /** The flags that continue a job. */
  const resumed = (id: string): readonly string[] => [
    "--resume",
    id,
    ...(receiver[0] === "--output-file" && existsSync(file) ? ["--force"] : []),
  ];

  /** True if a run said that this value is lost. */
  function isCalledLost(value: string): boolean {
    const old = service.writes.find((write) => write.value === value)?.subject.slice(-8) ?? "";
    if (olds.length === 1 && said.includes("its new value never arrived")) return true;
    return new RegExp(`lost\\t${old}|"${old}".*"lost"`).test(said);
  }

  /** The violations, after everything is settled; so many values may be lost, and a command may get one again. */
  async function problems(
    wasKilled: boolean,
    mostLost: number,
    mayRepeat = false,
  ): Promise<readonly string[]> {
    await service.settled();
    if (wasKilled && state.ids().length === 0 && !made().some((value) => textOf(file).includes(value)))
      if (existsSync(file)) wrong.push("a file without a value");
    // A run whose record cannot be deleted exits as its command did.
    if (firstCode === 0 && name !== "run" && (await listed()).length > 0)
      wrong.push("0, and a record is left");
    await settle(wasKilled);
    if (name === "run" && made().some((value) => service.isLive(value)))
      wrong.push("a run's token is active");
    if (!isDone() && olds.length > 0) wrong.push(`not settled: ${said.slice(0, 3000)}`);
    if (untaken().length > mostLost)
      wrong.push(`${untaken().length} values are lost, of at most ${mostLost}`);
    if (untaken().some((value) => service.isLive(value) && operation !== "reset"))
      wrong.push("a token is active that nobody has");
    if (isRotation && olds.some((_, index) => successorsOf(index).length !== 1))
      wrong.push("not one successor for each old token");
    if ((await listed()).length > 0 || state.content() !== "")
      wrong.push(`a record is left: ${said.slice(0, 3000)}`);
    if (!mayRepeat && made().some((value) => textOf(taken).split(value).length > 2))
      wrong.push("a command gets a value twice");
    if (existsSync(file)) {
      if ((statSync(file).mode & 0o777) !== 0o600) wrong.push("the file is not private");
      if (!textOf(file).endsWith("\n")) wrong.push("a torn last line");
      if (made().some((value) => textOf(file).split(value).length > 2))
        wrong.push("a value twice in the file");
    }
    if (!isRotation && !isAnew) wrong.push(...resent());
    await service.stop();
    return wrong;
  }

  /** Writes that were sent again after they had been done. */
  function resent(): readonly string[] {
    return service.writes
      .filter(({ operation: done }) => done === operation)
      .filter(({ subject, at }) => {
        const same = service.requests.filter(
          (each) => each.operation === operation && each.subject === subject,
        );
        return same.findIndex((each) => each.at === at) < same.length - 1;
      })
      .map(({ subject }) => `${operation} of …${subject.slice(-8)} is sent again after it was done`);
  }

  /** The receiver works again, and what stood in its place is away. */
  function repair(): void {
    rmSync(crashed, { force: true });
    if (textOf(file) === "another's\n") rmSync(file);
  }

  const parts = { service, state, environment, words, input, folder, crashed, receiver };
  return { ...parts, start, resumed, repair, problems };
}

const noChange = {};

/** Runs it in a process of its own. */
export function inProcess({ environment, input }: Pick<Scene, "environment" | "input">) {
  return (words: readonly string[]): Promise<Ended> => runBinary(words, { environment, input });
}

/** The most values under way when a process is killed. */
export const mostInFlight = (name: JobName): number => Math.min(jobs[name].count, concurrency);
