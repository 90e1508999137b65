// `GET /user/issues`, which spans the account and its organizations, and the comments of an issue or a pull request.
import { issuesOf, type Issue } from "../fixtures/issues.ts";
import type { Answer } from "../http/answer.ts";
import { route, type Call, type Route } from "../http/routes.ts";
import type { TokenCaller } from "../identity/authentication.ts";
import { countComments, listComments } from "./discussions.ts";
import { representComment, representIssue } from "./issue-representations.ts";
import { inOrder, timeKeys } from "./issue-order.ts";
import { answerPage, listOf } from "./list-page.ts";
import { createProtectedResources } from "./protected-resources.ts";
import type { HandlerOptions } from "./handler-options.ts";

/** The routes of issues, for any caller who has proven an account. */
export function createIssueRoutes(options: HandlerOptions): readonly Route<TokenCaller>[] {
  const { store, baseUrl, singleSignOn } = options;
  const resources = createProtectedResources(options);

  function listAssigned({ caller, request }: Call<TokenCaller>): Answer {
    const { repositories, leftOut } = resources.visible(caller);
    const addresses = { baseUrl, account: caller.account };
    const assigned = repositories
      .flatMap((repository) => issuesOf(repository, caller.account))
      .filter((issue) => issue.isAssigned && hasState(issue, request.query));
    const keys = { ...timeKeys, comments: (issue: Issue) => countComments(store, issue) };
    const answer = answerPage(
      options,
      request,
      listOf(inOrder(assigned, request.query, keys, "desc"), (issue) =>
        representIssue(addresses, issue, countComments(store, issue)),
      ),
    );
    return { ...answer, headers: { ...answer.headers, ...singleSignOn.describePartialResults(leftOut) } };
  }

  function answerComments({ caller, request, variables }: Call<TokenCaller>): Answer {
    const { owner = "", repo = "", number = "" } = variables;
    const issue = resources.issue(caller, owner, repo, number);
    const addresses = { baseUrl, account: caller.account };
    return answerPage(options, request, {
      count: () => countComments(store, issue),
      list: (limit, offset) => listComments(store, issue, limit, offset),
      represent: (comment) => representComment(addresses, issue, comment),
    });
  }

  return [
    route("GET /user/issues", listAssigned),
    route("GET /repos/:owner/:repo/issues/:number/comments", answerComments),
  ];
}

/** Whether it is of the state that a query asks for: open unless it says closed or all. */
export function hasState({ state }: Issue, query: string): boolean {
  const wanted = new URLSearchParams(query).get("state");
  return wanted === "all" || state === (wanted === "closed" ? "closed" : "open");
}
