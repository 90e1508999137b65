// Repositories, and their issues and pull requests, which are generated from the repository and their number.
//
// One repository is the account's own, and each organization has one. Issues and pull requests share their numbers:
// even ones are pull requests, odd ones are issues that are assigned to the account, and every third is closed.
// Nothing of this is stored. An ID holds the repository's ID and the number, so that both can be found from it. Who may see
// an object is not checked here.
import { type Person, personAt } from "./organizations.ts";

export interface Repository {
  readonly id: number;
  readonly name: string;
  /** The login of the organization, or null for one of the account's own. */
  readonly organization: string | null;
  /** The highest number: issues and pull requests are numbered together, from 1. */
  readonly lastNumber: number;
}

/** All of them, by ascending ID. */
export const repositories: readonly Repository[] = [
  { id: 81001, name: "logbook", organization: null, lastNumber: 9 },
  { id: 81002, name: "pier", organization: "harbourworks", lastNumber: 96 },
  { id: 81003, name: "search", organization: "lanternfish", lastNumber: 12 },
  { id: 81004, name: "ci", organization: "tidewatch", lastNumber: 7 },
];

/** The repository with this ID; who may see it is not checked here. */
export function findRepository(id: number): Repository | undefined {
  return repositories.find((repository) => repository.id === id);
}

/** An issue or a pull request. Times are seconds since the epoch. */
export interface Issue {
  readonly id: number;
  readonly number: number;
  readonly repository: Repository;
  readonly isPull: boolean;
  readonly isAssigned: boolean;
  readonly state: "open" | "closed";
  readonly title: string;
  readonly body: string;
  readonly author: Person;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly closedAt: number | null;
}

const pullTitles = ["Speed up", "Document", "Rewrite", "Test", "Retire"];
const issueTitles = ["Explain", "Mend", "Measure", "Rename", "Décrire"];
const subjects = [
  "the index after a restart",
  "names with accents (é, ñ, 漢字)",
  "time zones in reports",
  "the import of old notes",
  "retries when the network is away",
  "the empty list",
  "error messages",
];
const firstDay = Date.UTC(2024, 2, 4, 9) / 1000;
const day = 24 * 3600;
/** Leaves room for every number of a repository. */
const idsOfRepository = 100;

/** The issue or pull request with this number, or undefined when there is none. */
export function issueAt(repository: Repository, number: number, account: Person): Issue | undefined {
  if (!Number.isInteger(number) || number < 1 || number > repository.lastNumber) return undefined;
  const isPull = number % 2 === 0;
  const isClosed = number % 3 === 0;
  const titles = isPull ? pullTitles : issueTitles;
  const subject = subjects[(number + repository.id) % subjects.length] ?? "";
  const createdAt = firstDay + number * 3 * day + (repository.id % 24) * 3600;
  const closedAt = isClosed ? createdAt + 2 * day : null;
  return {
    id: repository.id * idsOfRepository + number,
    number,
    repository,
    isPull,
    isAssigned: !isPull,
    state: isClosed ? "closed" : "open",
    title: `${titles[number % titles.length] ?? ""} ${subject}`,
    body: `Something about ${subject}.`,
    author: number % 4 === 0 ? { id: account.id, login: account.login } : personAt(number % 5),
    createdAt,
    updatedAt: closedAt ?? createdAt + (number % 7) * 3600,
    closedAt,
  };
}

/** All of a repository, the newest first. */
export function issuesOf(repository: Repository, account: Person): readonly Issue[] {
  return Array.from({ length: repository.lastNumber }, (_, index) =>
    issueAt(repository, repository.lastNumber - index, account),
  ).filter((issue) => issue !== undefined);
}

/** The repository and the number in an ID. */
export function splitIssueId(id: number): { readonly repositoryId: number; readonly number: number } {
  return { repositoryId: Math.floor(id / idsOfRepository), number: id % idsOfRepository };
}
