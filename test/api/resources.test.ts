// What the fields of a resource say.
import { expect, test } from "vitest";
import { isPersonal, type App } from "../../src/api/resources.ts";

const app = (client_id: string): App => ({ url: "", name: "personal", client_id });

test.each<[words: string, app: App | null | undefined, isWanted: boolean]>([
  ["no application", null, true],
  ["one that is not sent", undefined, true],
  ["one without a client ID", { url: "", name: "personal" } as App, true],
  ["an empty client ID", app(""), true],
  ["a client ID of zeros", app("0".repeat(20)), true],
  ["a client ID", app("0123456789abcdef0123"), false],
  ["a client ID that ends with zeros", app("1".padEnd(20, "0")), false],
])("with %s, whether a token is personal", (_, given, isWanted) => {
  expect(isPersonal({ app: given as App | null })).toBe(isWanted);
});
