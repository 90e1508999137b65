// Current releases of Octokit, unmodified, against the sandbox as an Enterprise Server and as github.com.
import { checkToken, deleteAuthorization, deleteToken, resetToken } from "@octokit/oauth-methods";
import { Octokit } from "@octokit/rest";
import { expect, test } from "vitest";
import { openAccount } from "../support/account.ts";

test.each(["github", "github.com"] as const)(
  "@octokit/oauth-methods checks, resets and deletes tokens at %s",
  async (serverType) => {
    const { sandbox } = await openAccount({ serverType, headerWord: "GitHub" });
    const { base_url: baseUrl, client_id, client_secret, tokens } = sandbox.description;
    const { request } = new Octokit({ baseUrl });
    const application = {
      clientType: "oauth-app",
      clientId: client_id,
      clientSecret: client_secret,
      request,
    } as const;
    const [first = "", second = "", third = ""] = tokens.map(({ token }) => token);

    const checked = await checkToken({ ...application, token: first });
    expect(checked.data).toMatchObject({ token: first, user: { login: "octavia" } });
    const reset = await resetToken({ ...application, token: first });
    expect(reset.data.token).not.toBe(first);
    await expect(checkToken({ ...application, token: first })).rejects.toMatchObject({ status: 404 });
    expect((await deleteToken({ ...application, token: second })).status).toBe(204);
    await expect(checkToken({ ...application, token: second })).rejects.toMatchObject({ status: 404 });
    const last = third === "" ? reset.data.token : third;
    expect((await deleteAuthorization({ ...application, token: last })).status).toBe(204);
    await expect(checkToken({ ...application, token: reset.data.token })).rejects.toMatchObject({
      status: 404,
    });
    await sandbox.close();
  },
);

test("@octokit/rest works with a token and with an application's credentials", async () => {
  const { sandbox } = await openAccount({ serverType: "github", headerWord: "GitHub" });
  const { base_url: baseUrl, client_id, tokens } = sandbox.description;
  const token = tokens[0]?.token ?? "";
  const octokit = new Octokit({ baseUrl, auth: token });
  const user = await octokit.rest.users.getAuthenticated();
  expect(user.data.login).toBe("octavia");
  expect(user.headers["x-oauth-client-id"]).toBe(client_id);
  const meta = await octokit.rest.meta.get();
  expect(meta.data).toMatchObject({ installed_version: "3.19.2" });
  const issues = await octokit.paginate(octokit.rest.issues.listForAuthenticatedUser, { per_page: 2 });
  expect(issues.length).toBeGreaterThan(2);
  await sandbox.close();
});
