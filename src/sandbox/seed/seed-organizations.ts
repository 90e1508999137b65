// The organizations of every sandbox: two enforce single sign-on, and one does not.
import type { OrganizationRecord, OrganizationStore } from "../store/organization-store.ts";

const organizations: readonly OrganizationRecord[] = [
  { id: 4711, login: "harbourworks", name: "Harbour Works", enforcesSso: false },
  { id: 4712, login: "lanternfish", name: "Lanternfish Search", enforcesSso: true },
  { id: 4713, login: "tidewatch", name: "Tidewatch", enforcesSso: true },
];

/** Adds the organizations that the store lacks; to a new store, all of them. */
export function seedOrganizations(store: OrganizationStore): void {
  for (const organization of organizations) store.insert(organization);
}
