// The debug line of a request: its fields, and that it never contains a secret.
import { expect, test } from "vitest";
import { traceLayer } from "../../src/http/connect.ts";
import { encodeBasic } from "../../src/http/authorization.ts";
import { connectTo, makeAnswer, makeRequest } from "./doubles.ts";

test("a line has method, template, status, sizes and time", async () => {
  const lines: string[] = [];
  let time = 1000;
  const send = traceLayer(
    (line) => lines.push(line),
    () => time,
  )(() => {
    time += 42;
    return Promise.resolve(makeAnswer(201, "äöü"));
  });
  await send(makeRequest({ method: "POST", body: '{"note":"ü"}' }));
  expect(lines).toEqual(["POST /applications/grants/:grant_id → 201, received 6 B, sent 13 B, 42 ms"]);
});

test("a request without a response also has a line, and its failure is passed on", async () => {
  const lines: string[] = [];
  const problem = new Error("the connection broke: hunter2");
  const send = traceLayer(
    (line) => lines.push(line),
    () => 0,
  )(() => Promise.reject(problem));
  await expect(send(makeRequest())).rejects.toBe(problem);
  expect(lines).toHaveLength(1);
  expect(lines[0]).not.toContain("hunter2");
});

test("the line contains no path, query, headers, bodies or credentials", async () => {
  const lines: string[] = [];
  const service = connectTo(
    () => Promise.resolve(makeAnswer(200, { token: "hunter2" }, { "x-secret": "hunter2" })),
    {
      trace: (line) => lines.push(line),
      headers: { "X-Secret": "hunter2" },
      authorization: encodeBasic({ username: "hunter2", password: "hunter2" }),
      oneTimePasswords: {
        current: () => "hunter2",
        next: () => Promise.resolve("hunter2"),
        accept: () => undefined,
      },
    },
  );
  await service.exchange({
    method: "POST",
    template: "/applications/:client_id/tokens/:access_token",
    parameters: { client_id: "hunter2", access_token: "hunter2" },
    query: { q: "hunter2" },
    body: { client_secret: "hunter2" },
    subject: "the token ending in hunter2",
  });
  expect(lines).toHaveLength(1);
  expect(lines.join("")).not.toContain("hunter2");
  expect(lines.join("")).not.toContain(Buffer.from("hunter2:hunter2").toString("base64"));
});
