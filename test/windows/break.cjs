// Loaded before the program: it hears Ctrl-Break as soon as a file is there. Wine 8 cannot send that event.
const { existsSync } = require("node:fs");

const pressed = process.env.GRANTCTL_TEST_BREAK;
const watch = setInterval(() => {
  if (!existsSync(pressed)) return;
  clearInterval(watch);
  process.emit("SIGBREAK", "SIGBREAK");
}, 20).unref();
