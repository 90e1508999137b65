// A dry run of a command that changes tokens ends with the code, the rows and the proof of the run, for any mix of active and
// revoked tokens.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { test } from "../../support/grantctl.ts";

const gone = (at: number): string => `${at}${"e".repeat(39)}`;

for (const verb of ["revoke", "revoke-grant", "reset"])
  test.for(["A", "G", "AG", "GA", "GG", "A proven", "G proven", "AG proven", "GA proven", "GG proven"])(
    `token ${verb} of %s`,
    async (given, { grantctl, world, folder }) => {
      const { sandbox } = await world();
      const [proof = "", ...active] = sandbox.description.tokens.map(({ token }) => token);
      const [mix = "", isProven] = given.split(" ");
      const input = mix
        .split("")
        .map((kind, at) => `${kind === "A" ? active[0] : gone(at)}\n`)
        .join("");
      const file = join(folder, "active.txt");
      writeFileSync(file, proof, { mode: 0o600 });
      const words = `token ${verb} --yes --concurrency 1 ${isProven === undefined ? "" : `--proof-token-file ${file}`}`;
      const statuses = async (flags: string) => {
        const run = await grantctl(`${words} --json status,${verb === "reset" ? "token" : "id"} ${flags}`, {
          input,
        });
        const rows = JSON.parse(run.stdout) as readonly { readonly status: string }[];
        return { rows, outcome: [run.code, /verified: [^"\n]*/.exec(run.stderr)?.[0]] };
      };
      const dry = await statuses("--dry-run");
      const run = await statuses("");
      const planned = run.rows.map(({ status }) =>
        /^re(?:voked|set)$/.test(status) ? "would-change" : status,
      );
      expect(dry.outcome).toEqual(run.outcome);
      expect(dry.rows.map(({ status }) => status).toSorted()).toEqual(planned.toSorted());
    },
  );
