// Reads the imports of src and fails when an arrow points the wrong way, naming the rule and its reason. A room is a
// folder of src or a file at its top.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const src = fileURLToPath(new URL("../src", import.meta.url));

interface Room {
  /** Rooms it may load. */
  readonly loads: readonly string[];
  /** Rooms it may know by type alone. */
  readonly knows?: readonly string[];
  readonly because: string;
}

const leaves = ["errors", "exact-json.ts", "files", "json-items.ts", "operators.ts"];

const rooms: Readonly<Record<string, Room>> = {
  "main.ts": {
    loads: ["command-line", "config", "errors", "host", "output", "program.ts", "run"],
    because: "main has words parsed and commands run, and reports; the work is done elsewhere",
  },
  "program.ts": {
    loads: ["command-line", "commands", "config", "version.ts"],
    knows: ["host"],
    because: "the parser knows words, and does nothing of what they ask for",
  },
  "version.ts": { loads: [], because: "a constant needs nobody" },
  "exact-json.ts": { loads: [], because: "every room may use it, so it may use none" },
  "operators.ts": { loads: [], because: "a table of facts, which every room may read" },
  "json-items.ts": { loads: ["exact-json.ts"], because: "every room may use it, and it reads JSON alone" },
  errors: { loads: [], because: "every room may throw, so errors import nothing" },
  files: { loads: ["errors"], because: "how files of ours are written, whatever is in them" },
  host: { loads: ["errors", "files"], because: "the outside world is described, not used, here" },
  run: {
    loads: [
      "api",
      "commands",
      "config",
      "credentials",
      "errors",
      "host",
      "http",
      "journal",
      "operators.ts",
      "output",
      "prompt",
      "version.ts",
    ],
    because:
      "a run is put together here, whatever its work is; of the commands it asks only what earlier runs left behind",
  },
  "command-line": {
    loads: ["audit", "commands", "config", "deletion", "reports", "shapes", ...leaves, "output"],
    knows: ["run"],
    because: "words become commands and commands become words; nothing is sent, asked or printed",
  },
  commands: {
    loads: [
      "api",
      "audit",
      "bulk",
      "command-line",
      "config",
      "deletion",
      "delivery",
      "http",
      "journal",
      "lists",
      "output",
      "programs",
      "reports",
      "run",
      "sandbox",
      "shapes",
      ...leaves,
    ],
    knows: ["host"],
    because: "a command asks the context for credentials, prompts and services, and never makes them",
  },
  lists: {
    loads: ["bulk", "command-line", "config", "output", ...leaves],
    knows: ["api", "http", "run"],
    because: "every list is filtered, sorted and paged alike, whatever is listed",
  },
  audit: {
    loads: ["api", "lists", "output", ...leaves],
    knows: ["config", "http", "run"],
    because: "an audit reads as lists do and tells what it found; it changes nothing, and knows no parser",
  },
  deletion: {
    loads: ["bulk", "http", "lists", "output", ...leaves],
    knows: ["api", "journal", "run"],
    because: "grants and authorizations are deleted alike; what is deleted, and how, comes as an argument",
  },
  delivery: {
    loads: ["api", "bulk", "http", "journal", "output", "shapes", ...leaves],
    knows: ["commands", "reports", "run"],
    because: "a new value goes the same way to its output, whichever command made it",
  },
  shapes: {
    loads: ["api", "output", ...leaves],
    knows: ["deletion"],
    because: "what comes out is described here, and printed elsewhere",
  },
  api: {
    loads: ["errors", "http", "operators.ts"],
    knows: ["json-items.ts"],
    because: "an operation describes its request and answer; no credentials, no printing",
  },
  http: {
    loads: leaves,
    because: "layers get what they need as arguments: no prompt, no credentials, no output",
  },
  programs: { loads: [], because: "how other programs are found and started, whatever they are for" },
  credentials: {
    loads: ["config", "errors", "files", "programs"],
    knows: ["http", "prompt"],
    because: "secrets are found here and sent elsewhere",
  },
  config: { loads: ["errors", "files", "operators.ts"], because: "settings are values, whoever uses them" },
  bulk: {
    loads: ["journal", "output", ...leaves],
    knows: ["http", "run"],
    because: "many items are run alike, whatever is done with each",
  },
  reports: {
    loads: ["bulk", "output", ...leaves],
    because:
      "tokens are found in what was given, whatever is done with them; nothing of a report is sent or printed here",
  },
  journal: {
    loads: ["errors", "files", "operators.ts"],
    knows: ["http"],
    because: "what survives a crash is written here, whoever sends and prints it",
  },
  output: { loads: leaves, knows: ["config", "host"], because: "output prints what it is given" },
  prompt: {
    loads: ["errors", "output"],
    knows: ["host"],
    because: "a question needs a terminal, and its text to fit there",
  },
  sandbox: {
    loads: [],
    knows: ["api"],
    because: "the service must not share code with its client, or both would be wrong together",
  },
};

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
      .filter(
        ({ to, isType }) => !room?.loads.includes(to) && !(isType && room?.knows?.includes(to) === true),
      );
    const complaint = wrong.map(({ file, to }) => `src/${file} must not import ${to}: ${room?.because}`);
    expect(complaint).toEqual([]);
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
