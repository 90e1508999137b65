// The GraphQL schema (v4) in its definition language. The resolvers are in `fields.ts` and `operations.ts`.
//
// Lists are connections with the usual four arguments. Their types are generated from one template, and so are the
// types of issues and pull requests, which differ in a few fields.
//
// The schema contains no token value, and no mutation creates or deletes a token, because that requires the password
// (the specification, 5.1).

const connection = (type: string): string => `
type ${type}Connection {
  edges: [${type}Edge]
  nodes: [${type}]
  pageInfo: PageInfo!
  totalCount: Int!
}

type ${type}Edge {
  cursor: String!
  node: ${type}
}
`;

const issue = (type: string, more = ""): string => `
type ${type} implements Node {
  id: ID!
  databaseId: Int!
  number: Int!
  title: String!
  body: String!
  state: IssueState!
  url: URI!
  author: User!
  repository: Repository!
  createdAt: DateTime!
  comments(first: Int, after: String, last: Int, before: String): IssueCommentConnection!
${more}}
`;

const ofPullRequests = `  merged: Boolean!
  headRefOid: String!
  commits(first: Int, after: String, last: Int, before: String): CommitConnection!
  reviews(first: Int, after: String, last: Int, before: String): PullRequestReviewConnection!
`;

const connectedTypes = [
  "User",
  "Grant",
  "Authorization",
  "Organization",
  "Issue",
  "PullRequest",
  "IssueComment",
  "Commit",
  "PullRequestReview",
];

export const schemaText = `
"ISO 8601, in UTC"
scalar DateTime
scalar URI

"An object with a global id, which is node_id in REST responses"
interface Node {
  id: ID!
}

type PageInfo {
  startCursor: String
  endCursor: String
  hasNextPage: Boolean!
  hasPreviousPage: Boolean!
}

type Query {
  "The account behind the token"
  viewer: User!
  "The remaining rate limit after this query"
  rateLimit: RateLimit!
  node(id: ID!): Node
  organization(login: String!): Organization
  repository(owner: String!, name: String!): Repository
}

type RateLimit {
  limit: Int!
  cost: Int!
  remaining: Int!
  used: Int!
  resetAt: DateTime!
}

type User implements Node {
  id: ID!
  databaseId: Int!
  login: String!
  url: URI!
  "Applications that have access; for the viewer alone, as are the next three"
  grants(first: Int, after: String, last: Int, before: String): GrantConnection!
  authorizations(first: Int, after: String, last: Int, before: String): AuthorizationConnection!
  organizations(first: Int, after: String, last: Int, before: String): OrganizationConnection!
  "Open issues that are assigned to the viewer"
  issues(first: Int, after: String, last: Int, before: String): IssueConnection!
}

type App {
  name: String!
  url: URI!
  clientId: String!
}

type Grant implements Node {
  id: ID!
  databaseId: Int!
  app: App!
  scopes: [String!]!
  createdAt: DateTime!
  updatedAt: DateTime!
}

type Authorization implements Node {
  id: ID!
  databaseId: Int!
  "Null for a personal token"
  app: App
  note: String
  noteUrl: String
  fingerprint: String
  scopes: [String!]!
  tokenLastEight: String!
  createdAt: DateTime!
  updatedAt: DateTime!
}

type Organization implements Node {
  id: ID!
  databaseId: Int!
  login: String!
  name: String!
  "Whether personal tokens need an approval"
  enforcesSso: Boolean!
  members(first: Int, after: String, last: Int, before: String): UserConnection!
}

type Repository implements Node {
  id: ID!
  databaseId: Int!
  name: String!
  nameWithOwner: String!
  url: URI!
  issue(number: Int!): Issue
  pullRequest(number: Int!): PullRequest
  issues(first: Int, after: String, last: Int, before: String): IssueConnection!
  pullRequests(first: Int, after: String, last: Int, before: String): PullRequestConnection!
}

enum IssueState {
  OPEN
  CLOSED
}

type Commit implements Node {
  id: ID!
  oid: String!
  message: String!
  author: User!
  authoredDate: DateTime!
}

enum PullRequestReviewState {
  APPROVED
  CHANGES_REQUESTED
  COMMENTED
}

type PullRequestReview implements Node {
  id: ID!
  databaseId: Int!
  author: User!
  state: PullRequestReviewState!
  body: String!
  submittedAt: DateTime!
}

type IssueComment implements Node {
  id: ID!
  databaseId: Int!
  author: User!
  body: String!
  createdAt: DateTime!
}

type Mutation {
  "Adds a comment to an issue or a pull request; the token needs the scope repo or public_repo"
  addComment(input: AddCommentInput!): AddCommentPayload
}

input AddCommentInput {
  "The id of an issue or a pull request"
  subjectId: ID!
  body: String!
  clientMutationId: String
}

type AddCommentPayload {
  clientMutationId: String
  subject: Node!
  commentEdge: IssueCommentEdge!
}
${issue("Issue")}${issue("PullRequest", ofPullRequests)}
${connectedTypes.map(connection).join("")}
`;
