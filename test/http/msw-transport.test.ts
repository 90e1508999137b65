// The test double rejects unexpected requests; otherwise a test that sends the wrong request would pass.
import { http, HttpResponse, type HttpHandler } from "msw";
import { expect, test } from "vitest";
import { createMswTransport, root } from "../support/msw-transport.ts";
import { makeRequest } from "./doubles.ts";

/** A fresh handler for each test, because handlers record their calls. */
function grantHandler(): HttpHandler {
  return http.get(`${root}/applications/grants/1`, () => HttpResponse.json({ id: 1 }));
}

test("a request without a handler fails and is named in the error", async () => {
  const transport = createMswTransport(grantHandler());
  for (const surprise of [
    makeRequest({ method: "DELETE" }),
    makeRequest({ target: { path: "/applications/grants/2", template: "" } }),
    makeRequest({ target: { path: "/applications/grants/1/2", template: "" } }),
  ]) {
    await expect(transport.send(surprise)).rejects.toThrow(`unexpected request: ${surprise.method}`);
  }
  await expect(createMswTransport().send(makeRequest())).rejects.toThrow("unexpected request");
});

test("a handler that was never called fails and is named in the error", async () => {
  const other = http.delete(`${root}/applications/grants/2`, () => new HttpResponse(null, { status: 204 }));
  const transport = createMswTransport(grantHandler(), other);
  expect(() => {
    transport.checkAllHit();
  }).toThrow("never requested: GET");
  await transport.send(makeRequest());
  expect(() => {
    transport.checkAllHit();
  }).toThrow("never requested: DELETE");
  await transport.send(
    makeRequest({ method: "DELETE", target: { path: "/applications/grants/2", template: "" } }),
  );
  transport.checkAllHit();
});

test("the request is recorded, and the handler's response is returned", async () => {
  const transport = createMswTransport(grantHandler());
  const request = makeRequest({ headers: { "X-One": "1" } });
  const answer = await transport.send(request);
  expect(transport.requests).toEqual([request]);
  expect([answer.status, answer.body.toString()]).toEqual([200, '{"id":1}']);
});
