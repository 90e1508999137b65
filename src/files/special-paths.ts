// Recognises paths that do not name a file in a folder, by their text: inherited descriptors, devices and streams.

/**
 * True if the path is a descriptor that grantctl was started with, such as the pipe of a shell's `<(command)`. It has a
 * writer already; opening a named pipe would wait for one.
 */
export function isInheritedDescriptor(path: string): boolean {
  return /^\/(?:dev\/fd|proc\/self\/fd)\/\d+$|^\/dev\/stdin$/.test(path);
}

/**
 * True if Windows reads the path as a device (`NUL`, `aux.txt`), or as a stream of a file (`new.txt:values`). Node
 * creates plain files with such names, which most programs cannot open.
 * https://learn.microsoft.com/en-us/windows/win32/fileio/naming-a-file
 */
export function namesDeviceOrStream(path: string): boolean {
  const name = path.replace(/^[a-z]:/i, "").replace(/^.*[\\/]/s, "");
  const [beforeDot = ""] = name.split(".");
  return name.includes(":") || devices.test(beforeDot.trimEnd());
}

/** Reserved in any folder, with any extension. */
const devices = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³])$/i;
