// Recognises paths that Windows reads as devices or streams, by their text.

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
