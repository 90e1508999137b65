// The GraphQL API (v4) in miniature: enough to try queries, variables, node IDs and the format of errors.
import { buildSchema, type ExecutionResult, graphqlSync } from "graphql";
import { type Body, nodeId, type Person, refuse } from "./responses.ts";
import { membersOf, organizations } from "./seed.ts";

const schema = buildSchema(`
  interface Node { id: ID! }
  type Query { viewer: User!  node(id: ID!): Node }
  type User implements Node { id: ID!  databaseId: Int!  login: String! }
`);

function userNode({ id, login }: Person): object {
  return { __typename: "User", id: nodeId("User", id), databaseId: id, login };
}

export function answerQuery({ query, variables, operationName }: Body, account: Person): ExecutionResult {
  if (typeof query !== "string") throw refuse(400, "A query attribute must be a string.");
  const { data = null, errors } = graphqlSync({
    schema,
    source: query,
    rootValue: {
      viewer: userNode(account),
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
