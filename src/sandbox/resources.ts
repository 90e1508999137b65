// What a token gives access to: the account, its organizations, issues and pull requests, and GraphQL.
//
// An organization that enforces single sign-on (the specification, 5.5) admits tokens of applications, and personal tokens
// that somebody approved for it, at the URL in the refusal. That URL cannot be guessed, so the form there needs no login.
import { randomUUID } from "node:crypto";
import type { Context } from "hono";
import { html } from "hono/html";
import { found, isoTime, nodeId, page, type Person, readBody, refuse, userJson } from "./responses.ts";
import { membersOf, type Organization, organizations } from "./seed.ts";
import type { Env, World } from "./service.ts";
import type { Token } from "./store.ts";

export function resourceHandlers(world: World) {
  const { store, baseUrl, account, headerWord } = world;
  const requests = new Map<string, { readonly token: Token; readonly organization: Organization }>();
  const ssoHeader = `X-${headerWord}-SSO`;

  function isAdmitted(token: Token | null, { id, enforcesSso }: Organization): boolean {
    if (!enforcesSso) return true;
    return token !== null && (token.application !== null || store.isApproved(token, id));
  }

  /** Refuses before it says whether anything in the organization exists. */
  function admit(token: Token | null, login: string): Organization {
    const organization = found(organizations.find((one) => one.login === login.toLowerCase()));
    if (isAdmitted(token, organization)) return organization;
    const message = "Resource protected by organization SAML enforcement.";
    if (token === null) throw refuse(403, `${message} Use a token in place of the password.`);
    // The same URL again for a client that waits.
    const open = [...requests].find(([, one]) => one.token === token && one.organization === organization);
    const key = open?.[0] ?? randomUUID();
    requests.set(key, { token, organization });
    const url = `${baseUrl}/orgs/${organization.login}/sso?authorization_request=${key}`;
    throw refuse(403, `${message} You must grant your personal token access to this organization.`, {
      [ssoHeader]: `required; url=${url}`,
    });
  }

  /** Names the organizations that are left out of a response, and returns the others. */
  function admitted(c: Context<Env>): readonly Organization[] {
    const omitted = organizations.filter((one) => !isAdmitted(c.get("token"), one));
    const ids = omitted.map(({ id }) => id).join(",");
    if (ids !== "") c.header(ssoHeader, `partial-results; organizations=${ids}`);
    return organizations.filter((one) => !omitted.includes(one));
  }

  const issueJson = ({ login, id }: Organization, number: number): object => ({
    id: id * 1000 + number,
    node_id: nodeId("Issue", id * 1000 + number),
    number,
    title: `Document release ${number} of ${login}`,
    state: "open",
    user: userJson(world, account),
    created_at: isoTime(world.startedAt - number * 86_400),
    repository_url: `${baseUrl}/repos/${login}/docs`,
  });

  const pullJson = (organization: Organization): object => ({
    ...issueJson(organization, 1),
    head: { ref: "release-notes" },
    base: { ref: "main" },
  });

  const textJson = (kind: "IssueComment" | "PullRequestReview", body: string): object => ({
    id: 1,
    node_id: nodeId(kind, 1),
    user: userJson(world, account),
    body,
  });

  /** Any repository of an organization exists, and has one issue, a pull request. */
  const ofRepository =
    (toJson: (organization: Organization) => object) =>
    (c: Context<Env>): Response => {
      const organization = admit(c.get("token"), c.req.param("owner") ?? "");
      found((c.req.param("number") ?? "1") === "1" || null);
      const json = toJson(organization);
      return Array.isArray(json) ? page(c, world, json, (each) => each) : c.json(json);
    };

  return {
    root: (c: Context<Env>): Response => c.json({ current_user_url: `${baseUrl}/user` }),
    user: (c: Context<Env>): Response => c.json(userJson(world, account)),
    issues: (c: Context<Env>): Response => {
      const issues = admitted(c).flatMap((organization) =>
        Array.from({ length: organization.issues }, (_, index) => issueJson(organization, index + 1)),
      );
      return page(c, world, issues, (issue) => issue);
    },
    members: (c: Context<Env>): Response => {
      const members: readonly Person[] = membersOf(admit(c.get("token"), c.req.param("org") ?? ""), account);
      return page(c, world, members, (person) => userJson(world, person));
    },
    pulls: ofRepository((organization) => [pullJson(organization)]),
    pull: ofRepository(pullJson),
    commits: ofRepository(() => [
      { sha: "c0ffee".repeat(7).slice(2), commit: { message: "Document the release" } },
    ]),
    comments: ofRepository(() => [textJson("IssueComment", "Who reviews this?")]),
    reviews: ofRepository(() => [{ ...textJson("PullRequestReview", "Fine."), state: "APPROVED" }]),

    graphql: async (c: Context<Env>): Promise<Response> => {
      const body = readBody(c);
      const token = c.get("token");
      admitted(c);
      const { answerQuery } = await import("./graphql.ts");
      return c.json(answerQuery(body, { account, organization: (login) => admit(token, login) }));
    },

    /** The form to approve a token (GET), and its answer (POST). */
    approval: (c: Context<Env>): Response | Promise<Response> => {
      const key = c.req.query("authorization_request") ?? "";
      const { token, organization } = requests.get(key) ?? {};
      c.header("Content-Security-Policy", "default-src 'none'; form-action 'self'; frame-ancestors 'none'");
      if (organization === undefined || store.token(token?.id ?? 0) === undefined || token === undefined)
        return c.html(html`<p>This URL is not valid any more. Run your command again.</p>`, 404);
      if (c.req.method === "POST") {
        store.approve(token, organization.id);
        requests.delete(key);
        return c.html(html`<p>Approved. You can close this page, and run your command again.</p>`);
      }
      return c.html(
        html`<!doctype html>
          <html lang="en">
            <title>grantctl sandbox</title>
            <h1>Approve a token for ${organization.login}?</h1>
            <p>
              The token <b>${token.note ?? "without a note"}</b> of ${account.login}, which ends in
              <code>${token.lastEight}</code>, with the scopes: ${token.scopes.join(", ") || "none"}.
            </p>
            <form method="post"><button>Approve</button></form>
          </html>`,
      );
    },
  };
}
