// The settings of the configuration as rows, and where it is.
import { fieldsOf, objectWith, orNull, text, type TypeOf } from "../../output/json-schema.ts";
import type { Configuration } from "../../config/configuration.ts";
import { profileKeyNames } from "../../config/profile-keys.ts";
import type { Presentation } from "../../output/presentation.ts";
import { defaultProfileKey } from "./setting-key.ts";

export const settingSchema = objectWith("ProfileSetting", "One setting of a profile.", {
  profile: orNull(text("the profile's name; null for a setting of the whole file")),
  key: text("the setting"),
  value: text("its value; a command is one line"),
});

export type SettingRow = TypeOf<typeof settingSchema>;

export const settingPresentation: Presentation<SettingRow> = {
  fields: fieldsOf(settingSchema),
  columns: [
    { title: "PROFILE", text: (row) => row.profile ?? "" },
    { title: "KEY", text: (row) => row.key, minimum: 8 },
    { title: "VALUE", text: (row) => row.value },
  ],
};

export const pathSchema = objectWith("ConfigurationPath", "Where the configuration is.", {
  path: text("the file, whether it exists or not"),
});

export const pathPresentation: Presentation<TypeOf<typeof pathSchema>> = {
  fields: fieldsOf(pathSchema),
  columns: [],
};

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
