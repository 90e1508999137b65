// Global node IDs (the specification, 9.2): `node_id` in REST answers, `id` in GraphQL. Opaque to clients; in the form
// that operators used first.

export type NodeType =
  | "User"
  | "Organization"
  | "Repository"
  | "Issue"
  | "PullRequest"
  | "IssueComment"
  | "PullRequestReview"
  | "Commit"
  | "Grant"
  | "Authorization";

/** The node ID of an object; `key` is unique among the objects of its type. */
export function createNodeId(type: NodeType, key: number | string): string {
  return Buffer.from(`0${type.length}:${type}${key}`).toString("base64");
}

/** What tells an object in GraphQL: its type and its IDs. */
export function identityOf<Type extends NodeType>(type: Type, id: number) {
  return { __typename: type, id: createNodeId(type, id), databaseId: id };
}

/** The type and key that a node id was made of, or null for anything else. */
export function parseNodeId(id: string): { readonly type: string; readonly key: string } | null {
  const text = Buffer.from(id, "base64").toString("latin1");
  const [, type = "", key = ""] = /^0\d{1,2}:([A-Za-z]+)(\d[0-9a-f:]*)$/.exec(text) ?? [];
  // Another text that decodes to the same bytes is no valid ID.
  return type !== "" && createNodeId(type as NodeType, key) === id ? { type, key } : null;
}
