// A library of Windows that Wine 8 does not have, and that native packages need for random numbers: bcryptprimitives.dll.
// Nothing of ours is in it: it says that its one function is another library's, which takes and gives the same.

const exported = "ProcessPrng";
const forwardedTo = "ADVAPI32.SystemFunction036";
const fileAlignment = 0x200;
const sectionAddress = 0x1000;

/** The bytes of the library: headers, and one section with its table of exports (the PE format, PE32+). */
export function missingLibrary() {
  const section = Buffer.alloc(fileAlignment);
  // The table itself has 40 bytes; behind it stand an address, a name's address, an ordinal, and three texts.
  const [functions, names, ordinals] = [40, 44, 48];
  const texts = { library: 52, name: 80, forward: 100 };
  section.writeUInt32LE(sectionAddress + texts.library, 12);
  section.writeUInt32LE(1, 16);
  section.writeUInt32LE(1, 20);
  section.writeUInt32LE(1, 24);
  section.writeUInt32LE(sectionAddress + functions, 28);
  section.writeUInt32LE(sectionAddress + names, 32);
  section.writeUInt32LE(sectionAddress + ordinals, 36);
  section.writeUInt32LE(sectionAddress + texts.forward, functions);
  section.writeUInt32LE(sectionAddress + texts.name, names);
  section.write("bcryptprimitives.dll\0", texts.library, "latin1");
  section.write(`${exported}\0`, texts.name, "latin1");
  section.write(`${forwardedTo}\0`, texts.forward, "latin1");

  const head = Buffer.alloc(fileAlignment);
  head.write("MZ", 0, "latin1");
  const pe = 64;
  head.writeUInt32LE(pe, 60);
  head.write("PE\0\0", pe, "latin1");
  const file = pe + 4;
  head.writeUInt16LE(0x8664, file);
  head.writeUInt16LE(1, file + 2);
  head.writeUInt16LE(240, file + 16);
  head.writeUInt16LE(0x2022, file + 18);
  const optional = file + 20;
  head.writeUInt16LE(0x20b, optional);
  head.writeBigUInt64LE(0x180000000n, optional + 24);
  head.writeUInt32LE(sectionAddress, optional + 32);
  head.writeUInt32LE(fileAlignment, optional + 36);
  // Needs Windows 6.0 and later.
  head.writeUInt16LE(6, optional + 40);
  head.writeUInt16LE(6, optional + 48);
  head.writeUInt32LE(2 * sectionAddress, optional + 56);
  head.writeUInt32LE(fileAlignment, optional + 60);
  head.writeUInt16LE(2, optional + 68);
  // May be loaded anywhere, and holds no code.
  head.writeUInt16LE(0x140, optional + 70);
  head.writeUInt32LE(16, optional + 108);
  head.writeUInt32LE(sectionAddress, optional + 112);
  head.writeUInt32LE(fileAlignment, optional + 116);
  const table = optional + 240;
  head.write(".edata\0\0", table, "latin1");
  head.writeUInt32LE(fileAlignment, table + 8);
  head.writeUInt32LE(sectionAddress, table + 12);
  head.writeUInt32LE(fileAlignment, table + 16);
  head.writeUInt32LE(fileAlignment, table + 20);
  head.writeUInt32LE(0x40000040, table + 36);
  return Buffer.concat([head, section]);
}
