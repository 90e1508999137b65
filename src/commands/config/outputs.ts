// What the config commands print as JSON.
import { objectWith, text } from "../../output/json-schema.ts";
import {
  printsList,
  printsNothing,
  printsOne,
  printsWhole,
  type Outputs,
} from "../../shapes/command-output.ts";
import { settingSchema } from "./setting-rows.ts";

const path = objectWith("ConfigurationPath", "Where the configuration is.", {
  path: text("the file, whether it exists or not"),
});

export const configOutputs: Outputs = {
  "config get": printsOne("one setting", settingSchema),
  "config set": printsNothing,
  "config unset": printsNothing,
  "config list": printsList("an array of settings", settingSchema),
  "config path": printsWhole("the path of the configuration", path),
};
