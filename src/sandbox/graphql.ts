// The GraphQL API (v4) in small: enough to try queries, variables, pages, node IDs and the format of errors.
import { buildSchema, type ExecutionResult, graphqlSync } from "graphql";
import { type Body, nodeId, type Person, refuse } from "./responses.ts";
import { membersOf, type Organization, organizations } from "./seed.ts";

const schema = buildSchema(`
  interface Node { id: ID! }
  type Query { viewer: User!  node(id: ID!): Node  organization(login: String!): Organization }
  type User implements Node { id: ID!  databaseId: Int!  login: String! }
  type Organization { login: String!  members(first: Int!, after: String): UserConnection! }
  type UserConnection { nodes: [User!]!  pageInfo: PageInfo! }
  type PageInfo { hasNextPage: Boolean!  endCursor: String }
`);

type Page = Readonly<{ first: number; after?: string | null }>;

function userNode({ id, login }: Person): object {
  return { __typename: "User", id: nodeId("User", id), databaseId: id, login };
}

function membersPage(all: readonly Person[], { first, after }: Page): object {
  const start = Number(atob(after ?? ""));
  const end = Math.min(start + first, start + 100, all.length);
  return {
    nodes: all.slice(start, end).map((person) => userNode(person)),
    pageInfo: { hasNextPage: end < all.length, endCursor: btoa(`${end}`) },
  };
}

/** `admit` throws if the organization does not exist, or does not admit the token. */
export function answerQuery(
  { query, variables, operationName }: Body,
  account: Person,
  admit: (login: string) => Organization,
): ExecutionResult {
  if (typeof query !== "string") throw refuse(400, "A query attribute must be a string.");

  const { data = null, errors } = graphqlSync({
    schema,
    source: query,
    rootValue: {
      viewer: userNode(account),
      organization: ({ login }: { login: string }) => {
        const one = admit(login);
        return { login: one.login, members: (wanted: Page) => membersPage(membersOf(one, account), wanted) };
      },
      node: ({ id }: { id: string }) => {
        const people = organizations.flatMap((one) => membersOf(one, account));
        const person = people.find((one) => nodeId("User", one.id) === id);
        if (person !== undefined) return userNode(person);
        throw new Error(`Could not resolve to a node with the global id of '${id}'`);
      },
    },
    variableValues: (variables ?? null) as Record<string, unknown> | null,
    operationName: (operationName ?? null) as string | null,
  });
  return errors === undefined ? { data } : { data, errors };
}
