// The layers of src. Reads the imports and fails if one is not allowed. A module is a folder of src, or a file
// at its top. Each has a one-sentence description and a list of modules that it may import.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const src = fileURLToPath(new URL("../src", import.meta.url));

interface Module {
  /** Its tasks, and those that it leaves to others. */
  readonly does: string;
  /** Modules that it may load. */
  readonly loads?: readonly string[];
  /** Modules of which it may import types only. */
  readonly types?: readonly string[];
}

/** Modules that every other module may load, because they load nothing else. */
const leaves = ["errors", "files", "json", "operators.ts", "parse-url.ts", "token-value.ts"];

const modules: Readonly<Record<string, Module>> = {
  "main.ts": {
    does: "has the words parsed and the command run, and turns every failure into one report",
    loads: ["command-line", "config", "drawing", "host", "redaction", "printing", "program.ts", "run"],
  },
  "program.ts": {
    does: "parses the words with commander, and does nothing of what they request",
    loads: ["command-line", "commands", "config", "version.ts"],
  },
  "command-line": {
    does: "loads commands lazily, prints help, explains wrong words and completes; sends and prints nothing else",
    loads: ["commands", "config", "drawing"],
    types: ["run"],
  },
  commands: {
    does: "defines each verb; gets credentials, prompts and services from the context and never makes them",
    loads: [
      "api",
      "audit",
      "jobs",
      "command-line",
      "config",
      "deletion",
      "delivery",
      "drawing",
      "http",
      "journal",
      "lists",
      "printing",
      "programs",
      "reports",
      "run",
      "sandbox",
      "schema",
    ],
    types: ["host"],
  },
  lists: {
    does: "filters, sorts and pages every list in the same way",
    loads: ["command-line", "config", "drawing", "printing"],
    types: ["api", "http", "jobs", "run"],
  },
  audit: {
    does: "reads what has access, applies rules and writes the report; changes nothing",
    loads: ["api", "drawing", "lists", "printing", "schema"],
    types: ["config", "http", "run"],
  },
  deletion: {
    does: "deletes grants and authorizations in the same way",
    loads: ["jobs", "drawing", "http", "lists", "printing", "schema"],
    types: ["api", "journal", "run"],
  },
  delivery: {
    does: "brings a new token value to its receiver, whichever command made it",
    loads: ["api", "jobs", "config", "http", "journal", "lists", "printing", "programs", "schema"],
    types: ["reports", "run"],
  },
  jobs: {
    does: "runs many items in the same way, whatever is done with each",
    loads: ["api", "http", "journal", "printing"],
    types: ["run"],
  },
  reports: {
    does: "finds tokens in scanners' reports; sends and prints nothing",
    loads: ["jobs", "redaction", "schema"],
    types: ["printing"],
  },
  run: {
    does: "puts one run together: settings, credentials, services, output; knows no command",
    loads: [
      "api",
      "config",
      "credentials",
      "drawing",
      "host",
      "http",
      "journal",
      "jq",
      "printing",
      "programs",
      "prompt",
      "version.ts",
    ],
    types: ["redaction"],
  },
  api: { does: "describes the request and the response of each operation", loads: ["http"] },
  http: { does: "sends requests through layers that get credentials and prompts as arguments" },
  credentials: {
    does: "finds secrets; others send them",
    loads: ["config", "programs"],
    types: ["http", "prompt"],
  },
  config: { does: "turns flags, environment and profile into settings" },
  journal: { does: "keeps what must survive a crash", types: ["http"] },
  printing: {
    does: "prints results, notices, progress and failures",
    loads: ["drawing", "schema"],
    types: ["api", "config", "host", "jq", "redaction"],
  },
  drawing: { does: "lays text out for a terminal, and makes it safe to show" },
  redaction: { does: "redacts secrets in text from outside" },
  jq: { does: "runs jq over JSON" },
  schema: { does: "describes what is printed as JSON", types: ["api"] },
  prompt: { does: "puts questions to a person at a terminal", loads: ["drawing"], types: ["host"] },
  programs: { does: "finds and starts other programs", loads: ["files"] },
  host: { does: "is the process: streams, terminal, signals; the only module that reads `process`" },
  files: { does: "reads and writes files safely, whatever is in them" },
  json: { does: "reads and writes JSON with every digit, whatever it means" },
  errors: { does: "is every kind of failure, with its exit code and words" },
  "version.ts": { does: "is a constant" },
  "token-value.ts": { does: "decides what can be the value of a token" },
  "parse-url.ts": { does: "reads URLs" },
  "operators.ts": { does: "is the table of servers and of what each supports" },
  sandbox: {
    does: "is the service itself, and shares no code with its client, or both would have the same mistakes",
    types: ["api"],
  },
};

/** Modules that do not load even the leaves. */
const withoutLeaves = new Set([...leaves, "sandbox", "version.ts", "program.ts", "programs"]);

/** Imports among the leaves. */
const betweenLeaves: Readonly<Record<string, readonly string[]>> = { files: ["errors"] };

function mayLoad(from: string, to: string): boolean {
  const isLeaf = withoutLeaves.has(from) ? betweenLeaves[from]?.includes(to) : leaves.includes(to);
  return isLeaf === true || modules[from]?.loads?.includes(to) === true;
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

function moduleOf(file: string): string {
  return file.split("/")[0] ?? file;
}

function arrowsOf(file: string): readonly Arrow[] {
  const text = readFileSync(join(src, file), "utf8");
  const statements = /(?:^|\n)(?:import|export)( type)? [^;]*?from "(\.[^"]+)"|import\("(\.[^"]+)"\)/g;
  return [...text.matchAll(statements)]
    .map((match) => ({
      file,
      from: moduleOf(file),
      to: moduleOf(normalize(join(dirname(file), match[2] ?? match[3] ?? "")).replaceAll("\\", "/")),
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
  it("finds the imports", () => {
    expect(arrows.length).toBeGreaterThan(100);
    expect([...new Set(files.map(moduleOf))].toSorted()).toEqual(Object.keys(modules).toSorted());
  });

  it.each(Object.keys(modules))("%s imports only allowed modules", (name) => {
    const { does = "", types = [] } = modules[name] ?? {};
    const wrong = arrows
      .filter(({ from }) => from === name)
      .filter(({ to, isType }) => !mayLoad(name, to) && !(isType && types.includes(to)));
    expect(wrong.map(({ file, to }) => `src/${file} must not import ${to}: ${name} ${does}`)).toEqual([]);
  });

  it.each(Object.keys(modules))("%s uses every arrow that the rules allow", (name) => {
    const used = (isMeant: (isType: boolean) => boolean): Set<string> =>
      new Set(arrows.filter(({ from, isType }) => from === name && isMeant(isType)).map(({ to }) => to));
    const loaded = used((isType) => !isType);
    const typed = used((isType) => isType);
    const { loads = [], types = [] } = modules[name] ?? {};
    expect(loads.filter((to) => !loaded.has(to))).toEqual([]);
    expect(types.filter((to) => !typed.has(to) || loads.includes(to))).toEqual([]);
  });

  it("only the sandbox commands load the sandbox", () => {
    const loaders = arrows.filter(({ to, isType }) => to === "sandbox" && !isType).map(({ file }) => file);
    expect(loaders.filter((file) => !file.startsWith("commands/sandbox/"))).toEqual([]);
  });

  it("only the host reads the process and sets V8's flags, and no module bypasses the streams", () => {
    const offenders = files.filter((file) => {
      // The helper is a separate program.
      if (file.startsWith("host/") || file === "credentials/keychain-helper.ts") return false;
      const code = readFileSync(join(src, file), "utf8").replaceAll(/\/\/.*|\/\*[^]*?\*\//g, "");
      return /\bprocess\.|\bconsole\.|"node:v8"/.test(code);
    });
    expect(offenders).toEqual([]);
  });

  /** Files that still export more than six values: modules that are not merged yet, and shared tables. */
  const wide: Readonly<Record<string, number>> = {
    "api/authorizations.ts": 8,
    "command-line/help-sections.ts": 7,
    "config/configuration.ts": 7,
    "config/settings.ts": 10,
    "errors/errors.ts": 9,
    "http/transport-failure.ts": 9,
    "json/exact-json.ts": 7,
    "printing/tokens.ts": 7,
    "schema/json-schema.ts": 14,
    "schema/resources.ts": 9,
  };

  it("a file has at most 400 lines and exports at most six values", () => {
    const offenders = files.filter((file) => {
      const text = readFileSync(join(src, file), "utf8");
      const exported = text.match(/^export (?:async function|function|const|class|let)\b/gm)?.length ?? 0;
      return text.trimEnd().split("\n").length > 400 || exported > (wide[file] ?? 6);
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
