// `grantctl config unset`: removes a setting from the configuration file.
import { addExamples, type Context, type Define } from "../../command-line/command.ts";
import { withProfileValues, editConfiguration } from "../../config/configuration.ts";
import { checkKeepsServer } from "../../config/profiles.ts";
import { addKey, definitionOf } from "./keys.ts";

export const define: Define = (command, act) => {
  addKey(command)
    .description("Remove a setting from a profile. Succeeds even if it is not set.")
    .action(act(run, { announces: false }));
  addExamples(command, ["grantctl config unset otp_command", "grantctl --profile work config unset ca_cert"]);
};

async function run(context: Context, key: string): Promise<void> {
  definitionOf(key);
  const { name } = context.configured.profile;
  checkKeepsServer({ [key]: undefined }, context);
  await editConfiguration(context, (before) =>
    before.profiles.has(name) ? withProfileValues(before, name, { [key]: undefined }) : before,
  );
}
