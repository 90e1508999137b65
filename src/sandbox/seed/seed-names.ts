// Names, notes and scopes for a seed: made up, and of the kinds that real accounts collect, with wide characters
// among them. The same number always gives the same one.

const applicationNames = [
  "Harbour Deploy",
  "Quill Reviews",
  "Tidewatch CI",
  "Café Métrique",
  "Lanternfish Search",
  "Patchwork Sync",
  "漢字ノート",
  "Northgate Backup",
  "Pebble Tracker",
  "Óbidos Insights",
  "Weathervane Alerts",
  "Marginalia Docs",
];

const personalNotes = [
  "sauvegarde de l'été à la maison",
  "漢字の練習帳",
  "laptop",
  "release script",
  "日報 bot",
];

const applicationNotes = [null, "staging", null, "build agents", "naïve importer", null, "夜間バッチ"];

const scopeSets: readonly (readonly string[])[] = [
  ["repo"],
  ["user"],
  ["public_repo", "gist"],
  ["read:org", "user:email"],
  ["repo", "workflow", "write:packages"],
  [],
  ["notifications"],
  ["admin:repo_hook", "repo:status", "user"],
];

export interface ApplicationName {
  readonly name: string;
  readonly url: string;
}

/** The name and address of the application with this index, from 0. */
export function nameApplication(index: number): ApplicationName {
  const number = index + 1;
  return {
    name: applicationNames[index] ?? `Application ${number}`,
    url: `https://app-${number}.example.com/`,
  };
}

/** A note for the personal token with this index, different for each. */
export function notePersonalToken(index: number): string {
  return personalNotes[index] ?? `personal token ${index + 1}`;
}

/** A note for a token of an application, or none. */
export function noteApplicationToken(index: number): string | null {
  return applicationNotes[index % applicationNotes.length] ?? null;
}

/** The scopes of the thing of this number; always the same. */
export function chooseScopes(index: number): readonly string[] {
  return scopeSets[index % scopeSets.length] ?? [];
}
