// Cuts a published OpenAPI description down to the operations that grantctl speaks, so that it is small enough to be a
// fixture: node test/servers/slim-description.mjs node_modules/@octokit/openapi/generated/ghes-3.19.json OUT.json
import { readFileSync, writeFileSync } from "node:fs";

const [, , from = "", to = ""] = process.argv;
const paths = [
  /^\/applications\/grants(?:\/\{grant_id\})?$/,
  /^\/applications\/\{client_id\}\/(?:token|grant)$/,
  /^\/authorizations(?:\/\{authorization_id\})?$/,
  /^\/authorizations\/clients\//,
  /^\/meta$/,
];
const whole = JSON.parse(readFileSync(from, "utf8"));
const kept = Object.fromEntries(
  Object.entries(whole.paths).filter(([path]) => paths.some((one) => one.test(path))),
);
const components = {};

/** Without prose, and with every piece that is referred to. */
function slim(value, isProperties = false) {
  if (Array.isArray(value)) return value.map((each) => slim(each));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).filter(
    ([name]) => isProperties || !/^(?:description|externalDocs|tags|x-.*)$/.test(name),
  );
  if (typeof value.$ref === "string") keep(value.$ref);
  return Object.fromEntries(entries.map(([name, each]) => [name, slim(each, name === "properties")]));
}

function keep(reference) {
  const [, , kind, name] = reference.split("/");
  components[kind] ??= {};
  if (components[kind][name] !== undefined) return;
  components[kind][name] = {};
  components[kind][name] = slim(whole.components[kind][name]);
}

const slimPaths = slim(kept);
// An answer has to have a description; it need not say anything.
const answers = (operation) => Object.values(operation?.responses ?? {});
for (const answer of [
  ...Object.values(slimPaths).flatMap((path) => Object.values(path).flatMap(answers)),
  ...Object.values(components.responses ?? {}),
]) {
  if (answer.$ref === undefined) answer.description = "";
}
const { title, version, license } = whole.info;
writeFileSync(
  to,
  `${JSON.stringify({ openapi: whole.openapi, info: { title, version, license }, servers: [{ url: "/" }], paths: slimPaths, components })}\n`,
);
