// Write-ahead records: on disk before their item may be sent, one block at a time, and withdrawn if the item was never
// sent.
import { expect, test } from "vitest";
import { planIntents, type Journal, createIntent } from "../../src/journal/journal.ts";
import { createJournals } from "../../src/journal/journals.ts";
import { hashOf, hashOfList } from "../../src/journal/hashes.ts";
import { readRecords } from "../../src/journal/record-file.ts";
import { makeFolder } from "../support/state-folder.ts";

const items = Array.from({ length: 100 }, (_, index) => ({ item: hashOf(`token ${index}`) }));

async function openJournal(): Promise<Journal> {
  const journals = createJournals(makeFolder(), {
    pid: process.pid,
    bootId: null,
    scope: null,
    isRunning: () => true,
  });
  return journals.create({
    version: 1,
    operation: "reset",
    address: "https://api.example.com",
    requester: hashOf("client"),
    created_at: new Date(0).toISOString(),
    total: items.length,
    list: hashOfList(items.map(({ item }) => item)),
  });
}

async function statesOf(journal: Journal): Promise<ReadonlyMap<string, string>> {
  const records = (await readRecords(journal.path)).records.slice(1) as readonly {
    item: string;
    state: string;
  }[];
  return new Map(records.map(({ item, state }) => [item, state]));
}

test("an item that may be sent is on disk as planned, with a block of the following ones", async () => {
  const journal = await openJournal();
  const intents = planIntents(journal, items);
  await intents.ready(items[0]?.item ?? "");
  const states = await statesOf(journal);
  expect(states.get(items[0]?.item ?? "")).toBe("planned");
  expect(states.size).toBeGreaterThanOrEqual(32);
  expect(states.size).toBeLessThanOrEqual(64);
  await journal.close();
});

test("no item of a block is sent if the disk fails", async () => {
  const journal = await openJournal();
  const failing: Journal = { ...journal, mark: () => Promise.reject(new Error("no room")) };
  const intents = planIntents(failing, items);
  for (const { item } of items.slice(0, 3)) {
    const intent = createIntent(failing, { item }, intents.ready(item), () => true);
    await expect(intent.beforeSending()).rejects.toThrow("no room");
    expect(intent.hasBeenSent()).toBe(false);
  }
  await journal.close();
});
