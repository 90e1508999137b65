// The doctor's checks of the connection to the service and of its answers: at most four requests, all of them reads.
import { proxyFor } from "../../config/proxy.ts";
import { headerWordOf } from "../../config/settings.ts";
import type { Context } from "../../run/context.ts";
import type { HttpAnswer } from "../../http/request.ts";
import type { Origin } from "../../http/origin.ts";
import { isWithoutAccounts } from "../../run/operator-hints.ts";
import { checkClock } from "./clock.ts";
import { checkCredentials } from "./credentials.ts";
import { checkOperator } from "./operator.ts";
import { otherAddressHint, signOfOtherServer } from "./other-server.ts";
import { findingOf, fine, note, type Finding } from "./finding.ts";

/** Makes every check that needs the service's address. After a failed one, those that depend on it are left out. */
export async function checkService(context: Context): Promise<readonly Finding[]> {
  const { settings } = context;
  if (settings.baseUrl === undefined) {
    return [
      note(
        "address",
        "no service is configured",
        "grantctl auth login, or set --base-url or GRANTCTL_BASE_URL",
      ),
    ];
  }
  let origin: Origin;
  try {
    origin = context.address.origin();
  } catch (error) {
    return [findingOf("address", error)];
  }
  const before = [
    origin.isInsecure
      ? note("address", `${origin.href} is plain http`, "use https")
      : fine("address", origin.href),
    checkProxy(origin, context),
    checkAuthorities(origin, context),
  ];
  const asked = context.host.now();
  let answer: HttpAnswer;
  try {
    answer = await context.address.connections.askBare(null);
  } catch (error) {
    const finding = findingOf("connection", error);
    return [
      ...before,
      { ...finding, hint: finding.hint ?? "see that the address is right and nothing on the way blocks it" },
    ];
  }
  const clock = checkClock(answer, asked, context.host.now());
  const { finding, lacksAccounts } = await checkOperator(context);
  return [
    ...before,
    checkConnection(answer, origin),
    clock,
    finding,
    ...(lacksAccounts || isWithoutAccounts(context.operator, origin)
      ? []
      : await checkCredentials(headerWordOf(settings), context)),
  ];
}

/** A web page is no problem here: without credentials, a gateway may hide even the service behind one. */
function checkConnection(answer: HttpAnswer, { root }: Origin): Finding {
  const made = root.startsWith("https:") ? "TLS handshake done, certificate verified" : "connected";
  const sign = signOfOtherServer(answer);
  return sign === null
    ? fine("connection", `${made}, status ${answer.status}`)
    : note("connection", `${made}, and ${sign}`, otherAddressHint);
}

function checkProxy({ root }: Origin, { host }: Context): Finding {
  try {
    const proxy = proxyFor(root, host.environment);
    return fine("proxy", proxy === null ? "none" : `${proxy.url}, from ${proxy.variable}`);
  } catch (error) {
    return findingOf("proxy", error);
  }
}

function checkAuthorities({ root }: Origin, { settings, host }: Context): Finding {
  if (!root.startsWith("https:")) return fine("certificates", "not used for plain http");
  const { caCert, clientCert } = settings;
  const more = host.environment["NODE_EXTRA_CA_CERTS"];
  const trusted =
    caCert === undefined
      ? `the authorities of Node.js${more === undefined ? "" : ` and those in ${more}`}`
      : `only the authorities in ${caCert.value}`;
  return fine(
    "certificates",
    `${trusted}${clientCert === undefined ? "" : `; client certificate ${clientCert.value}`}`,
  );
}
