// Verbs of other programs that mean the same as a verb of ours.
const groups: readonly (readonly string[])[] = [
  ["view", "show", "get", "info", "status", "describe"],
  ["create", "new", "add"],
  ["delete", "remove", "del", "rm", "revoke", "forget", "unset"],
  ["update", "edit", "set", "change", "modify"],
  ["list", "ls", "all"],
  ["start", "run", "serve", "up"],
];

/** The group of synonyms that a verb belongs to, itself included; empty where it has none. */
export function verbSynonyms(verb: string): readonly string[] {
  return groups.find((group) => group.includes(verb)) ?? [];
}
