// The organizations of every sandbox, and their members.
//
// Nothing is stored. The account is a member of all three organizations: two enforce single sign-on, one does not. One
// has more members than fit on a page, and two have a few. Each person is generated from a number, so that IDs and
// names are the same in every sandbox.

export interface Person {
  readonly id: number;
  readonly login: string;
}

const firstParts = ["amber", "brisk", "calm", "dusky", "early", "fern", "grey", "hazel"];
const lastParts = ["otter", "heron", "badger", "wren", "newt", "osprey", "hare", "vole"];
const firstId = 1001;
const population = firstParts.length * lastParts.length;

/** `number` counts from 0. */
export function personAt(number: number): Person {
  const first = firstParts[number % firstParts.length] ?? "";
  const last = lastParts[Math.floor(number / firstParts.length) % lastParts.length] ?? "";
  return { id: firstId + number, login: `${first}-${last}` };
}

export function findPerson(id: number): Person | undefined {
  return id >= firstId && id < firstId + population ? personAt(id - firstId) : undefined;
}

/** The number of members besides the account; the first does not fit on a page. */
const memberCounts: Readonly<Record<string, number>> = { harbourworks: 63, lanternfish: 5, tidewatch: 2 };

/** The account comes first. */
export function membersOf(organization: string, account: Person): readonly Person[] {
  const others = Array.from({ length: memberCounts[organization] ?? 0 }, (_, number) => personAt(number));
  return [{ id: account.id, login: account.login }, ...others];
}

export interface Organization {
  readonly id: number;
  readonly login: string;
  readonly name: string;
  readonly enforcesSso: boolean;
}

/** By ascending ID. */
export const organizations: readonly Organization[] = [
  { id: 4711, login: "harbourworks", name: "Harbour Works", enforcesSso: false },
  { id: 4712, login: "lanternfish", name: "Lanternfish Search", enforcesSso: true },
  { id: 4713, login: "tidewatch", name: "Tidewatch", enforcesSso: true },
];

/** Does not check who may see the organization. */
export function findOrganization(id: number): Organization | undefined {
  return organizations.find((organization) => organization.id === id);
}
