// The verbs of `grantctl auth`, in the order that help lists them: a new one is a file of its own and a line here.
import type { Verbs } from "../../command-line/lazy-commands.ts";

export const authVerbs: Verbs = {
  login: async () => (await import("./login.ts")).defineLogin,
  logout: async () => (await import("./logout.ts")).defineLogout,
  status: async () => (await import("./status.ts")).defineStatus,
};
