// The settings of the configuration as rows.
import { fieldsOf, object, orNull, text } from "../../output/json-schema.ts";
import type { Configuration } from "../../config/configuration.ts";
import { profileKeyNames } from "../../config/profile-keys.ts";
import type { Presentation } from "../../output/presentation.ts";
import { defaultProfileKey } from "./setting-key.ts";

export interface SettingRow {
  /** Null for a setting of the whole file. */
  readonly profile: string | null;
  readonly key: string;
  readonly value: string;
}

export const settingSchema = object<SettingRow>("ProfileSetting", "One setting of a profile.", {
  profile: orNull(text("the profile's name; null for a setting of the whole file")),
  key: text("the setting"),
  value: text("its value; a command is one line"),
});

export const settingPresentation: Presentation<SettingRow> = {
  fields: fieldsOf(settingSchema),
  columns: [
    { title: "PROFILE", text: (row) => row.profile ?? "" },
    { title: "KEY", text: (row) => row.key, minimum: 8 },
    { title: "VALUE", text: (row) => row.value },
  ],
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
