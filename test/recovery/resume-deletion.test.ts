// The journal of a deletion (the verb is defined once, for both nouns) contains the IDs, so --resume needs no input, even if the list has changed.
import { expect } from "vitest";
import { test as base } from "../support/grantctl.ts";
import { json, on, plain, type Server } from "../support/serve.ts";
import { makeStateFolder, type StateFolder } from "../support/state-folder.ts";
import { typing } from "../support/test-host.ts";

const ids = Array.from({ length: 15 }, (_, index) => String(index + 1));
const text = `${ids.join("\n")}\n`;

interface Interrupted {
  readonly server: Server;
  readonly state: StateFolder;
  /** The command line that continues. */
  readonly words: readonly string[];
}

/** `interrupt` begins a deletion, which is interrupted after the third item. */
const test = base.extend<{ interrupt: (words?: readonly string[]) => Promise<Interrupted> }>({
  interrupt: async ({ serve, environment, grantctl }, use) =>
    use(async (words = ["-"]) => {
      let left = 3;
      const server = await serve(
        on("GET /*", json(200, [])),
        on("DELETE /*", () => plain((left -= 1) < 0 ? 401 : 204)),
      );
      const state = makeStateFolder();
      Object.assign(environment, state.environment);
      const input = words.includes("-") ? text : "";
      const run = await grantctl(["grant", "delete", ...words, "--yes", "--concurrency", "1"], { input });
      const line = /`grantctl (\S+ delete .*--resume \S+)`/.exec(run.stderr)?.[1] ?? "none";
      left = 100;
      return { server, state, words: line.split(" ") };
    }),
});

function deleted(server: Server): readonly string[] {
  return server.lines().flatMap((line) => /^DELETE .*\/(\d+)$/.exec(line)?.[1] ?? []);
}

test.for([
  ["IDs on standard input", ["-"]],
  ["IDs as arguments", ids],
] as const)(
  "resumes a deletion of %s with the printed hint and without input",
  async ([, given], { interrupt, grantctl }) => {
    const { server, state, words } = await interrupt(given);
    expect(words).not.toContain("-");
    const before = deleted(server);
    // Their number is to be typed, unless the first command line named them.
    const { world, shown } = typing(given.length === 1 ? "12\n" : "y\n");
    const asked = words.filter((word) => word !== "--yes");
    expect((await grantctl(asked, { world })).code).toBe(0);
    expect(shown().includes("Type 12 to confirm")).toBe(given.length === 1);
    const after = deleted(server).slice(before.length);
    // The fourth was rejected, so it is sent again; the first three are not.
    expect(after.filter((id) => before.slice(0, 3).includes(id))).toEqual([]);
    const all = new Set([...before, ...after]);
    expect(all.size).toBe(ids.length);
    expect(state.ids()).toEqual([]);
  },
);

test("takes the items of the job from a changed list, and keeps the record for the others", async ({
  interrupt,
  grantctl,
}) => {
  const { words, state, server } = await interrupt();
  const other = [...words.slice(0, 2), "-", ...words.slice(2)];
  const before = deleted(server);
  const run = await grantctl(other, { input: "9\n10\n99\n" });
  expect([run.code, deleted(server).slice(before.length)]).toEqual([9, ["9", "10"]]);
  expect(run.stderr).toContain("5 deleted, 10 not tried");
  const none = await grantctl(other, { input: "99\n" });
  expect([none.code, none.stderr]).toEqual([2, expect.stringContaining("Leave out the IDs")]);
  expect((await grantctl(words)).code).toBe(0);
  expect(state.ids()).toEqual([]);
});

test.for(["--dry-run", "--yes"])(
  "exits with 2 before reads, %s as another account",
  async (flag, { interrupt, grantctl }) => {
    const { server, words } = await interrupt();
    const sent = server.lines().length;
    const resume = [...words.filter((word) => word !== "--yes"), flag];
    const run = await grantctl(resume, { environment: { GRANTCTL_USERNAME: "somebody-else" }, columns: 80 });
    expect([run.code, server.lines().length]).toEqual([2, sent]);
    expect(run.stderr).toContain("another account");
  },
);
