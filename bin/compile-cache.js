// Has Node keep what it compiles, from 22.1 on, where that exists. In the user's own folder, not in one that is shared
// with others: what is in it is run.
const nodeModule = require("node:module");
const { homedir } = require("node:os");
const path = require("node:path");

const { XDG_CACHE_HOME, LOCALAPPDATA } = process.env;
const usual = process.platform === "darwin" ? ["Library", "Caches"] : [".cache"];
const named = process.platform === "win32" ? LOCALAPPDATA : XDG_CACHE_HOME;
const folder = named !== undefined && path.isAbsolute(named) ? named : path.join(homedir(), ...usual);
nodeModule.enableCompileCache(path.join(folder, "grantctl"));
