// `grantctl token revoke-grant`: revokes the grant behind a token at the grant endpoint.
import { expect, test } from "vitest";
import { credentials, startRecordingServer } from "../../support/recording-server.ts";
import { tokenValue } from "../../support/resources.ts";

const first = tokenValue(1);

test("sends DELETE to the grant endpoint, not to the token endpoint", async () => {
  const server = await startRecordingServer(() => ({ status: 204 }));
  const run = await server.run(["token", "revoke-grant", "--yes"], { input: first });
  expect(run).toEqual({ code: 0, stdout: `revoked\t${first.slice(-8)}\n`, stderr: "" });
  expect(server.lines()).toEqual([`DELETE /applications/${credentials.clientId}/grants/${first}`]);
});
