// Commands that people expect but that do not exist, each with the command to use instead.
const words: Readonly<Record<string, string>> = {
  "token list":
    "the service lists no application's tokens; those of the account: grantctl authorization list",
  "token rotate": "grantctl token reset gives a token a new value",
  "token create": "grantctl authorization create, or get-or-create for an application",
  "auth token": "no command shows a stored secret; where each comes from: grantctl auth status",
  whoami: "grantctl auth status",
  open: "nothing opens a browser: grantctl grant view and grantctl authorization view show addresses",
  browse: "nothing opens a browser: grantctl grant view and grantctl authorization view show addresses",
  upgrade: "npm installs newer ones: npm install --global grantctl@latest",
  alias: "there are no aliases of grantctl's own: a shell has them",
};

/** The hint for such a command, as in `token list`; null for any other. */
export function absentCommand(command: string): string | null {
  return Object.hasOwn(words, command) ? (words[command] ?? null) : null;
}
