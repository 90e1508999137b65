// Verbs that other programs have for what a noun's own verb does.
const groups: readonly (readonly string[])[] = [
  ["view", "show", "get", "info", "status", "describe"],
  ["create", "new", "add"],
  ["delete", "remove", "del", "rm", "revoke", "forget", "unset"],
  ["update", "edit", "set", "change", "modify"],
  ["list", "ls", "all"],
  ["start", "run", "serve", "up"],
];

/** The verbs that may be meant by this one, which is among them; none where it has no like. */
export function sameVerbs(verb: string): readonly string[] {
  return groups.find((group) => group.includes(verb)) ?? [];
}
