// Loads the program's chunks, and keeps in a folder of the user's what V8 compiled of them, so that the next start
// compiles nothing. Node's own way of keeping it, which Node 20 has not, leaves out the functions that were first called
// later on, which is most of them. What is in the folder is run: files that others may change are not taken. It is
// made by one run and filled by the next, because a machine that runs the program once gains nothing by it.
const fs = require("node:fs");
const { homedir } = require("node:os");
const path = require("node:path");
const vm = require("node:vm");

const programFolder = path.join(__dirname, "..", "dist");

/** What Node hands to every module of this kind, and what takes the place of `import()`. */
const head = "(function (exports, require, module, __filename, __dirname, importModule) { ";

const importModule = (id) => import(id);

/** A chunk's name with a hash in it, so that the same name means the same code. */
const lasting = /-[\w-]{8}\.cjs$/;

/** Longer runs are no example of a start: V8 has thrown away by then what it called at the beginning. */
const longestRunMicroseconds = 1_000_000;

/**
 * Loads chunks of the folder `dist`, with help of what is kept in the folder `kept`; null keeps nothing. `ran` says for how
 * long the processor has worked.
 */
function createLoader(dist, kept, ran = () => process.cpuUsage().user) {
  const modules = new Map();
  const scripts = new Map();
  let isComplete = true;

  function compile(name) {
    const filename = path.join(dist, name);
    const compiled = kept === null || !lasting.test(name) ? undefined : readKept(path.join(kept, name));
    const script = new vm.Script(`${head}${fs.readFileSync(filename, "utf8")}\n})`, {
      filename,
      columnOffset: -head.length,
      cachedData: compiled,
    });
    if (lasting.test(name)) {
      scripts.set(name, script);
      // What is loaded under switches that the run has set, V8 refuses each time. Those of the first are the usual ones.
      isComplete &&= compiled !== undefined && (scripts.size > 1 || script.cachedDataRejected === false);
    }
    return { filename, run: script.runInThisContext() };
  }

  function load(name) {
    const known = modules.get(name);
    if (known !== undefined) return known.exports;
    const { filename, run } = compile(name);
    const module = { exports: {} };
    modules.set(name, module);
    const requireFrom = (id) => (id.startsWith("./") ? load(id.slice(2)) : require(id));
    run.call(module.exports, module.exports, requireFrom, module, filename, dist, importModule);
    return module.exports;
  }

  return {
    load,
    /** Whether there is nothing to write. */
    isComplete: () => isComplete,
    /** Writes down what was compiled, where the folder was there; else makes it. */
    keep() {
      if (kept === null || isComplete || ran() > longestRunMicroseconds) return;
      try {
        if (!fs.existsSync(kept)) makeFolder(kept);
        else for (const [name, script] of scripts) writeKept(path.join(kept, name), script);
      } catch {
        // The next start takes a little longer, that is all.
      }
    },
  };
}

/**
 * Makes the folder and those above it. Node's own way of doing so never ends below a folder in which nothing can be
 * made, as in /proc.
 */
function makeFolder(folder) {
  const above = path.dirname(folder);
  if (!fs.existsSync(above) && above !== folder) makeFolder(above);
  fs.mkdirSync(folder, 0o700);
}

/** V8 takes any bytes for what it once wrote, so that the length is written behind them. */
function readKept(file) {
  let descriptor;
  try {
    descriptor = fs.openSync(file, "r");
    const { uid, mode } = fs.fstatSync(descriptor);
    const isOwn = process.getuid === undefined || (uid === process.getuid() && (mode & 0o022) === 0);
    const bytes = isOwn ? fs.readFileSync(descriptor) : Buffer.alloc(0);
    const length = bytes.length - 4;
    return length > 0 && bytes.readUInt32LE(length) === length ? bytes.subarray(0, length) : undefined;
  } catch {
    return undefined;
  } finally {
    if (descriptor !== undefined) fs.closeSync(descriptor);
  }
}

/** Whole or not at all, whatever happens meanwhile. */
function writeKept(file, script) {
  const temporary = `${file}.${process.pid}`;
  const descriptor = fs.openSync(temporary, "wx", 0o600);
  try {
    const bytes = script.createCachedData();
    const length = Buffer.alloc(4);
    length.writeUInt32LE(bytes.length);
    fs.writeFileSync(descriptor, Buffer.concat([bytes, length]));
    fs.fsyncSync(descriptor);
  } finally {
    fs.closeSync(descriptor);
  }
  fs.renameSync(temporary, file);
}

/**
 * Where what was compiled is kept: in the user's own folder, apart for each Node and each user, because one may run with
 * another one's home. Null where that is switched off, and where Node was given switches, under which V8 compiles
 * otherwise.
 */
function keptFolder({ env, execArgv, platform, version, arch, getuid }) {
  if (env.NODE_DISABLE_COMPILE_CACHE || env.NODE_OPTIONS || execArgv.length > 0) return null;
  const usual = platform === "darwin" ? ["Library", "Caches"] : [".cache"];
  const named = platform === "win32" ? env.LOCALAPPDATA : env.XDG_CACHE_HOME;
  const home = homeFolder();
  const isNamed = named !== undefined && path.isAbsolute(named);
  if (!isNamed && home === null) return null;
  const caches = isNamed ? named : path.join(home, ...usual);
  const user = getuid === undefined ? "" : `-${getuid()}`;
  return path.join(caches, "grantctl", `${version}-${platform}-${arch}${user}`);
}

/** Null for a user whom nobody knows, as in a container, and for a relative one: no program is taken from the current folder. */
function homeFolder() {
  try {
    const home = homedir();
    return path.isAbsolute(home) ? home : null;
  } catch {
    return null;
  }
}

module.exports = { createLoader, keptFolder, programFolder };
