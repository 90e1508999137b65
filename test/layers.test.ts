// Reads the imports of src and fails when an arrow points the wrong way, naming the rule and its reason. A room is a
// folder of src or a file at its top.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const src = fileURLToPath(new URL("../src", import.meta.url));

/** A room that an arrow leads to, and why it may. */
type Arrows = Readonly<Record<string, string>>;

interface Room {
  /** What it is for. A room is told of when an arrow leaves it that is not here. */
  readonly because: string;
  /** Rooms that it may load. */
  readonly loads?: Arrows;
  /** Rooms that it may know by type alone. */
  readonly knows?: Arrows;
}

/** What every room may load, because it loads nothing of the rest itself. */
const leaves: Arrows = {
  errors: "every room may fail",
  files: "how files of ours are read and written, whatever is in them",
  json: "JSON as it came: its numbers, and its items",
  "operators.ts": "what is known of each kind of server",
  "parse-url.ts": "what an address is",
  "token-value.ts": "what a token's value looks like",
};

const rooms: Readonly<Record<string, Room>> = {
  "main.ts": {
    because: "main has words parsed and commands run, and reports; the work is done elsewhere",
    loads: {
      "program.ts": "it parses",
      "command-line":
        "what was wrong about the words is said, what may follow them is completed, and which commands stand above one",
      config: "whether colours and debug lines are wanted, before there is a run",
      host: "it hands the host on to whoever starts it",
      output: "the one report of a failure",
      run: "it does the work of a command that was understood",
    },
  },
  "program.ts": {
    because: "the parser knows words, and does nothing of what they ask for",
    loads: {
      "command-line": "pages of help",
      commands: "the table of commands",
      config: "the flags of every command",
      "version.ts": "--version",
    },
    knows: { host: "how wide help may be where it is read" },
  },
  "version.ts": { because: "a constant needs nobody" },
  json: { because: "every room may use it, and it knows nothing of what JSON means" },
  "token-value.ts": { because: "every room may use it, so it may use none" },
  "parse-url.ts": { because: "every room may use it, so it may use none" },
  "operators.ts": { because: "a table of facts, which every room may read" },
  errors: { because: "every room may throw, so errors import nothing" },
  files: { because: "how files of ours are written, whatever is in them" },
  programs: {
    because: "how other programs are found and started, whatever they are for",
    loads: { files: "their input is written whole" },
  },
  host: { because: "the outside world is described, not used, here" },
  run: {
    because: "a run is put together here, whatever its work is; it knows no command",
    loads: {
      api: "how the kind of a server is found out",
      config: "flags, environment and profile become settings",
      credentials: "where secrets come from; nobody else asks for them",
      host: "which of Node's own switches would show secrets",
      http: "services are connected here, with credentials that http never asks for",
      journal: "what earlier runs left",
      output: "streams, notices and progress of the run",
      prompt: "who is asked, or refused",
      "version.ts": "what grantctl says of itself to the service",
    },
  },
  "command-line": {
    because: "words become commands and commands become words; nothing is sent, asked or printed",
    loads: {
      commands: "fields of their JSON, to be completed",
      config: "keys of a profile, and where each setting comes from",
      output: "what is completed from this machine is made safe to show",
    },
    knows: { run: "the context that the work of a command is handed" },
  },
  commands: {
    because: "a command asks the context for credentials, prompts and services, and never makes them",
    loads: {
      api: "the operations that it asks for",
      audit: "what `audit` prints is its own room",
      bulk: "many items are a job",
      "command-line": "examples and sections of its help",
      config: "settings that it shows or changes",
      deletion: "both deletions are alike",
      delivery: "a new value's way to its output",
      http: "addresses and pages of requests that have no operation: `api`, `graphql`, `doctor`",
      journal: "what `recover` shows and forgets",
      lists: "every list is alike",
      output: "rows, tables, values",
      programs: "what `sandbox run` starts",
      reports: "tokens from what was given",
      run: "changes of the configuration in the run's name",
      sandbox: "its own commands alone",
      shapes: "what comes out as JSON",
    },
    knows: { host: "the machine that a fingerprint is made of" },
  },
  lists: {
    because: "every list is filtered, sorted and paged alike, whatever is listed",
    loads: {
      bulk: "which part of many one shard is",
      "command-line": "a section of help",
      config: "how numbers of flags are read",
      output: "whole pages are written as they come",
    },
    knows: {
      api: "what a grant and an authorization have",
      http: "what a page is, and a service",
      run: "the context",
    },
  },
  audit: {
    because: "an audit reads as lists do and tells what it found; it changes nothing, and knows no parser",
    loads: {
      api: "what it reads",
      lists: "age, filters and paging",
      output: "tables and text that is safe to show",
      shapes: "what its JSON holds of the service's things",
    },
    knows: {
      config: "the flags of the run",
      http: "what a page is, and a service",
      run: "the context",
    },
  },
  deletion: {
    because: "grants and authorizations are deleted alike; what is deleted, and how, comes as an argument",
    loads: {
      shapes: "an identifier and the states of an item, as JSON has them",
      bulk: "deletions are a job",
      http: "what an answer that came to nothing means",
      lists: "a list to tick",
      output: "rows",
    },
    knows: {
      api: "what is deleted",
      journal: "what a job of it is called",
      run: "the context",
    },
  },
  delivery: {
    because: "a new value goes the same way to its output, whichever command made it",
    loads: {
      api: "a reset, and a look at the old value",
      bulk: "values of many are a job",
      config: "how the words of a command are split",
      http: "whether an answer was lost",
      journal: "a value is kept until it is delivered",
      lists: "a token whose value is nowhere is looked for in the whole list",
      output: "the output that was checked before",
      programs: "a command that takes values is started",
      shapes: "what comes out as JSON",
    },
    knows: { reports: "where a token was found", run: "the context" },
  },
  shapes: {
    because: "what comes out is described here, and printed elsewhere",
    loads: { output: "how an item is presented" },
    knows: { api: "the fields of what the service answers" },
  },
  api: {
    because: "an operation describes its request and answer; no credentials, no printing",
    loads: { http: "how an operation is sent" },
  },
  http: { because: "layers get what they need as arguments: no prompt, no credentials, no output" },
  credentials: {
    because: "secrets are found here and sent elsewhere",
    loads: {
      config: "settings that are secrets, or name a command that prints one",
      programs: "the command that prints one",
    },
    knows: { http: "what credentials and codes look like to it", prompt: "somebody who may be asked" },
  },
  config: { because: "settings are values, whoever uses them" },
  bulk: {
    because: "many items are run alike, whatever is done with each",
    loads: {
      http: "how long a refusal for now is waited out",
      journal: "what was done is written down",
      output: "the report of each item",
    },
    knows: { run: "the context" },
  },
  reports: {
    because:
      "tokens are found in what was given, whatever is done with them; nothing of a report is sent or printed here",
    loads: { bulk: "lines of tokens and their repeats", output: "the columns of where a token was found" },
  },
  journal: {
    because: "what survives a crash is written here, whoever sends and prints it",
    knows: { http: "the request whose answer is kept" },
  },
  output: {
    because: "output prints what it is given",
    knows: { config: "the format that was asked for", host: "the streams" },
  },
  prompt: {
    because: "a question needs a terminal, and its text to fit there",
    loads: { output: "how wide a text is, and how it is cut" },
    knows: { host: "the terminal" },
  },
  sandbox: {
    because: "the service must not share code with its client, or both would be wrong together",
    knows: { api: "the names of the fields of resources" },
  },
};

/** Rooms that do not even load what every room may. */
const withoutLeaves = new Set([...Object.keys(leaves), "sandbox", "version.ts", "program.ts", "programs"]);

/** What the leaves load of one another. */
const betweenLeaves: Readonly<Record<string, readonly string[]>> = {
  files: ["errors"],
};

function mayLoad(from: string, to: string): boolean {
  const ofLeaves = withoutLeaves.has(from) ? betweenLeaves[from]?.includes(to) : to in leaves;
  return ofLeaves === true || to in (rooms[from]?.loads ?? {});
}

interface Arrow {
  readonly file: string;
  readonly from: string;
  readonly to: string;
  readonly isType: boolean;
}

const files = readdirSync(src, { recursive: true, encoding: "utf8" })
  .map((file) => file.replaceAll("\\", "/"))
  .filter((file) => file.endsWith(".ts"));

function roomOf(file: string): string {
  return file.split("/")[0] ?? file;
}

function arrowsOf(file: string): readonly Arrow[] {
  const text = readFileSync(join(src, file), "utf8");
  const statements = /(?:^|\n)(?:import|export)( type)? [^;]*?from "(\.[^"]+)"|import\("(\.[^"]+)"\)/g;
  return [...text.matchAll(statements)]
    .map((match) => ({
      file,
      from: roomOf(file),
      to: roomOf(normalize(join(dirname(file), match[2] ?? match[3] ?? "")).replaceAll("\\", "/")),
      isType: match[1] !== undefined,
    }))
    .filter(({ from, to }) => from !== to);
}

const arrows = files.flatMap(arrowsOf);

/** Everything in src that a file loads before it does anything, and the packages that this loads. */
function reach(entry: string): { readonly reached: readonly string[]; readonly packages: readonly string[] } {
  const reached = new Set<string>();
  const visit = (file: string): void => {
    if (reached.has(file)) return;
    reached.add(file);
    const text = readFileSync(join(src, file), "utf8");
    for (const [, isType, target] of text.matchAll(
      /(?:^|\n)(?:import|export)( type)? [^;]*?from "(\.[^"]+)"/g,
    )) {
      if (isType === undefined) visit(normalize(join(dirname(file), target ?? "")).replaceAll("\\", "/"));
    }
  };
  visit(entry);
  const names = [...reached].flatMap((file) =>
    [
      ...readFileSync(join(src, file), "utf8").matchAll(/(?:^|\n)import (?!type)[^;]*?from "([^."][^"]*)"/g),
    ].map((match) => match[1] ?? ""),
  );
  const foreign = [...new Set(names)].filter((name) => !name.startsWith("node:"));
  return { reached: [...reached], packages: foreign.toSorted() };
}

describe("layers", () => {
  it("sees the imports", () => {
    expect(arrows.length).toBeGreaterThan(100);
    expect([...new Set(files.map(roomOf))].toSorted()).toEqual(Object.keys(rooms).toSorted());
  });

  it.each(Object.keys(rooms))("%s imports only what it may", (name) => {
    const room = rooms[name];
    const wrong = arrows
      .filter(({ from }) => from === name)
      .filter(({ to, isType }) => !mayLoad(name, to) && !(isType && to in (room?.knows ?? {})));
    const complaint = wrong.map(({ file, to }) => `src/${file} must not import ${to}: ${room?.because}`);
    expect(complaint).toEqual([]);
  });

  it.each(Object.keys(rooms))("%s has no arrow in the rules that nobody uses", (name) => {
    const used = (isMeant: (isType: boolean) => boolean): Set<string> =>
      new Set(arrows.filter(({ from, isType }) => from === name && isMeant(isType)).map(({ to }) => to));
    const loaded = used((isType) => !isType);
    const known = used((isType) => isType);
    const { loads = {}, knows = {} } = rooms[name] ?? {};
    expect(Object.keys(loads).filter((to) => !loaded.has(to))).toEqual([]);
    expect(Object.keys(knows).filter((to) => !known.has(to) || to in loads)).toEqual([]);
  });

  it("sandbox is loaded by its own commands alone", () => {
    const loaders = arrows.filter(({ to, isType }) => to === "sandbox" && !isType).map(({ file }) => file);
    expect(loaders.filter((file) => !file.startsWith("commands/sandbox/"))).toEqual([]);
  });

  it("only the host reads the process and sets V8's flags, and nobody writes past the streams", () => {
    const allowed: readonly string[] = [
      "host/host.ts",
      // It sets the flags, for whoever asks it.
      "host/runtime.ts",
      // A program of its own.
      "credentials/keychain-helper.ts",
    ];
    const offenders = files.filter((file) => {
      const code = readFileSync(join(src, file), "utf8").replaceAll(/\/\/.*|\/\*[^]*?\*\//g, "");
      return !allowed.includes(file) && /\bprocess\.|\bconsole\.|"node:v8"/.test(code);
    });
    expect(offenders).toEqual([]);
  });

  it("a file has at most 400 lines", () => {
    const tooLong = files.filter(
      (file) => readFileSync(join(src, file), "utf8").trimEnd().split("\n").length > 400,
    );
    expect(tooLong).toEqual([]);
  });

  it("undici, prompts, tables, checks, schemas and the sandbox are loaded only when they are used", () => {
    const { reached, packages } = reach("main.ts");
    expect(packages).toEqual(["commander"]);
    expect(reached.filter((file) => file.startsWith("sandbox/"))).toEqual([]);
    expect(
      reached.filter((file) => /(?:outputs|schemas|json-schema|schema-document)\.ts$/.test(file)),
    ).toEqual([]);
  });

  it("a sandbox starts without graphql, which its first query loads", () => {
    expect(reach("sandbox/sandbox.ts").packages).toEqual(["otpauth"]);
    expect(reach("sandbox/store/store.ts").packages).toEqual(["libsql"]);
    expect(reach("sandbox/graphql/graphql-route.ts").packages).toContain("graphql");
  });
});
