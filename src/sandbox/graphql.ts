// The GraphQL API (v4) in small: enough to try queries, variables, pages, a mutation, node IDs and the format of errors.
import { buildSchema, graphqlSync, type ExecutionResult } from "graphql";
import { type Body, nodeId, type Person, Refusal, refuse } from "./responses.ts";
import { membersOf, type Organization, organizations } from "./seed.ts";

const schema = buildSchema(`
  interface Node { id: ID! }
  type Query { viewer: User!  node(id: ID!): Node  organization(login: String!): Organization }
  type Mutation { changeUserStatus(input: ChangeUserStatusInput!): ChangeUserStatusPayload }
  input ChangeUserStatusInput { message: String!  clientMutationId: String }
  type ChangeUserStatusPayload { status: UserStatus!  clientMutationId: String }
  type UserStatus { message: String! }
  type User implements Node { id: ID!  databaseId: Int!  login: String! }
  type Organization implements Node {
    id: ID!  databaseId: Int!  login: String!
    members(first: Int!, after: String): UserConnection!
  }
  type UserConnection { nodes: [User!]!  totalCount: Int!  pageInfo: PageInfo! }
  type PageInfo { hasNextPage: Boolean!  endCursor: String }
`);

interface Access {
  readonly account: Person;
  /** Throws a Refusal if there is none with this name, or it does not admit the token. */
  readonly organization: (login: string) => Organization;
}

function userNode({ id, login }: Person): object {
  return { __typename: "User", id: nodeId("User", id), databaseId: id, login };
}

export function answerQuery(body: Body, { account, organization }: Access): ExecutionResult {
  const { query, variables, operationName } = body;
  if (typeof query !== "string") throw refuse(400, "A query attribute must be a string.");
  const members =
    (of: Organization) =>
    ({ first, after }: { readonly first: number; readonly after?: string | null }): object => {
      const all = membersOf(of, account);
      const start = Number(atob(after ?? ""));
      const nodes = all.slice(start, start + Math.min(first, 100));
      const end = start + nodes.length;
      const pageInfo = {
        hasNextPage: end < all.length,
        endCursor: nodes.length === 0 ? null : btoa(`${end}`),
      };
      return { nodes: nodes.map((person) => userNode(person)), totalCount: all.length, pageInfo };
    };
  const organizationOf = (login: string): object => {
    const one = withMessage(() => organization(login));
    const ids = { id: nodeId("Organization", one.id), databaseId: one.id };
    return { __typename: "Organization", ...ids, login: one.login, members: members(one) };
  };
  const { data = null, errors } = graphqlSync({
    schema,
    source: query,
    rootValue: {
      viewer: () => userNode(account),
      organization: ({ login }: { login: string }) => organizationOf(login),
      node: ({ id }: { id: string }) => {
        const one = organizations.find((each) => nodeId("Organization", each.id) === id);
        if (one !== undefined) return organizationOf(one.login);
        const people = organizations.flatMap((each) => membersOf(each, account));
        const person = people.find((each) => nodeId("User", each.id) === id);
        if (person === undefined)
          throw new Error(`Could not resolve to a node with the global id of '${id}'`);
        return userNode(person);
      },
      changeUserStatus: ({ input: { message, clientMutationId } }: StatusArguments) => ({
        status: { message },
        clientMutationId,
      }),
    },
    variableValues: (variables ?? null) as Record<string, unknown> | null,
    operationName: (operationName ?? null) as string | null,
  });
  return errors === undefined ? { data } : { data, errors };
}

interface StatusArguments {
  readonly input: { readonly message: string; readonly clientMutationId?: string };
}

/** A refusal becomes an error of GraphQL, with its message. */
function withMessage<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof Refusal && "message" in error.body)
      throw new Error(String(error.body.message), { cause: error });
    throw error;
  }
}
