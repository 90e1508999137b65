// `grantctl config get`: prints a profile's setting as stored in the configuration.
import {
  addExamples,
  explainInherited,
  printsFields,
  type Define,
  type Context,
} from "../../command-line/command.ts";
import { Failure } from "../../errors/errors.ts";
import { sanitise } from "../../drawing/sanitise.ts";
import { checkKey, defaultProfileKey, explainKeys, settingPresentation, settingRow } from "./setting.ts";

export const defineGet: Define = (command, act) => {
  command
    .summary("Show a setting")
    .description(
      "Show a profile's setting as stored in the configuration file, ignoring flags and environment variables.",
    )
    .argument("<key>", "Name of the setting")
    .action(act(run, { isPaged: true, announces: false }));
  explainKeys(command);
  explainInherited(command, "--profile", "--json", "--jq");
  printsFields(command, settingPresentation.fields);
  addExamples(command, ["grantctl config get base_url", "grantctl --profile work config get username"]);
};

async function run(context: Context, word: string): Promise<void> {
  const key = checkKey(word);
  context.printer.checkFields(settingPresentation);
  const { configuration, profile } = context.configured;
  const isOfFile = key === defaultProfileKey;
  const value = isOfFile ? configuration.defaultProfile : (profile.values[key] ?? null);
  if (value === null) {
    throw new Failure(
      "not-found",
      isOfFile ? `${key} is not set` : `${key} is not set in the profile ${profile.name}`,
      { hint: `Run \`grantctl config set ${key} VALUE\` to set it.` },
    );
  }
  const row = settingRow(isOfFile ? null : profile.name, key, value);
  if (context.printer.isJson) await context.printer.printItem(row, settingPresentation);
  else await context.stdout.write(`${context.stdout.isTerminal ? sanitise(value) : value}\n`);
}
