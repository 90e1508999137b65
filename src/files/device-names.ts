// Names that mean a device on Windows, whatever folder they are in and whatever is behind their first dot, and parts of
// a file that no list of files shows. Node opens plain files of such names, which most programs cannot open again.
// https://learn.microsoft.com/en-us/windows/win32/fileio/naming-a-file

const devices = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³])$/i;

/** Whether Windows takes the path for a device (`NUL`, `aux.txt`), or for a stream inside of a file (`new.txt:values`). */
export function namesDeviceOrStream(path: string): boolean {
  const name = path.replace(/^[a-z]:/i, "").replace(/^.*[\\/]/s, "");
  const [beforeDot = ""] = name.split(".");
  return name.includes(":") || devices.test(beforeDot.trimEnd());
}
