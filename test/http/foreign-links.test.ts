// The note about a link to another host or path: it appears once, without the secrets that the link may contain.
import { expect, test } from "vitest";
import { foreignLinksLayer } from "../../src/http/connect.ts";
import { makeAnswer, makeRequest } from "./doubles.ts";

const root = "https://service.test";
const request = makeRequest({ target: { path: "/api/v3/grants?per_page=100", template: "/grants" } });

async function notesOn(...links: readonly (string | undefined)[]): Promise<readonly string[]> {
  const lines: string[] = [];
  const layer = foreignLinksLayer(root, (line) => lines.push(line));
  for (const link of links) {
    const answer = makeAnswer(200, [], link === undefined ? {} : { link });
    expect(await layer(() => Promise.resolve(answer))(request)).toBe(answer);
  }
  return lines;
}

test.each([
  undefined,
  "",
  "nonsense",
  "<https://service.test/api/v3/grants?page=2&per_page=100>; rel=next",
  "<https://SERVICE.test:443/api/v3/grants?page=2>; rel=next",
  "<?page=2>; rel=next",
  "<https://elsewhere.test/?page=2>; rel=prev",
])("no note for %s", async (link) => {
  expect(await notesOn(link)).toEqual([]);
});

test.each([
  ["https://elsewhere.test/api/v3/grants?page=2", "https://elsewhere.test"],
  ["//elsewhere.test/?page=2", "https://elsewhere.test"],
  ["http://service.test/api/v3/grants?page=2", "http://service.test"],
  ["https://service.test:8443/api/v3/grants?page=2", "https://service.test:8443"],
  ["https://hunter2:hunter2@elsewhere.test/hunter2?page=2&token=hunter2#hunter2", "https://elsewhere.test"],
  ["/api/v3/hunter2?page=2", "another path"],
  ["http://[", "no address"],
  ["javascript:hunter2", "javascript://"],
])("one note for %s, without the rest of the link", async (address, place) => {
  const note = `the link to the next page points to ${place}; grantctl uses only its page number`;
  const link = `<${address}>; rel="next"`;
  expect(await notesOn(link, link)).toEqual([note]);
});

test("each location is noted once", async () => {
  const notes = await notesOn("<https://a.test/>; rel=next", "<https://b.test/>; rel=next", "</c>; rel=next");
  expect(notes).toHaveLength(3);
});
