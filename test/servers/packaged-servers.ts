// OAuth 2.0 servers from Debian's packages and the npm registry, unpacked into a temporary folder and started there: nothing
// is installed, and no system service is started. Tests create tokens and check their real state in the servers' own stores.
//
//   glewlwyd   C; JWT access tokens; its metadata only at OpenID's location
//   django     Django OAuth Toolkit; no metadata; reports refresh tokens as inactive
//   authlib    Python, after its manual; no metadata
//   doorkeeper Ruby; metadata only with its OpenID extension; GitLab and Mastodon use it
//   npm        better-auth, and Cloudflare's workers-oauth-provider
import { execFileSync, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { onTestFinished } from "vitest";
import { makeFolder } from "../support/state-folder.ts";
import { type Application, type OAuthServer, otherApplication, plainApplication } from "./oauth-servers.ts";

type Variables = Readonly<Record<string, string>>;

export interface PackagedServer extends Omit<OAuthServer, "requests"> {
  readonly paths: { readonly introspection: string | undefined; readonly revocation: string };
  /** For grantctl: the paths of a server without metadata. */
  readonly variables: Variables;
}

/** Dependencies of the packages that the servers never load. */
const unused = /^(fonts-|libjs-|mysql|mariadb-client|default-mysql|dbconfig|libconfig-inifiles)/;

/** Unpacks packages and everything they require that is not installed, and returns the folder; skips a test without it. */
export function unpack(packages: readonly string[], skip: (reason: string) => never): string {
  const folder = makeFolder();
  const root = join(folder, "root");
  const [interpreter] = packages[0]?.match(/^(?:ruby|python3)/) ?? [];
  if (interpreter !== undefined && !existsSync(`/usr/bin/${interpreter}`))
    return skip(`there is no /usr/bin/${interpreter}`);
  try {
    const plan = run(folder, "apt-get", "-s", "--no-install-recommends", "install", ...packages);
    const names = [...plan.matchAll(/^Inst (\S+)/gm)].flatMap(([, name = ""]) =>
      unused.test(name) ? [] : [name],
    );
    run(folder, "apt-get", "-qq", "download", ...names);
    for (const file of run(folder, "sh", "-c", "ls *.deb").trim().split("\n"))
      run(folder, "dpkg", "-x", file, root);
    return root;
  } catch (error) {
    return skip(`${packages[0]} cannot be had: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function run(folder: string, program: string, ...words: readonly string[]): string {
  return execFileSync(program, words, { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

const applications = JSON.stringify([plainApplication, otherApplication]);

const scriptPaths = {
  django: { introspection: "/o/introspect/", revocation: "/o/revoke_token/" },
  other: { introspection: "/oauth/introspect", revocation: "/oauth/revoke" },
};

export async function startPython(name: "django" | "authlib", root: string): Promise<PackagedServer> {
  const folders = { PYTHONPATH: join(root, "usr/lib/python3/dist-packages") };
  const origin = await startScript("/usr/bin/python3", `${name}_server.py`, folders);
  const paths = scriptPaths[name === "django" ? name : "other"];
  return { ...scripted(origin), issuer: origin, paths, variables: pathVariables(paths) };
}

/** Doorkeeper has metadata only with its OpenID extension. */
export async function startDoorkeeper(root: string, hasOpenId: boolean): Promise<PackagedServer> {
  const gems = "rubygems-integration/*/gems/*/lib";
  const patterns = `usr/share/${gems} usr/share/${gems}/concurrent-ruby usr/lib/*/${gems}
    usr/lib/*/rubygems-integration/*/extensions/*/*/* usr/lib/ruby/vendor_ruby usr/lib/*/ruby/vendor_ruby/*`;
  // Drops patterns without a match.
  const folders = run(root, "sh", "-c", `for each in ${patterns.replace("\n", " ")}; do echo "$each"; done`)
    .trim()
    .split("\n")
    .filter((name) => !name.includes("*"));
  const environment = { RUBYLIB: folders.map((name) => join(root, name)).join(":") };
  const issuer = `http://127.0.0.1:${await freePort()}`;
  const origin = await startScript("/usr/bin/ruby", "doorkeeper_server.rb", {
    ...environment,
    ...(hasOpenId ? { OPENID: issuer } : {}),
  });
  const paths = scriptPaths.other;
  return { ...scripted(origin), issuer: origin, paths, variables: hasOpenId ? {} : pathVariables(paths) };
}

function pathVariables({ introspection, revocation }: PackagedServer["paths"]): Variables {
  return { GRANTCTL_INTROSPECTION_PATH: introspection ?? "", GRANTCTL_REVOCATION_PATH: revocation };
}

/** Installs packages of the npm registry into a temporary folder, and starts a script that uses them. */
export async function startNpm(
  script: string,
  packages: readonly string[],
  skip: (reason: string) => never,
): Promise<PackagedServer> {
  const folder = makeFolder();
  try {
    const flags = ["--no-audit", "--no-fund", "--ignore-scripts", "--legacy-peer-deps", "--prefix", folder];
    run(folder, "npm", "install", ...flags, ...packages);
  } catch (error) {
    skip(`${packages[0]} cannot be installed: ${String(error)}`);
  }
  const path = fileURLToPath(new URL(`npm/${script}`, import.meta.url));
  const lines = start(process.execPath, [path], { MODULES: join(folder, "node_modules") });
  type Client = Pick<Application, "id" | "secret">;
  const { issuer, origin, own, other } = JSON.parse(String((await lines.next()).value)) as {
    readonly [name in "issuer" | "origin"]: string;
  } & { readonly [name in "own" | "other"]: Client };
  const ask = async (query: string): Promise<unknown> => (await fetch(origin + query)).json();
  const wellKnown = `/.well-known/oauth-authorization-server${issuer.slice(origin.length)}`;
  const metadata = (await ask(wellKnown)) as Readonly<Record<string, string | undefined>>;
  return {
    issuer,
    own: { ...own, auth: "basic" },
    other: { ...other, auth: "basic" },
    paths: {
      introspection: metadata["introspection_endpoint"],
      revocation: metadata["revocation_endpoint"] ?? "",
    },
    variables: {},
    issue: async (kind, { id }) => {
      const issued = await ask(`/issue?client=${id === own.id ? "own" : "other"}`);
      return (issued as Readonly<Record<string, string>>)[`${kind}_token`] ?? "";
    },
    isActive: async (token) => (await ask(`/active?token=${encodeURIComponent(token)}`)) === true,
  };
}

/** Starts a script that prints its port; resolves with its origin. */
async function startScript(interpreter: string, name: string, environment: Variables): Promise<string> {
  const script = fileURLToPath(new URL(`debian/${name}`, import.meta.url));
  const lines = start(interpreter, [script, makeFolder(), applications], environment);
  const port = await lines.next();
  return `http://127.0.0.1:${String(port.value)}`;
}

/** Starts a program that ends with the test. Returns the lines of its standard output; a failure if it ends before. */
function start(program: string, words: readonly string[], environment: Variables): AsyncIterator<string> {
  const child = spawn(program, words, {
    env: { PATH: "/usr/bin:/bin", ...environment },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "exit");
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  return createInterface(child.stdout)[Symbol.asyncIterator]();
}

/** The interface of a scripted server for tests. */
function scripted(origin: string): Pick<PackagedServer, "own" | "other" | "issue" | "isActive"> {
  const ask = async (path: string, question: object): Promise<Readonly<Record<string, unknown>>> => {
    const response = await fetch(origin + path, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(question),
    });
    return (await response.json()) as Readonly<Record<string, unknown>>;
  };
  return {
    own: plainApplication,
    other: otherApplication,
    issue: async (kind, { id }) => String((await ask("/test/issue", { client_id: id, kind }))["token"]),
    isActive: async (token) => (await ask("/test/active", { token }))["active"] === true,
  };
}

export async function startGlewlwyd(root: string): Promise<PackagedServer> {
  const folder = makeFolder();
  const database = join(folder, "glewlwyd.db");
  const script = gunzipSync(readFileSync(join(root, "usr/share/doc/glewlwyd/database/init.sqlite3.sql.gz")));
  queryDatabase(database, "connection.executescript(sys.stdin.read())", script.toString("utf8"));
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const configuration = join(folder, "glewlwyd.conf");
  writeFileSync(configuration, glewlwydConfiguration(root, port, database));
  mkdirSync(join(root, "usr/lib/glewlwyd/user_middleware"), { recursive: true });
  start(join(root, "usr/bin/glewlwyd"), [`--config-file=${configuration}`], {
    LD_LIBRARY_PATH: libraryPath(root),
  });
  await fillGlewlwyd(origin);
  return {
    issuer: `${origin}/api/oidc`,
    own: plainApplication,
    other: otherApplication,
    paths: { introspection: "/api/oidc/introspect", revocation: "/api/oidc/revoke" },
    variables: {},
    issue: async (kind, { id, secret }) => {
      const response = await fetch(`${origin}/api/oidc/token`, {
        method: "POST",
        headers: { Authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString("base64")}` },
        body: new URLSearchParams({ grant_type: "password", scope: "reports", ...octavia }),
      });
      const tokens = (await response.json()) as { access_token: string; refresh_token: string };
      return kind === "refresh" ? tokens.refresh_token : tokens.access_token;
    },
    isActive: (token) => {
      const hash = `{SHA512}${createHash("sha512").update(token).digest("base64")}`;
      const query = `SELECT gpoa_enabled FROM gpo_access_token WHERE gpoa_token_hash = ?1
        UNION ALL SELECT gpor_enabled FROM gpo_refresh_token WHERE gpor_token_hash = ?1`;
      const call = `print([row[0] for row in connection.execute("""${query}""", [sys.stdin.read()])])`;
      const rows = JSON.parse(queryDatabase(database, call, hash)) as readonly number[];
      if (rows.length !== 1) throw new Error("the token is not in the database");
      return Promise.resolve(rows[0] === 1);
    },
  };
}

/** Runs a line of Python on an SQLite database, and returns what it prints. */
function queryDatabase(database: string, line: string, input: string): string {
  const program = `import sqlite3, sys\nwith sqlite3.connect(sys.argv[1]) as connection: ${line}`;
  return execFileSync("python3", ["-c", program, database], { input, encoding: "utf8" });
}

const octavia = { username: "octavia", password: "octavia-password" };

function libraryPath(root: string): string {
  return run(root, "sh", "-c", "echo usr/lib/*-linux-gnu")
    .trim()
    .split(" ")
    .map((name) => join(root, name))
    .join(":");
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

function glewlwydConfiguration(root: string, port: number, database: string): string {
  const modules = join(root, "usr/lib/glewlwyd");
  return `port=${port}
bind_address="127.0.0.1"
external_url="http://127.0.0.1:${port}"
login_url="login.html"
api_prefix="api"
static_files_path="${join(root, "usr/share/glewlwyd/webapp/")}"
log_mode="console"
log_level="ERROR"
cookie_domain="127.0.0.1"
cookie_secure=0
session_expiration=2419200
session_key="GLEWLWYD2_SESSION_ID"
admin_scope="g_admin"
profile_scope="g_profile"
user_module_path="${modules}/user"
user_middleware_module_path="${modules}/user_middleware"
client_module_path="${modules}/client"
user_auth_scheme_module_path="${modules}/scheme"
plugin_module_path="${modules}/plugin"
hash_algorithm="SHA512"
database = { type = "sqlite3" path = "${database}" };
`;
}

/** Adds the OpenID plugin, a scope, a user and two applications to a new server. */
async function fillGlewlwyd(origin: string): Promise<void> {
  const send = (path: string, body: object, headers: Readonly<Record<string, string>> = {}) =>
    fetch(`${origin}/api${path}`, {
      method: "POST",
      headers: { "Content-Type": "application/json", ...headers },
      body: JSON.stringify(body),
    });
  const login = await whenListening(() => send("/auth/", { username: "admin", password: "password" }));
  const [cookie = ""] = login.headers.getSetCookie().map((line) => line.split(";")[0] ?? "");
  const add = async (path: string, body: object): Promise<void> => {
    const response = await send(path, body, { Cookie: cookie });
    if (response.status !== 200) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  };
  await add("/mod/plugin/", {
    module: "oidc",
    name: "oidc",
    display_name: "oidc",
    order_rank: 0,
    readonly: false,
    parameters: {
      iss: `${origin}/api/oidc`,
      "jwt-type": "sha",
      "jwt-key-size": "256",
      key: "0123456789abcdef0123456789abcdef",
      "access-token-duration": 3600,
      "refresh-token-duration": 86_400,
      "code-duration": 600,
      "refresh-token-rolling": false,
      "refresh-token-one-use": "never",
      "allow-non-oidc": true,
      "auth-type-code-enabled": true,
      "auth-type-token-enabled": false,
      "auth-type-id-token-enabled": true,
      "auth-type-none-enabled": false,
      "auth-type-password-enabled": true,
      "auth-type-client-enabled": true,
      "auth-type-refresh-enabled": true,
      "auth-type-device-enabled": false,
      "introspection-revocation-allowed": true,
      "introspection-revocation-allow-target-client": true,
      "introspection-revocation-auth-scope": [],
      "subject-type": "public",
      "jwks-show": false,
      "request-parameter-allow": false,
      "name-claim": "no",
      "email-claim": "no",
      "scope-claim": "no",
    },
  });
  await add("/scope/", {
    name: "reports",
    display_name: "Reports",
    description: "Reports",
    password_required: true,
    password_max_age: 0,
  });
  await add("/user/", { ...octavia, name: "Octavia", enabled: true, scope: ["reports", "openid"] });
  for (const { id, secret } of [plainApplication, otherApplication]) {
    await add("/client/", {
      client_id: id,
      name: id,
      client_secret: secret,
      password: secret,
      confidential: true,
      enabled: true,
      scope: ["reports"],
      authorization_type: ["password", "refresh_token"],
      token_endpoint_auth_method: ["client_secret_basic", "client_secret_post"],
      redirect_uri: ["https://app.example.com/callback"],
    });
  }
}

/** Repeats a request until the server listens. */
async function whenListening(send: () => Promise<Response>): Promise<Response> {
  for (;;) {
    try {
      return await send();
    } catch {
      await delay(100);
    }
  }
}
