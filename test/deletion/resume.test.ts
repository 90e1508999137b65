// The journal of a deletion contains the IDs, so --resume needs no input, even if the list has changed.
import { describe, expect, test } from "vitest";
import { startRecordingServer, type RecordingServer } from "../support/recording-server.ts";
import { makeStateFolder } from "../support/state-folder.ts";
import { runMain, type World, typing } from "../support/test-host.ts";

const ids = Array.from({ length: 15 }, (_, index) => String(index + 1));

function deleted(server: RecordingServer): readonly string[] {
  return server.lines().flatMap((line) => /^DELETE .*\/(\d+)$/.exec(line)?.[1] ?? []);
}

describe.each(["grant", "authorization"])("%s delete", (noun) => {
  /** A deletion that is interrupted after the third item. */
  async function interrupted(words: readonly string[], input?: string) {
    let left = 3;
    const server = await startRecordingServer(({ method }) => {
      if (method === "GET") return { status: 200, body: [] };
      left -= 1;
      return left < 0 ? { status: 401 } : { status: 204 };
    });
    const state = makeStateFolder();
    const environment = { ...server.environment, ...state.environment };
    const world: World = { environment, ...(input === undefined ? {} : { input }) };
    const run = await runMain([noun, "delete", ...words, "--yes", "--concurrency", "1"], world);
    const line = /`grantctl (\S+ delete .*--resume \S+)`/.exec(run.stderr)?.[1] ?? "none";
    left = 100;
    return { server, state, environment, run, words: line.split(" ") };
  }

  const text = `${ids.join("\n")}\n`;

  test.each([
    ["IDs on standard input", ["-"], text],
    ["IDs as arguments", ids, undefined],
  ])("resumes a deletion of %s with the printed hint and without input", async (_, given, input) => {
    const { server, state, environment, words } = await interrupted(given, input);
    expect(words).not.toContain("-");
    const before = deleted(server);
    // Their number is to be typed, unless the first command line named them.
    const { world, shown } = typing(given.length === 1 ? "12\n" : "y\n");
    const asked = words.filter((word) => word !== "--yes");
    expect((await runMain(asked, { environment, ...world })).code).toBe(0);
    expect(shown().includes("Type 12 to confirm")).toBe(given.length === 1);
    const after = deleted(server).slice(before.length);
    // The fourth was rejected, so it is sent again; the first three are not.
    expect(after.filter((id) => before.slice(0, 3).includes(id))).toEqual([]);
    const all = new Set([...before, ...after]);
    expect(all.size).toBe(ids.length);
    expect(state.ids()).toEqual([]);
  });

  test("takes the items of the job from a changed list, and keeps the record for the others", async () => {
    const { environment, words, state, server } = await interrupted(["-"], text);
    const other = [...words.slice(0, 2), "-", ...words.slice(2)];
    const before = deleted(server);
    const run = await runMain(other, { environment, input: "9\n10\n99\n" });
    expect([run.code, deleted(server).slice(before.length)]).toEqual([9, ["9", "10"]]);
    expect(run.stderr).toContain("5 deleted, 10 not tried");
    const none = await runMain(other, { environment, input: "99\n" });
    expect([none.code, none.stderr]).toEqual([2, expect.stringContaining("Leave out the IDs")]);
    expect((await runMain(words, { environment })).code).toBe(0);
    expect(state.ids()).toEqual([]);
  });

  test.each([["--dry-run"], ["--yes"]])("exits with 2 before reads, %s as another account", async (flag) => {
    const { server, environment, words } = await interrupted(["-"], text);
    const sent = server.lines().length;
    const resume = words.filter((word) => word !== "--yes");
    const other = { ...environment, GRANTCTL_USERNAME: "somebody-else" };
    const run = await runMain([...resume, flag], { environment: other, columns: 80 });
    expect([run.code, server.lines().length]).toEqual([2, sent]);
    expect(run.stderr).toContain("another account");
  });
});
