// The doctor's checks of the way to the service, and of what it answers: four requests at most, all of them reads.
import { proxyFor } from "../../config/proxy.ts";
import { headerWordOf } from "../../config/settings.ts";
import type { Context } from "../../run/context.ts";
import type { HttpAnswer } from "../../http/request.ts";
import type { Origin } from "../../http/origin.ts";
import { isWithoutAccounts } from "../../run/operator-hints.ts";
import { checkCredentials } from "./credentials.ts";
import { checkOperator } from "./operator.ts";
import { findingOf, fine, note, wrong, type Finding } from "./finding.ts";

/** Every check that needs the service's address. Those behind one that failed are left out. */
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
  const isTls = origin.root.startsWith("https:");
  return [
    ...before,
    fine(
      "connection",
      `${isTls ? "TLS handshake done, certificate verified" : "connected"}, status ${answer.status}`,
    ),
    checkClock(answer, asked, context.host.now()),
    await checkOperator(context),
    ...(isWithoutAccounts(context.operator, origin)
      ? []
      : await checkCredentials(headerWordOf(settings), context)),
  ];
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

/** A code from an authenticator application is good for half a minute, and for the one before. */
const codePeriodMs = 30_000;

/** The header has whole seconds, and the answer took its time. */
const unavoidableMs = 2000;

function checkClock({ headers }: HttpAnswer, asked: number, answered: number): Finding {
  const date = Date.parse(headers["date"] ?? "");
  if (Number.isNaN(date)) return note("clock", "the service does not say what time it is");
  const offMs =
    date < asked - unavoidableMs ? date - asked : date > answered + unavoidableMs ? date - answered : 0;
  if (offMs === 0) return fine("clock", "agrees with the service's");
  const message = `this clock is ${Math.round(Math.abs(offMs) / 1000)} s ${offMs > 0 ? "behind" : "ahead of"} the service's`;
  return Math.abs(offMs) < codePeriodMs
    ? note("clock", message, "one-time passwords may be refused now and then: synchronise it")
    : wrong("clock", "otp", message, "one-time passwords of this machine are refused: synchronise its clock");
}
