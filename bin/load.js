// Loads the program's chunks, and keeps the code that V8 compiled from them in a folder of the user's, so that the next
// start compiles nothing. Node's own compile cache, which Node 20 lacks, leaves out functions that are first called
// later, which are most of them. The code in the folder is run, so files that others can change are ignored. One run
// makes the folder and the next one fills it, because a machine that runs the program only once gains nothing from it.
const fs = require("node:fs");
const { homedir } = require("node:os");
const path = require("node:path");
const vm = require("node:vm");

const programFolder = path.join(__dirname, "..", "dist");

const importModule = (id) => import(id);

/** A chunk's name with a hash in it, so that the same name means the same code. */
const lasting = /-[\w-]{8}\.cjs$/;

/** After longer runs nothing is written: V8 has discarded by then what it compiled for the start. */
const longestRunMicroseconds = 1_000_000;

/**
 * Loads chunks of the folder `dist`, with the compiled code in the folder `kept`; null keeps none. `ran` is the
 * process's CPU time in microseconds.
 */
function createLoader(dist, kept, ran = () => process.cpuUsage().user) {
  const modules = new Map();
  const scripts = new Map();
  let isComplete = true;

  function compile(name) {
    const filename = path.join(dist, name);
    const compiled = kept === null || !lasting.test(name) ? undefined : readKept(path.join(kept, name));
    // Each is a function (build.mjs), in nothing but ASCII.
    const script = new vm.Script(fs.readFileSync(filename, "latin1"), { filename, cachedData: compiled });
    if (lasting.test(name)) {
      scripts.set(name, script);
      // V8 refuses the code of later chunks if the run has set switches of V8 by then, so only the first chunk counts.
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
    /** Writes the compiled code to the folder if the folder exists, and otherwise only makes the folder. */
    keep() {
      if (kept === null || isComplete || ran() > longestRunMicroseconds) return;
      try {
        if (!fs.existsSync(kept)) makeFolder(kept);
        else for (const [name, script] of scripts) writeKept(path.join(kept, name), script);
      } catch {
        // Without the compiled code, the next start only takes a little longer.
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

/** V8 does not notice that a file was cut off, so its length stands in its last four bytes. */
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

/** Writes the file whole or not at all. */
function writeKept(file, script) {
  const draft = `${file}.${process.pid}`;
  try {
    writeDraft(draft, script);
    fs.renameSync(draft, file);
  } catch (error) {
    // On a full disk, each run would leave one more.
    fs.rmSync(draft, { force: true });
    throw error;
  }
}

function writeDraft(file, script) {
  const descriptor = fs.openSync(file, "wx", 0o600);
  try {
    const bytes = script.createCachedData();
    const length = Buffer.alloc(4);
    length.writeUInt32LE(bytes.length);
    fs.writeFileSync(descriptor, Buffer.concat([bytes, length]));
    fs.fsyncSync(descriptor);
  } finally {
    fs.closeSync(descriptor);
  }
}

/**
 * The folder of the compiled code: in the user's cache folder, separate for each version of Node and each user, because
 * one user may run with the home folder of another. Null where it is switched off, and where Node has switches, with
 * which V8 compiles differently.
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

/** The home folder; null for a user without one, as in a container, and for a relative path, which may be anywhere. */
function homeFolder() {
  try {
    const home = homedir();
    return path.isAbsolute(home) ? home : null;
  } catch {
    return null;
  }
}

module.exports = { createLoader, keptFolder, programFolder };
