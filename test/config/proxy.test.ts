// The proxy of a run: the variables, the exemptions of NO_PROXY, and invalid proxy URLs.
import { expect, test } from "vitest";
import { proxyCredentialsFor, proxyFor } from "../../src/config/proxy.ts";
import { failureOf } from "../support/failure-of.ts";

const service = "https://api.service.test";
const proxy = "http://proxy.test:3128";

test.each([
  [service, {}, null],
  [service, { HTTPS_PROXY: proxy }, "HTTPS_PROXY"],
  [service, { HTTPS_PROXY: "http://other.test", https_proxy: proxy }, "https_proxy"],
  [service, { https_proxy: "", HTTPS_PROXY: proxy }, "HTTPS_PROXY"],
  [service, { HTTPS_PROXY: "  " }, null],
  [service, { HTTPS_PROXY: ` ${proxy} ` }, "HTTPS_PROXY"],
  [service, { HTTP_PROXY: proxy, http_proxy: proxy, ALL_PROXY: proxy }, null],
  ["http://service.test", { HTTP_PROXY: proxy }, "HTTP_PROXY"],
  ["http://service.test", { HTTPS_PROXY: proxy }, null],
  // Plain http to this machine uses no proxy.
  ["http://127.0.0.1:8080", { HTTP_PROXY: proxy }, null],
  ["http://127.9.9.9", { HTTP_PROXY: proxy }, null],
  ["http://localhost:1", { HTTP_PROXY: proxy }, null],
  ["http://[::1]:8080", { HTTP_PROXY: proxy }, null],
  ["https://[::1]:8080", { HTTPS_PROXY: proxy }, "HTTPS_PROXY"],
  // The lower-case variable wins, and an empty one counts as unset.
  [service, { HTTPS_PROXY: proxy, NO_PROXY: "*", no_proxy: "a.test" }, "HTTPS_PROXY"],
  [service, { HTTPS_PROXY: proxy, NO_PROXY: "*", no_proxy: "" }, null],
])("the proxy of %s with %j is that of %s", (root, environment, variable) => {
  const expected = variable === null ? null : { url: proxy, variable };
  expect(proxyFor(root, environment)).toEqual(expected);
});

/** Each exemption, and the hosts it exempts (+) or not (-). */
const exemptions = `
* +api.service.test
api.service.test +api.service.test -x.service.test
API.Service.TEST +api.service.test
service.test +api.service.test +service.test +service.test. -api.service.test.evil.test
.service.test +api.service.test +service.test
*.service.test +api.service.test
service.test. +api.service.test
a.test,\u00a0service.test +api.service.test
a.test,,service.test, +api.service.test
service.test:443 +api.service.test
service.test:8443 +api.service.test:8443 -api.service.test
bücher.test +bücher.test
xn--bcher-kva.test +bücher.test
10.1.2.3 +10.1.2.3
10.0.0.0/8 +10.1.2.3
10.1.2.3/32 +10.1.2.3
0.0.0.0/0 +10.1.2.3
10.1.2.3:8443 +10.1.2.3:8443
::1 +[::1]:8443 -[::2]
[::1] +[::1]:8443
[::1]:8443 +[::1]:8443
0:0:0:0:0:0:0:1 +[::1]
fd00::/8 +[fd12::1]
localhost +localhost:8443
\u00a0,\u00a0 -api.service.test
. -api.service.test
ervice.test -api.service.test
test.service -api.service.test
x.api.service.test -api.service.test
10.1.2.4 -10.1.2.3
2.3 -10.1.2.3
.3 -10.1.2.3
10.0.0.0/16 -10.1.2.3
10.0.0.0/99 -10.1.2.3
fd00::/200 -[fd12::1]
127.0.0.1 -localhost
nonsense/8 -api.service.test
[ -api.service.test`;

test.each(exemptions.trim().split("\n"))("NO_PROXY: %s", (line) => {
  const [exempt = "", ...hosts] = line.split(" ").map((word) => word.replaceAll("\u00a0", " "));
  for (const host of hosts) {
    const root = `https://${host.slice(1)}`;
    const isProxied = host.startsWith("-");
    for (const variable of ["NO_PROXY", "no_proxy"])
      expect([host, proxyFor(root, { HTTPS_PROXY: proxy, [variable]: exempt }) !== null]).toEqual([
        host,
        isProxied,
      ]);
  }
});

test("the proxy URL of what is exempt is not parsed", () => {
  expect(proxyFor(service, { HTTPS_PROXY: "://", NO_PROXY: "service.test" })).toBeNull();
});

test.each([
  ["http://proxy.test:3128/", "http://proxy.test:3128", null],
  ["HTTP://Proxy.Test", "http://proxy.test", null],
  ["https://proxy.test", "https://proxy.test", null],
  ["127.0.0.1:3128", "http://127.0.0.1:3128", null],
  ["http://[::1]:3128", "http://[::1]:3128", null],
  ["user:canary@p.test", "http://p.test", { username: "user", password: "canary" }],
  ["http://us%40er:can%2Fary%3A@p.test", "http://p.test", { username: "us@er", password: "can/ary:" }],
  ["http://user@p.test", "http://p.test", { username: "user", password: "" }],
  ["http://:canary@p.test", "http://p.test", { username: "", password: "canary" }],
])("%s is shown as %s", (address, url, credentials) => {
  expect(proxyFor(service, { HTTPS_PROXY: address })).toEqual({ url, variable: "HTTPS_PROXY" });
  expect(proxyCredentialsFor(service, { HTTPS_PROXY: address })).toEqual(credentials);
});

test.each([
  "socks5://user:canary@p.test:1080",
  "SOCKS://user:canary@p.test",
  "ftp://user:canary@p.test",
  "file:///canary",
  "://canary",
  "http://",
  "http://user:canary@",
  "http://user:canary@p.test:99999",
  "http://user:can#ary@p.test",
  "http://user:1/canary@p.test",
  "http://user:1?canary@p.test",
  "http://p.test/canary",
  "canary canary",
  "http://user:canary%zz@p.test",
  "http://user:canary%0d%0a@p.test",
  "http://us%3Aer:canary@p.test",
])("%s is refused and not repeated", async (address) => {
  const failure = await failureOf(() => proxyCredentialsFor(service, { https_proxy: address }));
  expect([failure.kind, failure.message]).toEqual(["usage", expect.stringContaining("https_proxy")]);
  expect(`${failure.message} ${failure.details.hint ?? ""}`).not.toMatch(/can|ary|p\.test/);
  expect(failure.message.includes("SOCKS")).toBe(/^socks/i.test(address));
});
