// Cuts the schemas that the npm package kubernetes-models 3.1.0 carries (of Kubernetes 1.22) down to a Job that runs a
// container, so that they are small enough to be a fixture; a field that is not known is refused, as the server does.
// node test/docs/kubernetes/slim-job-schema.mjs FOLDER_OF_THE_PACKAGE FOLDER_OF_ITS_APIMACHINERY OUT.json
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const [, , models = "", machinery = "", to = ""] = process.argv;
const root = "io.k8s.api.batch.v1.Job";
/** The followed fields; a field that leads elsewhere is left out. */
const kept = [
  root,
  "io.k8s.api.batch.v1.JobSpec",
  "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta",
  "io.k8s.api.core.v1.PodTemplateSpec",
  "io.k8s.api.core.v1.PodSpec",
  "io.k8s.api.core.v1.Container",
  "io.k8s.api.core.v1.EnvVar",
  "io.k8s.api.core.v1.EnvVarSource",
  "io.k8s.api.core.v1.SecretKeySelector",
  "io.k8s.api.core.v1.EnvFromSource",
  "io.k8s.api.core.v1.SecretEnvSource",
  "io.k8s.api.core.v1.ConfigMapEnvSource",
  "io.k8s.api.core.v1.VolumeMount",
  "io.k8s.api.core.v1.Volume",
  "io.k8s.api.core.v1.SecretVolumeSource",
  "io.k8s.api.core.v1.KeyToPath",
  "io.k8s.api.core.v1.PersistentVolumeClaimVolumeSource",
];

function read(name) {
  const file = `_schemas/${name
    .split(/[.-]/)
    .map((part) => part[0].toUpperCase() + part.slice(1))
    .join("")}.mjs`;
  const path = [models, machinery].map((folder) => join(folder, file)).find((each) => existsSync(each));
  return JSON.parse(/^const schema = (\{.*?^\});$/ms.exec(readFileSync(path, "utf8"))[1]);
}

/** Null for what leads out of what is kept. */
function slim(schema) {
  const { oneOf, $ref, type, properties, required, items, additionalProperties } = schema;
  const [one] = oneOf ?? [];
  if (one !== undefined) return slim(one);
  if ($ref !== undefined) {
    const name = $ref.replace(/#$/, "");
    return kept.includes(name) ? { $ref: `#/definitions/${name}` } : null;
  }
  if (properties !== undefined) {
    const slimmed = Object.entries(properties).map(([name, each]) => [name, slim(each)]);
    return {
      type: "object",
      properties: Object.fromEntries(slimmed.filter(([, each]) => each !== null)),
      ...(required === undefined ? {} : { required }),
      additionalProperties: false,
    };
  }
  if (items !== undefined) {
    const item = slim(items);
    return item === null ? null : { type, items: item };
  }
  if (typeof additionalProperties === "object") {
    const value = slim(additionalProperties);
    return value === null ? null : { type, additionalProperties: value };
  }
  return schema.enum === undefined ? { type } : { type, enum: schema.enum };
}

const definitions = Object.fromEntries(kept.map((name) => [name, slim(read(name))]));
writeFileSync(to, `${JSON.stringify({ $ref: `#/definitions/${root}`, definitions })}\n`);
