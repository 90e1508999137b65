// The proxy of a run, by the variables, and invalid proxy URLs.
import { expect, test } from "vitest";
import { proxyFor } from "../../src/http/urls.ts";
import { thrownFailure } from "../support/thrown-failure.ts";

const service = "https://api.service.test";
const proxy = "http://proxy.test:3128";

test.each([
  [service, {}, null],
  [service, { HTTPS_PROXY: proxy }, "HTTPS_PROXY"],
  [service, { HTTPS_PROXY: "http://other.test", https_proxy: proxy }, "HTTPS_PROXY"],
  [service, { https_proxy: "", HTTPS_PROXY: ` ${proxy} ` }, "HTTPS_PROXY"],
  [service, { HTTPS_PROXY: "proxy.test:3128" }, "HTTPS_PROXY"],
  [service, { HTTPS_PROXY: "  " }, null],
  [service, { HTTP_PROXY: proxy, ALL_PROXY: proxy }, null],
  ["http://service.test", { HTTP_PROXY: proxy, HTTPS_PROXY: "http://other.test" }, "HTTP_PROXY"],
  // This machine is never reached through a proxy.
  ["http://127.0.0.1:8080", { HTTP_PROXY: proxy }, null],
  ["https://127.9.9.9", { HTTPS_PROXY: proxy }, null],
  ["http://localhost:1", { HTTP_PROXY: proxy }, null],
  ["https://[::1]:8080", { HTTPS_PROXY: proxy }, null],
])("the proxy of %s with %j is that of %s", (root, environment, variable) => {
  const found = proxyFor(root, environment);
  expect(found === null ? null : [found.url, /Check (\w+)=/.exec(found.hint)?.[1]]).toEqual(
    variable === null ? null : [proxy, variable],
  );
});

test("its credentials are decoded and stand apart from its URL", () => {
  const found = proxyFor(service, {
    HTTPS_PROXY: "http://us%40er:p%3Aw@proxy.test:3128",
    no_proxy: "a.test,b.test",
  });
  expect(found).toMatchObject({
    url: proxy,
    credentials: { name: "us@er", secret: "p:w" },
    exempt: "a.test,b.test",
  });
});

test.each([
  ..."socks5://corp:canary@127.0.0.1:1080 ftp://canary http://corp:canary#x@127.0.0.1:1".split(" "),
  ..."http://proxy.test/canary http://proxy.test?canary http://%ff:canary@proxy.test".split(" "),
  ..."://canary".split(" "),
])("a URL that is not a proxy is a usage failure that does not repeat it: %s", async (value) => {
  const failure = await thrownFailure(() => proxyFor(service, { HTTPS_PROXY: value }));
  expect([failure.kind, failure.exitCode]).toEqual(["usage", 2]);
  expect(`${failure.message} ${failure.details.hint}`).not.toContain("canary");
  expect(failure.message).toContain("HTTPS_PROXY");
});
