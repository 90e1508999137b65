// The settings of the configuration as rows, and where it is.
import { objectWith, orNull, text, type TypeOf } from "../../schema/json-schema.ts";
import type { Configuration } from "../../config/configuration.ts";
import { profileKeyNames } from "../../config/profile-keys.ts";
import { column, present } from "../../printing/presentation.ts";
import { defaultProfileKey } from "./setting-key.ts";

export const settingSchema = objectWith("ProfileSetting", "One setting of a profile.", {
  profile: orNull(text("the profile's name; null for a setting of the whole file")),
  key: text("the setting"),
  value: text("its value; a command is one line"),
});

export type SettingRow = TypeOf<typeof settingSchema>;

export const settingPresentation = present(settingSchema, [
  column("PROFILE", "profile"),
  column("KEY", "key", { minimum: 8 }),
  column("VALUE", "value"),
]);

export const pathSchema = objectWith("ConfigurationPath", "Where the configuration is.", {
  path: text("the file, whether it exists or not"),
});

export const pathPresentation = present(pathSchema, []);

/** Every setting, or those of one profile. */
export function settingRows(configuration: Configuration, only: string | null): readonly SettingRow[] {
  const { defaultProfile, profiles } = configuration;
  const ofFile =
    defaultProfile === null || only !== null
      ? []
      : [{ profile: null, key: defaultProfileKey, value: defaultProfile }];
  const ofProfiles = [...profiles]
    .filter(([profile]) => only === null || profile === only)
    .flatMap(([profile, values]) =>
      profileKeyNames.flatMap((key) => {
        const value = values[key];
        return value === undefined ? [] : [{ profile, key, value }];
      }),
    );
  return [...ofFile, ...ofProfiles];
}
