// The verbs of `grantctl recover`, in the order that help lists them: a new one is a file of its own and a line here.
import type { Verbs } from "../../command-line/lazy-commands.ts";

export const recoverVerbs: Verbs = {
  list: async () => (await import("./list.ts")).defineList,
  show: async () => (await import("./show.ts")).defineShow,
  forget: async () => (await import("./forget.ts")).defineForget,
};
