// The proxy of a run: the variables, the exemptions of NO_PROXY, and invalid proxy URLs.
import { describe, expect, test } from "vitest";
import { proxyCredentialsFor, proxyFor } from "../../src/config/proxy.ts";
import { failureOf } from "../support/failure-of.ts";

const service = "https://api.service.test";
const proxy = "http://proxy.test:3128";

describe("proxy variables", () => {
  test.each([
    ["nothing", service, {}, null],
    ["HTTPS_PROXY", service, { HTTPS_PROXY: proxy }, "HTTPS_PROXY"],
    ["https_proxy", service, { https_proxy: proxy }, "https_proxy"],
    [
      "the lower case first",
      service,
      { HTTPS_PROXY: "http://other.test", https_proxy: proxy },
      "https_proxy",
    ],
    ["an empty one is unset", service, { https_proxy: "", HTTPS_PROXY: proxy }, "HTTPS_PROXY"],
    ["blanks are nothing", service, { HTTPS_PROXY: "  " }, null],
    ["blanks around it do not count", service, { HTTPS_PROXY: ` ${proxy} ` }, "HTTPS_PROXY"],
    ["HTTP_PROXY is not for https", service, { HTTP_PROXY: proxy, http_proxy: proxy }, null],
    ["HTTP_PROXY is for http", "http://service.test", { HTTP_PROXY: proxy }, "HTTP_PROXY"],
    ["HTTPS_PROXY is not for http", "http://service.test", { HTTPS_PROXY: proxy }, null],
    ["ALL_PROXY is not read", service, { ALL_PROXY: proxy }, null],
  ])("%s", (_, root, environment, variable) => {
    expect(proxyFor(root, environment)).toEqual(variable === null ? null : { url: proxy, variable });
  });

  test.each(["http://127.0.0.1:8080", "http://127.9.9.9", "http://localhost:1", "http://[::1]:8080"])(
    "uses no proxy for plain http to %s on this machine",
    (root) => {
      expect(proxyFor(root, { HTTP_PROXY: proxy })).toBeNull();
      expect(proxyFor(root.replace("http:", "https:"), { HTTPS_PROXY: proxy })).not.toBeNull();
    },
  );
});

describe("NO_PROXY", () => {
  test.each([
    ["*", service],
    ["api.service.test", service],
    ["API.Service.TEST", service],
    ["service.test", service],
    [".service.test", service],
    ["*.service.test", service],
    ["service.test.", service],
    ["service.test", "https://service.test"],
    [".service.test", "https://service.test"],
    ["service.test", "https://service.test./"],
    ["a.test, service.test", service],
    ["a.test service.test", service],
    ["a.test,,service.test,", service],
    ["service.test:443", service],
    ["service.test:8443", `${service}:8443`],
    ["bücher.test", "https://bücher.test"],
    ["xn--bcher-kva.test", "https://bücher.test"],
    ["10.1.2.3", "https://10.1.2.3"],
    ["10.0.0.0/8", "https://10.1.2.3"],
    ["10.1.2.3/32", "https://10.1.2.3"],
    ["0.0.0.0/0", "https://10.1.2.3"],
    ["10.1.2.3:8443", "https://10.1.2.3:8443"],
    ["::1", "https://[::1]:8443"],
    ["[::1]", "https://[::1]:8443"],
    ["[::1]:8443", "https://[::1]:8443"],
    ["0:0:0:0:0:0:0:1", "https://[::1]"],
    ["fd00::/8", "https://[fd12::1]"],
    ["localhost", "https://localhost:8443"],
  ])("'%s' exempts %s", (exempt, root) => {
    expect(proxyFor(root, { HTTPS_PROXY: proxy })).not.toBeNull();
    expect(proxyFor(root, { HTTPS_PROXY: proxy, NO_PROXY: exempt })).toBeNull();
    expect(proxyFor(root, { HTTPS_PROXY: proxy, no_proxy: exempt })).toBeNull();
    // The proxy URL is not parsed.
    expect(proxyFor(root, { HTTPS_PROXY: "://", NO_PROXY: exempt })).toBeNull();
  });

  test.each([
    ["", service],
    [" , ", service],
    [".", service],
    ["ervice.test", service],
    ["test.service", service],
    ["x.api.service.test", service],
    ["service.test:8443", service],
    ["api.service.test.evil.test", service],
    ["10.1.2.4", "https://10.1.2.3"],
    ["2.3", "https://10.1.2.3"],
    [".3", "https://10.1.2.3"],
    ["10.0.0.0/16", "https://10.1.2.3"],
    ["10.0.0.0/99", "https://10.1.2.3"],
    ["fd00::/200", "https://[fd12::1]"],
    ["::1", "https://[::2]"],
    ["127.0.0.1", "https://localhost"],
    ["nonsense/8", service],
    ["[", service],
  ])("'%s' does not exempt %s", (exempt, root) => {
    expect(proxyFor(root, { HTTPS_PROXY: proxy, NO_PROXY: exempt })).not.toBeNull();
  });

  test("the lower-case variable wins, and an empty one counts as unset", () => {
    expect(proxyFor(service, { HTTPS_PROXY: proxy, NO_PROXY: "*", no_proxy: "a.test" })).not.toBeNull();
    expect(proxyFor(service, { HTTPS_PROXY: proxy, NO_PROXY: "*", no_proxy: "" })).toBeNull();
  });
});

describe("a proxy URL", () => {
  test.each([
    ["http://proxy.test:3128", "http://proxy.test:3128"],
    ["http://proxy.test:3128/", "http://proxy.test:3128"],
    ["HTTP://Proxy.Test", "http://proxy.test"],
    ["https://proxy.test", "https://proxy.test"],
    ["proxy.test:3128", "http://proxy.test:3128"],
    ["127.0.0.1:3128", "http://127.0.0.1:3128"],
    ["http://[::1]:3128", "http://[::1]:3128"],
    ["http://user:canary@proxy.test:3128", "http://proxy.test:3128"],
    ["user:canary@proxy.test:3128", "http://proxy.test:3128"],
  ])("%s is shown as %s", (address, url) => {
    expect(proxyFor(service, { HTTPS_PROXY: address })).toEqual({ url, variable: "HTTPS_PROXY" });
  });

  test.each([
    ["user:canary@p.test", { username: "user", password: "canary" }],
    ["http://us%40er:can%2Fary%3A@p.test", { username: "us@er", password: "can/ary:" }],
    ["http://user@p.test", { username: "user", password: "" }],
    ["http://:canary@p.test", { username: "", password: "canary" }],
    ["http://p.test", null],
  ])("%s yields its credentials", (address, credentials) => {
    expect(proxyCredentialsFor(service, { HTTPS_PROXY: address })).toEqual(credentials);
    expect(proxyCredentialsFor(service, {})).toBeNull();
  });

  test.each([
    "socks5://user:canary@p.test:1080",
    "SOCKS://user:canary@p.test",
    "socks4a://user:canary@p.test",
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
  ])("rejects %s without repeating it", async (address) => {
    for (const variable of ["HTTPS_PROXY", "https_proxy"]) {
      const failure = await failureOf(() => proxyCredentialsFor(service, { [variable]: address }));
      expect([failure.kind, failure.exitCode]).toEqual(["usage", 2]);
      expect(failure.message).toContain(variable);
      expect(`${failure.message} ${failure.details.hint ?? ""}`).not.toMatch(/can|ary|p\.test/);
      expect(failure.message.includes("SOCKS")).toBe(/^socks/i.test(address));
    }
  });
});
