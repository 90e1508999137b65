// An answer that says that the service failed, with a new authorization in it all the same, as where something went wrong
// behind the change: its value is kept. Nothing else in the answer of a failure is taken for a value.
import { expect, test } from "vitest";
import { makings } from "../support/cut-answers.ts";
import { makeStateFolder } from "../support/state-folder.ts";
import { runMain } from "../support/test-host.ts";
import { startTruthService } from "../support/truth-service.ts";

interface Ending {
  readonly made: Awaited<ReturnType<typeof runMain>>;
  readonly shown: Awaited<ReturnType<typeof runMain>>;
  readonly value: string;
}

/** Makes a token whose answer is rewritten, and asks `recover` for it. */
async function makeAndRecover(
  name: keyof typeof makings,
  rewrite: (answer: string) => string,
): Promise<Ending> {
  const service = await startTruthService(({ operation }) =>
    operation === name
      ? { rewrite: (answer) => Buffer.from(rewrite(answer.toString("latin1")), "latin1") }
      : undefined,
  );
  const state = makeStateFolder();
  const { words, input } = makings[name](service, 1);
  const world = { environment: { ...service.environment, ...state.environment }, input };
  const made = await runMain(words, world);
  const shown = await runMain(["recover", "show", state.ids()[0] ?? "none"], world);
  return { made, shown, value: service.writes.at(-1)?.value ?? "none" };
}

const failed = (answer: string): string => answer.replace(/^HTTP\/1.1 \d+/, "HTTP/1.1 500");

test.each(Object.keys(makings) as readonly (keyof typeof makings)[])(
  "the value of %s is kept of a 500",
  async (name) => {
    const { made, shown, value } = await makeAndRecover(name, failed);
    expect(made).toMatchObject({ code: 13, stdout: "" });
    expect(made.stderr).toContain("grantctl recover show");
    expect(shown).toMatchObject({ code: 0, stdout: `${value}\n` });
  },
);

/** Of another token, and of the same length, so that the head of the answer still fits. */
const ofAnother = (answer: string): string =>
  failed(answer).replace(/("token_last_eight"\s*:\s*")[^"]{8}/, "$1zzzzzzzz");

test("what is only called a token is not taken for one", async () => {
  const { made, shown } = await makeAndRecover("create", ofAnother);
  expect(made.code).toBe(13);
  expect(shown).toMatchObject({ code: 13, stdout: "" });
});
