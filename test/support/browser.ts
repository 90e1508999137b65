// A headless browser, controlled with its debugging protocol through two pipes: no port, no library. Only the features
// that tests need: pages, keys and screenshots.
import { spawn, type ChildProcess } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import type { Readable, Writable } from "node:stream";

export interface Look {
  readonly colours: "light" | "dark";
  readonly width: number;
}

export interface BrowserPage {
  /** Opens a URL, waits until the page has loaded, and returns the response's status. */
  open(address: string): Promise<number>;
  /** Disables the page's own scripts. */
  turnScriptsOff(): Promise<void>;
  /** Sets the colour scheme and the width of the window. */
  look(look: Look): Promise<void>;
  /** Presses keys one after the other: `Tab`, `Enter`, `Space`. Waits until a page that they open has loaded. */
  press(...keys: readonly ("Tab" | "Enter" | "Space")[]): Promise<void>;
  /** Clicks the first element that matches the selector, and waits until the next page has loaded. */
  click(selector: string): Promise<void>;
  /** Evaluates an expression in the page. */
  read<Value>(expression: string): Promise<Value>;
  /** A PNG of the page, or of a part of it: its height and its distance from the top. */
  draw(part?: { readonly top: number; readonly height: number }): Promise<Buffer>;
  /** The printed page, as PDF. */
  print(): Promise<Buffer>;
  /** Messages on the browser's console: policy violations, script errors. */
  readonly complaints: readonly string[];
}

export interface Browser {
  newPage(): Promise<BrowserPage>;
  close(): Promise<void>;
}

/** The path of the browser, or null. */
export function findBrowser(): string | null {
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  const candidates = folders.flatMap((folder) =>
    ["chromium", "chromium-browser", "google-chrome"].map((name) => join(folder, name)),
  );
  return candidates.find((file) => existsSync(file)) ?? null;
}

type Parameters = Readonly<Record<string, unknown>>;

interface Message {
  readonly id?: number;
  readonly sessionId?: string;
  readonly method?: string;
  readonly params?: Parameters;
  readonly result?: Parameters;
  readonly error?: { readonly message: string };
}

type Listener = (message: Message) => void;

interface Connection {
  send(method: string, parameters?: Parameters, sessionId?: string): Promise<Parameters>;
  listen(listener: Listener): () => void;
}

const flags = [
  "--headless",
  // The browser's own sandbox does not work for root, who may run the tests.
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--disable-dev-shm-usage",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--remote-debugging-pipe",
];

/** Starts the browser with an empty profile, which is deleted at the end. */
export async function startBrowser(program: string): Promise<Browser> {
  const profile = mkdtempSync(join(tmpdir(), "grantctl-browser-"));
  const child = spawn(program, [...flags, `--user-data-dir=${profile}`, "about:blank"], {
    stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"],
  });
  const ended = new Promise<void>((resolve) => {
    child.on("exit", () => {
      resolve();
    });
  });
  const connection = connect(child);
  await connection.send("Browser.getVersion");
  return {
    newPage: () => openPage(connection),
    close: async () => {
      await connection.send("Browser.close").catch(() => undefined);
      const impatience = setTimeout(() => child.kill("SIGKILL"), 30_000);
      await ended;
      clearTimeout(impatience);
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** Messages are JSON, each terminated by NUL. */
function connect(child: ChildProcess): Connection {
  const [, , , input, output] = child.stdio as [unknown, unknown, unknown, Writable, Readable];
  const listeners = new Set<Listener>();
  const waiting = new Map<number, Listener>();
  let lastId = 0;
  let pending = "";
  child.on("exit", () => {
    for (const listener of waiting.values()) listener({ error: { message: "the browser is gone" } });
  });
  input.on("error", () => undefined);
  output.setEncoding("utf8").on("data", (text: string) => {
    const parts = (pending + text).split("\0");
    pending = parts.pop() ?? "";
    for (const part of parts) {
      const message = JSON.parse(part) as Message;
      if (message.id !== undefined) waiting.get(message.id)?.(message);
      for (const listener of listeners) listener(message);
    }
  });
  return {
    send: (method, params = {}, sessionId) =>
      new Promise((resolve, reject) => {
        lastId += 1;
        const id = lastId;
        waiting.set(id, ({ result = {}, error }) => {
          waiting.delete(id);
          if (error === undefined) resolve(result);
          else reject(new Error(`${method}: ${error.message}`));
        });
        input.write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
      }),
    listen: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

const keyCodes = {
  Tab: { key: "Tab", windowsVirtualKeyCode: 9 },
  Enter: { key: "Enter", windowsVirtualKeyCode: 13, text: "\r" },
  Space: { key: " ", windowsVirtualKeyCode: 32, text: " " },
} as const;

async function openPage(connection: Connection): Promise<BrowserPage> {
  const { targetId } = await connection.send("Target.createTarget", { url: "about:blank" });
  const { sessionId } = await connection.send("Target.attachToTarget", { targetId, flatten: true });
  const session = sessionId as string;
  const send = (method: string, parameters?: Parameters): Promise<Parameters> =>
    connection.send(method, parameters, session);
  const complaints: string[] = [];
  let status = 0;
  let width = 1280;
  connection.listen(({ sessionId: from, method, params = {} }) => {
    if (from !== session) return;
    const { entry, type, response } = params as {
      entry?: { text: string };
      type?: string;
      response?: { status: number };
    };
    if (method === "Log.entryAdded") complaints.push(entry?.text ?? "");
    if (method === "Runtime.exceptionThrown") complaints.push(JSON.stringify(params));
    if (method === "Network.responseReceived" && type === "Document") status = response?.status ?? 0;
  });
  for (const domain of ["Page", "Runtime", "Network", "Log"]) await send(`${domain}.enable`);

  /** Runs an action that opens another page, and waits until that one has loaded. */
  async function leadOn(work: () => Promise<unknown>): Promise<void> {
    const loaded = new Promise<void>((resolve, reject) => {
      const impatience = setTimeout(() => {
        reject(new Error("no page was loaded"));
      }, 500_000);
      const stop = connection.listen(({ sessionId: from, method }) => {
        if (from !== session || method !== "Page.loadEventFired") return;
        clearTimeout(impatience);
        stop();
        resolve();
      });
    });
    await Promise.all([loaded, work()]);
  }

  async function read<Value>(expression: string): Promise<Value> {
    const answer = await send("Runtime.evaluate", { expression, returnByValue: true, awaitPromise: true });
    if (answer["exceptionDetails"] !== undefined) throw new Error(JSON.stringify(answer["exceptionDetails"]));
    return (answer["result"] as { value: Value }).value;
  }

  async function pressKey(name: keyof typeof keyCodes): Promise<void> {
    const code = { ...keyCodes[name], code: name };
    await send("Input.dispatchKeyEvent", { type: "keyDown", ...code });
    await send("Input.dispatchKeyEvent", { type: "keyUp", ...code });
  }

  return {
    complaints,
    read,
    open: async (address) => {
      await leadOn(() => send("Page.navigate", { url: address }));
      return status;
    },
    turnScriptsOff: async () => {
      await send("Emulation.setScriptExecutionDisabled", { value: true });
    },
    look: async ({ colours, width: wanted }) => {
      width = wanted;
      const features = [{ name: "prefers-color-scheme", value: colours }];
      await send("Emulation.setEmulatedMedia", { features });
      const size = { width, height: 720, deviceScaleFactor: 1, mobile: width < 500 };
      await send("Emulation.setDeviceMetricsOverride", size);
    },
    press: async (...keys) => {
      for (const key of keys) {
        // Tab stays on the page; the other keys activate the focused element.
        if (key === "Tab") await pressKey(key);
        else await leadOn(() => pressKey(key));
      }
    },
    click: async (selector) => {
      const place = await read<{ x: number; y: number }>(
        `(() => { const e = document.querySelector(${JSON.stringify(selector)}); e.scrollIntoView();
          const r = e.getBoundingClientRect(); return { x: r.x + r.width / 2, y: r.y + r.height / 2 }; })()`,
      );
      const button = { ...place, button: "left", clickCount: 1 };
      await leadOn(async () => {
        await send("Input.dispatchMouseEvent", { type: "mousePressed", ...button });
        await send("Input.dispatchMouseEvent", { type: "mouseReleased", ...button });
      });
    },
    draw: async (part) => {
      const clip =
        part === undefined ? {} : { clip: { x: 0, y: part.top, width, height: part.height, scale: 1 } };
      const options = { format: "png", captureBeyondViewport: true, ...clip };
      const { data } = await send("Page.captureScreenshot", options);
      return Buffer.from(data as string, "base64");
    },
    print: async () => {
      const { data } = await send("Page.printToPDF", { printBackground: false, preferCSSPageSize: true });
      return Buffer.from(data as string, "base64");
    },
  };
}
