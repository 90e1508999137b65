// One command's run: how it is configured, what earlier runs left, the work, and the end of what was opened. Loaded
// when a command line has been understood.
import type { Command } from "commander";
import { announceLeftovers } from "./commands/announce-leftovers.ts";
import type { GlobalOptions } from "./config/global-options.ts";
import { readRunConfiguration, type ConfigurationUse } from "./config/run-configuration.ts";
import { createContext, type Context } from "./context.ts";
import type { Host } from "./host.ts";
import { inspectedFailure, revealingSwitch } from "./node-switches.ts";
import type { Redactor } from "./output/redact.ts";

/** Commands that do not mention what earlier runs left. */
const silentCommands = new Set(["completion", "config", "recover", "sandbox"]);

/** Does the work of a command with the context that its flags make. Throws what goes wrong. */
export async function runCommand(
  command: Command,
  work: (context: Context) => Promise<void>,
  configurationUse: ConfigurationUse,
  { host, redactor }: { readonly host: Host; readonly redactor: Redactor },
): Promise<void> {
  const noun = nounOf(command);
  if (noun !== "sandbox") await refuseRevealingNode(host);
  const options = command.optsWithGlobals<GlobalOptions>();
  const { environment, platform, machine } = host;
  const surroundings = { environment, platform, homeFolder: machine.homeFolder, userId: machine.userId };
  const configured = await readRunConfiguration(options, surroundings, configurationUse);
  // Before anything is sent: a program that is none is a mistake like any other.
  const jq = options.jq === undefined ? null : await (await import("./output/jq.ts")).createJq(options.jq);
  const context = createContext(host, options, configured, redactor, jq);
  try {
    if (!silentCommands.has(noun)) await announceLeftovers(context);
    await work(context);
  } finally {
    await context.close();
  }
}

/** The first word of a command: its noun, or itself where it has none. */
function nounOf(command: Command): string {
  const { parent } = command;
  return parent?.parent ? nounOf(parent) : command.name();
}

/** The sandbox's secrets are nobody's, and the scripts that it runs may be looked at as their author likes. */
async function refuseRevealingNode({ environment, runtime }: Host): Promise<void> {
  const { switches } = runtime;
  const refusal = revealingSwitch({ environment, switches });
  if (refusal !== null) throw refusal;
  // A debugger comes with a switch, or with code that a switch loads first.
  const isPlain = environment["NODE_OPTIONS"] === undefined && switches.length === 0;
  if (!isPlain && (await runtime.isInspected())) throw inspectedFailure();
}
