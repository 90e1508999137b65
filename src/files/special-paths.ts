// Paths that do not name a plain file in a folder, whatever stands there.

/**
 * True if the path is a descriptor that grantctl was started with, such as the pipe of a shell's `<(command)`. It has a
 * writer already; opening a named pipe would wait for one.
 */
export function isInheritedDescriptor(path: string): boolean {
  return /^\/(?:dev\/fd|proc\/self\/fd)\/\d+$|^\/dev\/stdin$/.test(path);
}

/**
 * True if Windows takes the path for a device (`NUL`, `aux.txt`), or for a stream inside of a file (`new.txt:values`).
 * Node makes plain files of such names, which most programs cannot open again.
 * https://learn.microsoft.com/en-us/windows/win32/fileio/naming-a-file
 */
export function namesDeviceOrStream(path: string): boolean {
  const name = path.replace(/^[a-z]:/i, "").replace(/^.*[\\/]/s, "");
  const [beforeDot = ""] = name.split(".");
  return name.includes(":") || devices.test(beforeDot.trimEnd());
}

/** In any folder, whatever follows their first dot. */
const devices = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³])$/i;
