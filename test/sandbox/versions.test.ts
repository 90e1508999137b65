// The server's type and version in response headers, and API versions by date.
import { expect, test } from "vitest";
import { startTestSandbox } from "./sandbox-client.ts";

test.each([
  ["service", "Service", undefined],
  ["github", "GitHub", "3.19.2"],
  ["github.com", "GitHub", undefined],
] as const)("%s identifies itself in every response", async (operator, headerWord, version) => {
  const sandbox = await startTestSandbox({ operator, headerWord });
  const word = headerWord.toLowerCase();
  for (const reply of [
    await sandbox.send("GET", "/meta"),
    await sandbox.asToken("GET", "/user"),
    await sandbox.send("GET", "/user"),
    await sandbox.asAccount("DELETE", "/authorizations/1"),
  ]) {
    expect(reply.headers[`x-${word}-enterprise-version`]).toBe(version);
    expect(reply.headers[`x-${word}-media-type`]).toBe(`${word}.v3; format=json`);
    expect(reply.headers["x-content-type-options"]).toBe("nosniff");
  }
});

test.each(["github", "github.com"] as const)("%s responds in the requested API version", async (operator) => {
  const sandbox = await startTestSandbox({ operator, headerWord: "GitHub" });
  const token = sandbox.description.tokens[0]?.token ?? "";
  const ask = (version: string) =>
    sandbox.send("GET", "/user", {
      headers: { Authorization: `token ${token}`, "X-GitHub-Api-Version": version },
    });
  expect((await sandbox.asToken("GET", "/user")).headers["x-github-api-version-selected"]).toBe("2022-11-28");
  for (const version of ["2022-11-28", "2026-03-10"]) {
    const reply = await ask(version);
    expect(reply.status).toBe(200);
    expect(reply.headers["x-github-api-version-selected"]).toBe(version);
  }
  for (const version of ["2022-11-27", "1999-01-01", "v3", "2022-11-28, 2022-11-28", ""]) {
    const reply = await ask(version);
    expect(reply.status).toBe(400);
    expect(reply.json()).toMatchObject({ message: expect.stringContaining("2022-11-28") as unknown });
  }
});

test("service ignores API versions by date", async () => {
  const sandbox = await startTestSandbox({ headerWord: "GitHub" });
  const reply = await sandbox.send("GET", "/user", {
    headers: {
      Authorization: `token ${sandbox.description.tokens[0]?.token}`,
      "X-GitHub-Api-Version": "1999-01-01",
    },
  });
  expect(reply.status).toBe(200);
  expect(reply.headers["x-github-api-version-selected"]).toBeUndefined();
});
