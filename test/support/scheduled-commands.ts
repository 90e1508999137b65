// The commands in a crontab, a systemd unit, a CI job and a Kubernetes manifest, each with only the variables that are
// set there: if the page omits a credential, the command fails.
import { join } from "node:path";
import { parseAllDocuments } from "yaml";

export interface ScheduledCommand {
  readonly command: string;
  /** The variables set for the command, with their values as written. */
  readonly variables: Readonly<Record<string, string>>;
  /** True if all keys of a secret are passed as variables (`envFrom`). */
  readonly hasAllVariables: boolean;
}

/** Reads a crontab. Throws for a line that cron would misread. */
export function readCrontab(text: string): readonly ScheduledCommand[] {
  const variables: Record<string, string> = {};
  const commands: ScheduledCommand[] = [];
  for (const line of text.split("\n")) {
    if (line.trim() === "" || line.startsWith("#")) continue;
    const [, name, value = ""] = /^(\w+)\s*=\s*(.*)$/.exec(line) ?? [];
    const [, command] = /^(?:@\w+|(?:[\d*,/-]+\s+){5})\s*(.+)$/.exec(line) ?? [];
    if (name !== undefined) variables[name] = value;
    else if (command === undefined) throw new Error(`not a line of a crontab: ${line}`);
    else if (/(?<!\\)%/.test(command)) throw new Error(`cron reads % as the end of the line: ${line}`);
    else
      commands.push({
        command: command.replaceAll("\\%", "%"),
        variables: { ...variables },
        hasAllVariables: false,
      });
  }
  return commands;
}

/** Reads systemd units, with `folder` as their working directory. Throws for a line that systemd would misread. */
export function readUnits(text: string, folder: string): readonly ScheduledCommand[] {
  const lines = text.split("\n").filter((line) => line.trim() !== "" && !line.startsWith("#"));
  const valuesOf = (name: string): readonly string[] =>
    lines.filter((line) => line.startsWith(`${name}=`)).map((line) => line.slice(name.length + 1));
  for (const line of lines)
    if (!/^(?:\[\w+\]|\w+=[^%]*)$/.test(line)) throw new Error(`not a line of a unit: ${line}`);
  if (lines.includes("[Timer]") && valuesOf("OnCalendar").length === 0)
    throw new Error("a timer without a time");
  const [place = ""] = valuesOf("WorkingDirectory");
  const variables = Object.fromEntries(
    valuesOf("Environment").map((pair) => [
      pair.slice(0, pair.indexOf("=")),
      pair.slice(pair.indexOf("=") + 1),
    ]),
  );
  return valuesOf("ExecStart").map((command) => {
    if (/[|&;<>$`]/.test(command)) throw new Error(`systemd runs no shell: ${command}`);
    return { command: command.replaceAll(place, folder), variables, hasAllVariables: false };
  });
}

/** Reads a YAML block: each `run`, and the `args` of each container. Mounted folders are moved below `folder`. */
export function readManifest(text: string, folder: string): readonly ScheduledCommand[] {
  const commands: ScheduledCommand[] = [];
  for (const document of parseAllDocuments(text, { strict: true })) {
    const [problem] = document.errors;
    if (problem !== undefined) throw problem;
    visit(document.toJS(), {}, commands, folder);
  }
  return commands;
}

function visit(
  node: unknown,
  inherited: Readonly<Record<string, string>>,
  commands: ScheduledCommand[],
  folder: string,
): void {
  if (Array.isArray(node)) for (const item of node) visit(item, inherited, commands, folder);
  if (typeof node !== "object" || node === null || Array.isArray(node)) return;
  const entries = node as Readonly<Record<string, unknown>>;
  const variables = { ...inherited, ...readVariables(entries["env"]) };
  if (typeof entries["run"] === "string")
    commands.push({ command: entries["run"], variables, hasAllVariables: false });
  if (Array.isArray(entries["args"])) {
    const mounts = Array.isArray(entries["volumeMounts"])
      ? (entries["volumeMounts"] as readonly { mountPath: string }[]).map(({ mountPath }) => mountPath)
      : [];
    const place = (value: string): string => {
      let placed = value;
      for (const path of mounts) placed = placed.replaceAll(`${path}/`, `${join(folder, path)}/`);
      return placed.replaceAll("$(JOB_COMPLETION_INDEX)", "0");
    };
    const placed = Object.entries(variables).map(([name, value]) => [name, place(value)]);
    commands.push({
      command: entries["args"].map((word) => place(String(word))).join("\n"),
      variables: { ...Object.fromEntries(placed), JOB_COMPLETION_INDEX: "0" },
      hasAllVariables: entries["envFrom"] !== undefined,
    });
  }
  for (const [key, child] of Object.entries(entries))
    if (key !== "env") visit(child, variables, commands, folder);
}

/** Reads variables from a map, or from a list of names and values. */
function readVariables(env: unknown): Record<string, string> {
  const entries = Array.isArray(env)
    ? (env as readonly { name: string; value: unknown }[]).map(({ name, value }) => [name, String(value)])
    : Object.entries((env ?? {}) as Record<string, unknown>).map(([name, value]) => [name, String(value)]);
  return Object.fromEntries(entries) as Record<string, string>;
}
