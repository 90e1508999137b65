// Which command is meant by words that name one. Leaves typing mistakes to commander, so that they are answered as
// everywhere else.
import { Command, type Command as AnyCommand } from "commander";
import { usageFailure } from "../../errors/errors.ts";

/**
 * The words of the command as help has them, aliases resolved. `known` are all that may be meant. Throws a usage failure
 * or commander's own error, with a suggestion.
 */
export function findCommand(words: readonly string[], known: readonly string[], program: AnyCommand): string {
  const plain = withoutAliases(words, program);
  if (known.includes(plain.join(" "))) return plain.join(" ");
  const [noun = ""] = plain;
  const verbs = known.filter((name) => name.startsWith(`${noun} `));
  if (plain.length === 1 && verbs.length > 0) {
    throw usageFailure(
      `${noun} is several commands`,
      verbs.map((name) => `grantctl schema ${name}`).join(", "),
    );
  }
  refuse(plain, known);
  throw usageFailure(`${plain.join(" ")} is no command`, "grantctl schema lists the commands that have one");
}

function withoutAliases(words: readonly string[], program: AnyCommand): readonly string[] {
  let level: AnyCommand | undefined = program;
  return words.map((word) => {
    level = level?.commands.find((command) => command.name() === word || command.aliases().includes(word));
    return level?.name() ?? word;
  });
}

/** Lets commander refuse the words: it knows what resembles them. */
function refuse(words: readonly string[], known: readonly string[]): void {
  const root = new Command("grantctl")
    .exitOverride()
    .helpCommand(false)
    .helpOption(false)
    .configureOutput({ outputError: () => undefined });
  const nouns = new Map<string, AnyCommand>();
  for (const [noun = "", verb] of known.map((name) => name.split(" "))) {
    const command = nouns.get(noun) ?? root.command(noun);
    nouns.set(noun, command);
    if (verb !== undefined) command.command(verb);
  }
  root.parse([...words], { from: "user" });
}
