// What the config commands print as JSON.
import { object, orNull, text } from "../../output/json-schema.ts";
import { printsList, printsNothing, printsOne, type Outputs } from "../../shapes/command-output.ts";
import type { SettingRow } from "./setting-rows.ts";

const setting = object<SettingRow>("ProfileSetting", "One setting of a profile.", {
  profile: orNull(text("the profile's name; null for a setting of the whole file")),
  key: text("the setting"),
  value: text("its value; a command is one line"),
});

const path = object<{ readonly path: string }>("ConfigurationPath", "Where the configuration is.", {
  path: text("the file, whether it exists or not"),
});

export const configOutputs: Outputs = {
  "config get": printsOne("one setting", setting),
  "config set": printsNothing,
  "config unset": printsNothing,
  "config list": printsList("an array of settings", setting),
  "config path": printsOne("the path of the configuration", path),
};
