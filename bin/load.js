// Loads the files of dist with V8's code cache, because compiling them takes a third of a small command. The build writes
// the cache of the files that help and lists load. V8 itself rejects a cache for other flags or another version; a file
// without a cache, or with a rejected one, is compiled as usual.
//
//   place    beside the code, so that only those who can change the code can change what runs in its place
//   Node     the name has what V8 does not compare: the release of Node, the platform and the processor
//   source   V8 compares only its length; so only files whose name has a hash of the source have a cache
//   damage   V8 does not look for it, and would crash; so the data is there twice: to compare both takes less time than to
//            load a module of Node that has checksums
const { readFileSync } = require("node:fs");
const { join } = require("node:path");
const { Script } = require("node:vm");

const dist = join(__dirname, "../dist");
const suffix = `${process.version}-${process.platform}-${process.arch}.cache`;
const cacheOf = (name) => join(dist, `${name}.${suffix}`);
const hasCache = (name) => /-[\w-]{8}\.cjs$/.test(name);

/** The loaded files by name, in the order in which they were loaded. */
const modules = new Map();
const opening = "(function (exports, require, module, __filename, __dirname) {";

/** The exports of a file of dist. */
function load(name) {
  const known = modules.get(name);
  if (known !== undefined) return known.exports;
  const filename = join(dist, name);
  const script = new Script(`${opening}${readFileSync(filename, "utf8")}\n})`, {
    filename,
    columnOffset: -opening.length,
    cachedData: hasCache(name) ? readCache(name) : undefined,
  });
  const module = { exports: {}, script };
  modules.set(name, module);
  const requireFrom = (id) => (id.startsWith("./") ? load(id.slice(2)) : require(id));
  script.runInThisContext()(module.exports, requireFrom, module, filename, dist);
  return module.exports;
}

function readCache(name) {
  try {
    const bytes = readFileSync(cacheOf(name));
    const data = bytes.subarray(0, bytes.length / 2);
    return data.equals(bytes.subarray(data.length)) ? data : undefined;
  } catch {
    return undefined;
  }
}

module.exports = { load, modules, hasCache, cacheOf };
