// Pull requests of a repository, with their commits and reviews.
import { commitsOf, reviewsOf } from "../fixtures/contributions.ts";
import { issuesOf, type Issue } from "../fixtures/issues.ts";
import { json, orNotFound } from "../http/answer.ts";
import { route, type Call, type Route } from "../http/routes.ts";
import type { TokenCaller } from "../identity/authentication.ts";
import { countComments } from "./discussions.ts";
import {
  representCommit,
  representPull,
  representReview,
  representWholePull,
  type Addresses,
} from "./issue-representations.ts";
import { inOrder, timeKeys } from "./issue-order.ts";
import { hasState } from "./issues.ts";
import { answerPage, listOf } from "./list-page.ts";
import { createProtectedResources } from "./protected-resources.ts";
import type { HandlerOptions } from "./handler-options.ts";

type PullCall = Call<TokenCaller>;

/** The routes of pull requests, for any caller who has proven an account. */
export function createPullRoutes(options: HandlerOptions): readonly Route<TokenCaller>[] {
  const { store, baseUrl } = options;
  const resources = createProtectedResources(options);

  const addressesOf = ({ caller }: PullCall): Addresses => ({ baseUrl, account: caller.account });

  function find({ caller, variables }: PullCall): Issue {
    const { owner = "", repo = "", number = "" } = variables;
    const pull = resources.issue(caller, owner, repo, number);
    return orNotFound(pull.isPull ? pull : undefined);
  }

  return [
    route("GET /repos/:owner/:repo/pulls", (call) => {
      const { owner = "", repo = "" } = call.variables;
      const repository = resources.repository(call.caller, owner, repo);
      const pulls = issuesOf(repository, call.caller.account).filter(
        (issue) => issue.isPull && hasState(issue, call.request.query),
      );
      const sorted = inOrder(pulls, call.request.query, timeKeys, "asc");
      const source = listOf(sorted, (pull) => representPull(addressesOf(call), pull));
      return answerPage(options, call.request, source);
    }),
    route("GET /repos/:owner/:repo/pulls/:number", (call) => {
      const pull = find(call);
      return json(
        200,
        representWholePull(addressesOf(call), pull, {
          comments: countComments(store, pull),
          commits: commitsOf(pull),
          reviews: reviewsOf(pull).length,
        }),
      );
    }),
    route("GET /repos/:owner/:repo/pulls/:number/commits", (call) => {
      const pull = find(call);
      const source = listOf(commitsOf(pull), (commit) => representCommit(addressesOf(call), pull, commit));
      return answerPage(options, call.request, source);
    }),
    route("GET /repos/:owner/:repo/pulls/:number/reviews", (call) => {
      const pull = find(call);
      const source = listOf(reviewsOf(pull), (review) => representReview(addressesOf(call), pull, review));
      return answerPage(options, call.request, source);
    }),
  ];
}
