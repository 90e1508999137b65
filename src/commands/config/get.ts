// `grantctl config get`: a setting as it is in the configuration file.
import { addExamples, printsFields, type Context, type Define } from "../../command-line/command.ts";
import { Failure } from "../../errors/errors.ts";
import { sanitise } from "../../output/sanitise.ts";
import { addKey, definitionOf, settingPresentation } from "./keys.ts";

export const define: Define = (command, act) => {
  addKey(command)
    .description(
      "Show a profile's setting as stored in the configuration file, ignoring flags and environment variables.",
    )
    .action(act(run, { isPaged: true, announces: false }));
  printsFields(command, settingPresentation.fields);
  addExamples(command, ["grantctl config get base_url", "grantctl --profile work config get username"]);
};

async function run({ printer, stdout, configured }: Context, key: string): Promise<void> {
  definitionOf(key);
  const { name, values } = configured.profile;
  const value = values[key];
  if (value === undefined)
    throw new Failure("not-found", `${key} is not set in the profile ${name}`, {
      hint: `Run \`grantctl config set ${key} VALUE\` to set it.`,
    });
  if (printer.isJson)
    await printer.printItem({ name: key, value, source: `profile ${name}` }, settingPresentation);
  else await stdout.write(`${stdout.isTerminal ? sanitise(value) : value}\n`);
}
