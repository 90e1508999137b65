// Lays out what is unpacked on a machine without Node: launcher, program and Node, manual page, completions where shells
// look for them, and the licences of all of it. On Windows, only what Windows has a use for.
import {
  chmodSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { addToBill } from "./bill.mjs";
import { fetchNode, installPackages, run } from "./npm.mjs";
import { licenceTarget, nodeVersion } from "./targets.mjs";

const here = import.meta.dirname;

/** The folders in which each shell looks, below a prefix such as /usr. */
const completions = {
  bash: "share/bash-completion/completions/grantctl",
  zsh: "share/zsh/site-functions/_grantctl",
  fish: "share/fish/vendor_completions.d/grantctl.fish",
  powershell: "completions/grantctl.ps1",
};

const notices = ["LICENSE", "CHANGELOG.md", "THIRD-PARTY-NOTICES.txt", "sbom.cdx.json"];

function put(file, content, mode = 0o644) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
  chmodSync(file, mode);
}

/** Fills `folder`, which is empty, with the program for a system. `scratch` is a folder for what is only needed meanwhile. */
export function layOutProgram(target, tarball, folder, scratch) {
  const isWindows = target.os === "win32";
  const program = join(folder, "lib", "grantctl");
  mkdirSync(program, { recursive: true });
  run("tar", ["-xzf", tarball, "-C", program, "--strip-components=1"]);
  installPackages(target, join(program, "node_modules"), join(scratch, "install"));
  fetchNode(target, join(scratch, "node"));
  const node = join(program, isWindows ? "node.exe" : "node");
  copyFileSync(join(scratch, "node", target.node), node);
  chmodSync(node, 0o755);

  const documents = join(folder, isWindows ? "." : "share/doc/grantctl");
  mkdirSync(documents, { recursive: true });
  for (const name of notices) renameSync(join(program, name), join(documents, name));
  writeFileSync(
    join(documents, "sbom.cdx.json"),
    addToBill(join(documents, "sbom.cdx.json"), program, nodeVersion),
  );
  if (target !== licenceTarget && isWindows) fetchNode(licenceTarget, join(scratch, "licence"));
  cpSync(join(scratch, isWindows ? "licence" : "node", "LICENSE"), join(documents, "LICENSE-node"));
  rmSync(join(program, "README.md"));

  const launcher = isWindows ? "grantctl.cmd" : "bin/grantctl";
  const script = readFileSync(join(here, `grantctl.${isWindows ? "cmd" : "sh"}`), "utf8");
  put(join(folder, launcher), isWindows ? script.replaceAll("\n", "\r\n") : script, 0o755);
  const manual = join(program, "dist", "grantctl.1");
  if (!isWindows) put(join(folder, "share", "man", "man1", "grantctl.1"), readFileSync(manual));
  rmSync(manual);
  const shells = isWindows ? ["powershell"] : ["bash", "zsh", "fish"];
  for (const shell of shells)
    put(
      join(folder, completions[shell]),
      run(process.execPath, ["bin/grantctl.js", "completion", shell], { cwd: join(here, "..") }),
    );
}
