// Repositories with their issues and pull requests, which are generated from the repository and a number.
//
// One repository is the account's own, and each organization has one. Issues and pull requests share a sequence of
// numbers: even ones are pull requests, odd ones are issues assigned to the account, and every third is closed. Nothing
// is stored. An ID contains the repository's ID and the number. This module does not check who may see an object.
import { type Person, personAt } from "./organizations.ts";

export interface Repository {
  readonly id: number;
  readonly name: string;
  /** The login of the organization; null for the account's own repository. */
  readonly organization: string | null;
  /** The highest number of an issue or pull request; the lowest is 1. */
  readonly lastNumber: number;
}

/** By ascending ID. */
export const repositories: readonly Repository[] = [
  { id: 81001, name: "logbook", organization: null, lastNumber: 9 },
  { id: 81002, name: "pier", organization: "harbourworks", lastNumber: 96 },
  { id: 81003, name: "search", organization: "lanternfish", lastNumber: 12 },
  { id: 81004, name: "ci", organization: "tidewatch", lastNumber: 7 },
];

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
/** More than any repository's `lastNumber`. */
const idsPerRepository = 100;

export function issueAt(repository: Repository, number: number, account: Person): Issue | undefined {
  if (!Number.isInteger(number) || number < 1 || number > repository.lastNumber) return undefined;
  const isPull = number % 2 === 0;
  const isClosed = number % 3 === 0;
  const titles = isPull ? pullTitles : issueTitles;
  const subject = subjects[(number + repository.id) % subjects.length] ?? "";
  const createdAt = firstDay + number * 3 * day + (repository.id % 24) * 3600;
  const closedAt = isClosed ? createdAt + 2 * day : null;
  return {
    id: repository.id * idsPerRepository + number,
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

/** All issues and pull requests of a repository, newest first. */
export function issuesOf(repository: Repository, account: Person): readonly Issue[] {
  return Array.from({ length: repository.lastNumber }, (_, index) =>
    issueAt(repository, repository.lastNumber - index, account),
  ).filter((issue) => issue !== undefined);
}

export function splitIssueId(id: number): { readonly repositoryId: number; readonly number: number } {
  return { repositoryId: Math.floor(id / idsPerRepository), number: id % idsPerRepository };
}
