// `grantctl config set`: changes a setting in the configuration file.
import { resolve } from "node:path";
import { addExamples, type Context, type Define } from "../../command-line/command.ts";
import { withProfileValues, editConfiguration } from "../../config/configuration.ts";
import { checkKeepsServer } from "../../config/profiles.ts";
import { checks } from "../../config/setting-forms.ts";
import { normalise, problemOf } from "../../config/settings.ts";
import { usageFailure } from "../../errors/errors.ts";
import { addKey, definitionOf } from "./keys.ts";

export const define: Define = (command, act) => {
  addKey(command)
    .argument("<value>", "Value; if it is a command with arguments, quote the whole command")
    .description("Change a profile's setting. Creates the profile if it does not exist.")
    .action(act(run, { configuration: "new-profile", announces: false }));
  addExamples(command, [
    "grantctl config set base_url https://ghe.example.com/api/v3 --profile ghe",
    "grantctl --profile work config set password_command 'pass show work/grantctl'",
  ]);
};

async function run(context: Context, key: string, value: string): Promise<void> {
  const definition = definitionOf(key);
  const { name } = context.configured.profile;
  const written = definition.check === checks.path ? resolve(value) : value;
  const problem = problemOf(definition, written);
  if (problem !== null) throw usageFailure(`${key} ${problem}`);
  const stored = normalise(definition, written, context.serverType);
  // Rejects the URLs that every run would reject; allow_http permits plain http.
  if (key === "base_url") context.serverAt(stored).origin();
  checkKeepsServer({ [key]: stored }, context);
  await editConfiguration(context, (before) => withProfileValues(before, name, { [key]: stored }));
}
