// The double of a server (serve.ts) for tests without its fixture: one function answers all requests, and it is closed after
// the test.
import { HttpResponse } from "msw";
import { onTestFinished } from "vitest";
import { environmentAt } from "./grantctl.ts";
import { cut, json, on, plain, startServer, type ServedRequest, type Server } from "./serve.ts";
import { makeFolder } from "./state-folder.ts";
import { runMain } from "./test-host.ts";

export type RecordedRequest = ServedRequest;

export interface ArrangedAnswer {
  readonly status: number;
  /** A string or bytes are sent unchanged, anything else as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export type Answer = (
  request: ServedRequest,
  position: number,
) => ArrangedAnswer | Promise<ArrangedAnswer | "cut">;

export interface RecordingServer extends Server {
  /** Configures grantctl to use this server, with credentials of the account and of the application. */
  readonly environment: Readonly<Record<string, string>>;
  /** Runs `grantctl` in this environment, in addition to that of the run. */
  readonly run: typeof runMain;
}

/** Starts a server; it is closed after the test. The default response is a 500. */
export async function startRecordingServer(
  answer: Answer = () => ({ status: 500, body: { message: "nothing was arranged" } }),
): Promise<RecordingServer> {
  const server = await startServer(
    on("ALL /*", async (request, position) => responseOf(await answer(request, position))),
  );
  onTestFinished(() => server.close());
  // An interrupted run of an earlier test must not be announced.
  const environment = { ...environmentAt(server.root), GRANTCTL_STATE_DIR: makeFolder() };
  return {
    ...server,
    environment,
    run: (words, world) =>
      runMain(words, { ...world, environment: { ...environment, ...world?.environment } }),
  };
}

function responseOf(answer: ArrangedAnswer | "cut"): Response {
  if (answer === "cut") return cut();
  const { status, body, headers = {} } = answer;
  if (body === undefined) return plain(status, "", headers);
  const ofJson = { "Content-Type": "application/json", ...headers };
  if (Buffer.isBuffer(body)) return new HttpResponse(body, { status, headers: ofJson });
  return typeof body === "string" ? plain(status, body, ofJson) : json(status, body, headers);
}
