// The commands in a crontab, a systemd unit and a CI job, each with only the variables that are set there: if the page
// omits a credential, the command fails.
import { parseAllDocuments } from "yaml";

export interface ScheduledCommand {
  readonly command: string;
  /** The variables set for the command, with their values as written. */
  readonly variables: Readonly<Record<string, string>>;
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
    else commands.push({ command: command.replaceAll("\\%", "%"), variables: { ...variables } });
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
    return { command: command.replaceAll(place, folder), variables };
  });
}

/** Reads each `run` of a YAML block. */
export function readManifest(text: string): readonly ScheduledCommand[] {
  const commands: ScheduledCommand[] = [];
  for (const document of parseAllDocuments(text, { strict: true })) {
    const [problem] = document.errors;
    if (problem !== undefined) throw problem;
    visit(document.toJS(), {}, commands);
  }
  return commands;
}

function visit(
  node: unknown,
  inherited: Readonly<Record<string, string>>,
  commands: ScheduledCommand[],
): void {
  if (Array.isArray(node)) for (const item of node) visit(item, inherited, commands);
  if (typeof node !== "object" || node === null || Array.isArray(node)) return;
  const entries = node as Readonly<Record<string, unknown>>;
  const variables = { ...inherited, ...readVariables(entries["env"]) };
  if (typeof entries["run"] === "string") commands.push({ command: entries["run"], variables });
  for (const [key, child] of Object.entries(entries)) if (key !== "env") visit(child, variables, commands);
}

/** Reads variables, which are a map. */
function readVariables(env: unknown): Readonly<Record<string, string>> {
  const entries = Object.entries((env ?? {}) as Record<string, unknown>);
  return Object.fromEntries(entries.map(([name, value]) => [name, String(value)]));
}
