// The fields of Query and Mutation, for one caller. Objects of an organization pass the same check as over REST.
import { GraphQLError } from "graphql";
import { countComments, writeComment } from "../handlers/discussions.ts";
import { createProtectedResources } from "../handlers/protected-resources.ts";
import type { HandlerOptions } from "../handlers/handler-options.ts";
import { Refusal } from "../http/answer.ts";
import type { TokenCaller } from "../identity/authentication.ts";
import type { Organization } from "../fixtures/organizations.ts";
import { createCursor } from "./connections.ts";
import { createFields } from "./fields.ts";
import { createNodes } from "./nodes.ts";
import type { Fields } from "./repository-fields.ts";

interface CommentInput {
  readonly subjectId: string;
  readonly body: string;
  readonly clientMutationId?: string | null;
}

const writingScopes = ["repo", "public_repo"];

/** The root of an operation. `onLeftOut` is called with the organizations that were left out of a list. */
export function createOperations(
  options: HandlerOptions,
  caller: TokenCaller,
  onLeftOut: (organizations: readonly Organization[]) => void,
): Fields {
  const { store, baseUrl, nowInSeconds, rateLimit } = options;
  const { account, authorization } = caller;
  const resources = createProtectedResources(options);
  const addresses = { baseUrl, account };
  const fieldsOf = createFields({ store, resources, addresses, caller, onLeftOut });

  const nodes = createNodes({ store, resources, caller, fieldsOf });

  function findNode(id: string): Fields {
    const node = nodes.find(id);
    if (node !== undefined) return node;
    throw new GraphQLError(`Could not resolve to a node with the global id of ${JSON.stringify(id)}.`);
  }

  function addComment({ subjectId, body, clientMutationId }: CommentInput): Fields {
    if (authorization !== null && !authorization.scopes.some((scope) => writingScopes.includes(scope))) {
      throw new GraphQLError(
        `Your token has not been granted the required scopes: "addComment" takes one of ${writingScopes.join(", ")}.`,
      );
    }
    const subject = findNode(subjectId);
    const issue = nodes.findIssue(subjectId);
    if (issue === undefined) throw new GraphQLError("A comment is on an issue or a pull request.");
    if (body.trim() === "") throw new GraphQLError("A comment cannot be blank.");
    const comment = store.transaction(() => writeComment(store, issue, account, body, nowInSeconds()));
    return {
      clientMutationId,
      subject,
      commentEdge: { cursor: createCursor(countComments(store, issue)), node: fieldsOf.comment(comment) },
    };
  }

  return {
    viewer: () => fieldsOf.user(account),
    rateLimit: () => {
      const { limit, remaining, resetAt } = rateLimit.foresee();
      return { limit, cost: 1, remaining, used: limit - remaining, resetAt };
    },
    node: ({ id }: { id: string }) => findNode(id),
    organization: ({ login }: { login: string }) =>
      orMissing(`an Organization with the login of ${JSON.stringify(login)}`, () =>
        fieldsOf.organization(resources.organization(caller, login)),
      ),
    repository: ({ owner, name }: { owner: string; name: string }) =>
      orMissing(`a Repository with the name ${JSON.stringify(`${owner}/${name}`)}`, () =>
        fieldsOf.repository(resources.repository(caller, owner, name)),
      ),
    addComment: ({ input }: { input: CommentInput }) => addComment(input),
  };
}

/** The object that `find` returns; where it throws the Refusal for a 404, throws an error that names the object. */
function orMissing(what: string, find: () => Fields): Fields {
  try {
    return find();
  } catch (error) {
    if (!(error instanceof Refusal) || error.answer.status !== 404) throw error;
    throw new GraphQLError(`Could not resolve to ${what}.`);
  }
}
