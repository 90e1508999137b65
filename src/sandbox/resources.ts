// What a token gives access to: the account, its organizations, issues and pull requests, and GraphQL.
//
// An organization that enforces single sign-on admits tokens of applications, and personal tokens
// that somebody approved for it, at the URL in the refusal. That URL cannot be guessed, so the form there needs no login.
import { hash } from "node:crypto";
import type { Context } from "hono";
import { html } from "hono/html";
import { found, page, readBody, refuse, userJson } from "./responses.ts";
import { membersOf, type Organization, organizations } from "./seed.ts";
import type { Env, Handler, Routes, World } from "./service.ts";
import type { Token } from "./store.ts";

/** Single sign-on: who is admitted to an organization, and the form that approves a token for it. */
function createSso({ store, baseUrl, account, headerWord }: World) {
  const approved = new Set<string>();
  const ssoHeader = `X-${headerWord}-SSO`;

  /** What somebody who has the URL of the form knows. */
  const keyOf = (token: Token, { id }: Organization): string =>
    hash("sha256", `${account.password} ${token.id} ${id}`);

  function isAdmitted(token: Token | null, organization: Organization): boolean {
    if (!organization.enforcesSso) return true;
    return token !== null && (token.application !== null || approved.has(keyOf(token, organization)));
  }

  /** Refuses before it says whether anything in the organization exists. */
  function admit(token: Token | null, login: string): Organization {
    const organization = findOrganization(login);
    if (isAdmitted(token, organization)) return organization;
    const message = "Resource protected by organization SAML enforcement.";
    if (token === null) throw refuse(403, `${message} Use a token in place of the password.`);
    const query = `token=${token.id}&authorization_request=${keyOf(token, organization)}`;
    throw refuse(403, `${message} You must grant your personal token access to this organization.`, {
      [ssoHeader]: `required; url=${baseUrl}/orgs/${organization.login}/sso?${query}`,
    });
  }

  /** Names the organizations that are left out of a response, and returns the others. */
  function admitted(c: Context<Env>): readonly Organization[] {
    const omitted = organizations.filter((one) => !isAdmitted(c.get("token"), one));
    const ids = omitted.map(({ id }) => id).join(",");
    if (ids !== "") c.header(ssoHeader, `partial-results; organizations=${ids}`);
    return organizations.filter((one) => !omitted.includes(one));
  }

  /** The form to approve a token (GET), and its answer (POST). */
  const form: Handler = (c) => {
    const organization = findOrganization(c.req.param("org") ?? "");
    const token = found(store.token(Number(c.req.query("token"))));
    const key = keyOf(token, organization);
    found(key === c.req.query("authorization_request"));
    c.header("Content-Security-Policy", "default-src 'none'; form-action 'self'; frame-ancestors 'none'");
    if (c.req.method === "POST") {
      approved.add(key);
      return c.html("<p>Approved. You can close this page, and run your command again.</p>");
    }
    return c.html(
      html`<!doctype html>
        <html lang="en">
          <title>grantctl sandbox</title>
          <h1>Approve a token for ${organization.login}?</h1>
          <p>
            The token <b>${token.note}</b> of ${account.login}, which ends in <code>${token.lastEight}</code>,
            with the scopes: ${token.scopes.join(", ") || "none"}.
          </p>
          <form method="post"><button>Approve</button></form>
        </html>`,
    );
  };

  return { admit, admitted, form };
}

export function resourceRoutes(world: World) {
  const { baseUrl, account } = world;
  const { admit, admitted, form } = createSso(world);
  const user = userJson(world, account);

  const issueJson = ({ login, id }: Organization): object => ({
    id,
    number: 1,
    title: `Document the release of ${login}`,
    state: "open",
    user,
    repository_url: `${baseUrl}/repos/${login}/docs`,
  });

  /** Any repository of an organization exists, and has one pull request, whose commits, reviews and comments are one each. */
  const one =
    (toJson: (organization: Organization) => object): Handler =>
    (c) => {
      const organization = admit(c.get("token"), c.req.param("owner") ?? "");
      found((c.req.param("number") ?? "1") === "1");
      return c.json(toJson(organization));
    };
  const graphql: Handler = async (c) => {
    const { answerQuery } = await import("./graphql.ts");
    admitted(c);
    return c.json(answerQuery(readBody(c), account));
  };

  const ofAnybody: Routes = { "GET /orgs/:org/sso": form, "POST /orgs/:org/sso": form };
  const ofTokenOwner: Routes = {
    "GET /user": (c) => c.json(user),
    "GET /user/issues": (c) => page(c, world, admitted(c), issueJson),
    "GET /orgs/:org/members": (c) => {
      const members = membersOf(admit(c.get("token"), c.req.param("org") ?? ""), account);
      return page(c, world, members, (person) => userJson(world, person));
    },
    "GET /repos/:owner/:repo/pulls": one((organization) => [issueJson(organization)]),
    "GET /repos/:owner/:repo/pulls/:number": one(issueJson),
    "GET /repos/:owner/:repo/pulls/:number/commits": one(() => [
      { sha: "c0ffee".repeat(7).slice(2), commit: { message: "Document the release" } },
    ]),
    "GET /repos/:owner/:repo/issues/:number/comments": one(() => [
      { id: 1, user, body: "Who reviews this?" },
    ]),
    "GET /repos/:owner/:repo/pulls/:number/reviews": one(() => [
      { id: 1, user, body: "Fine.", state: "APPROVED" },
    ]),
    "POST /graphql": graphql,
    "POST /api/graphql": graphql,
  };
  return { ofAnybody, ofTokenOwner };
}

function findOrganization(login: string): Organization {
  return found(organizations.find((one) => one.login === login.toLowerCase()));
}
