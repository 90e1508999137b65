// The connections of a run: transports to the one origin, and services over them with every layer. Loads undici and
// the layers with the first of them.
import { setTimeout as sleep } from "node:timers/promises";
import type { GlobalOptions } from "./config/global-options.ts";
import { requestHeaders } from "./config/request-headers.ts";
import { headerWordOf, type Setting, type Settings } from "./config/settings.ts";
import { readTlsFiles } from "./config/tls-files.ts";
import type { Host } from "./host.ts";
import type { BasicCredentials } from "./http/basic.ts";
import type { OneTimePasswords } from "./http/one-time-password.ts";
import type { Origin } from "./http/origin.ts";
import type { Service } from "./http/service.ts";
import type { Transport } from "./http/transport.ts";
import type { Notices } from "./output/notices.ts";
import { version } from "./version.ts";

export interface ConnectionSurroundings {
  readonly host: Host;
  readonly options: GlobalOptions;
  readonly settings: Settings;
  /** Whether what the profile holds is meant for the address. */
  readonly isProfileForAddress: () => boolean;
  readonly notices: Notices;
  /** The configured address; throws a usage failure when there is none. */
  readonly origin: () => Origin;
}

export interface Connections {
  /** Loads what connecting needs, while something else is waited for. */
  prepare(): Promise<void>;
  /** A bare transport to the configured address, without credentials. */
  openTransport(): Promise<Transport>;
  /** A service through every layer; null for credentials that no one-time password belongs to. */
  connect(
    credentials: () => Promise<BasicCredentials>,
    oneTimePasswords: OneTimePasswords | null,
  ): Promise<Service>;
  /** Ends what was opened. */
  close(): Promise<void>;
}

/** The connections of one run. Opens nothing by itself. */
export function createConnections(surroundings: ConnectionSurroundings): Connections {
  const { host, options, settings, notices, origin } = surroundings;
  const transports: Transport[] = [];

  const reported = new Set<string>();
  const onPartialResults = (ids: readonly string[]): void => {
    const list = ids.join(", ");
    if (reported.has(list)) return;
    reported.add(list);
    notices.warn(
      `the result leaves out organizations that want this token approved first${list === "" ? "" : `: ${list}`}`,
    );
  };

  /** A certificate says who we are: the profile's says it to the profile's address alone. */
  const isForAddress = (setting: Setting | undefined): setting is Setting =>
    setting !== undefined && (setting.source !== "profile" || surroundings.isProfileForAddress());
  const tlsSettings = (): Settings => {
    const { clientCert, clientKey, ...others } = settings;
    return {
      ...others,
      ...(isForAddress(clientCert) ? { clientCert } : {}),
      ...(isForAddress(clientKey) ? { clientKey } : {}),
    };
  };

  const openTransport = async (): Promise<Transport> => {
    const { root } = origin();
    const tls = await readTlsFiles(tlsSettings());
    const { createTransport } = await import("./http/transport.ts");
    const transport = createTransport({
      root,
      timeoutMs: options.timeout * 1000,
      nodeVersion: host.nodeVersion,
      tls,
    });
    transports.push(transport);
    return transport;
  };

  const connectWith = async (
    credentials: () => Promise<BasicCredentials>,
    oneTimePasswords: OneTimePasswords | null,
  ): Promise<Service> => {
    const headerWord = headerWordOf(settings);
    const headers = requestHeaders(version, options.header ?? []);
    const [transport, { connect }] = await Promise.all([openTransport(), import("./http/connect.ts")]);
    return connect(
      {
        origin: origin(),
        headerWord,
        headers,
        retries: options.retries,
        credentials,
        oneTimePasswords,
        onPartialResults,
        trace: (line) => notices.debug(line),
        now: () => host.now(),
        sleep: (milliseconds) => sleep(milliseconds),
        random: Math.random,
      },
      transport.send,
    );
  };

  return {
    async prepare() {
      await Promise.all([import("./http/transport.ts"), import("./http/connect.ts")]);
    },
    openTransport,
    connect: connectWith,
    async close() {
      await Promise.all(transports.map((transport) => transport.close()));
    },
  };
}
