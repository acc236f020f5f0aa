// The disks of a fake host: files, and the pools that show those of one directory. As the real one, a pool knows a file
// that came by another way (a console's log) only once it was refreshed.

import { readOne } from "../../../src/engines/libvirt/xml/read.ts";
import { complaint } from "./complain.ts";

export interface FakeFile {
  /** From its beginning; what follows up to `size` is zeros. */
  content: Buffer;
  /** In bytes; of a raw file also its capacity. */
  size: number;
  format: string;
  /** What a guest sees of it, in bytes. */
  capacity: number;
  readonly backing: { readonly path: string; readonly format: string } | undefined;
  readonly changedAt: Date;
}

export interface FakePool {
  readonly name: string;
  readonly uuid: string;
  readonly path: string;
  /** Whether it is there again when the host was rebooted. */
  readonly isPersistent: boolean;
  /** Names of the volumes that it shows. */
  readonly known: Set<string>;
}

export class FakeStorage {
  readonly files = new Map<string, FakeFile>();
  readonly directories = new Set(["/", "/run", "/var/lib/libvirt/images"]);
  readonly pools = new Map<string, FakePool>();
  /** Of the file system that everything is on. */
  capacityBytes = 4000 * 1000 ** 3;
  /** What others have written on it. */
  takenBytes = 0;
  /** How far the host's clock is ahead. */
  clockAheadMs = 0;

  addPool(name: string, path: string, part: { uuid?: string; isPersistent?: boolean } = {}): FakePool {
    const { uuid = crypto.randomUUID(), isPersistent = true } = part;
    const pool = { name, uuid, path, isPersistent, known: new Set<string>() };
    this.directories.add(path);
    this.pools.set(name, pool);
    this.refresh(name);
    return pool;
  }

  /** Puts a volume into a pool, as from before. */
  addVolume(pool: string, name: string, part: Partial<FakeFile> = {}): FakeFile {
    const { path, known } = this.pool(pool);
    known.add(name);
    return this.write(`${path}/${name}`, part);
  }

  write(path: string, part: Partial<FakeFile> = {}): FakeFile {
    const content = part.content ?? Buffer.alloc(0);
    const size = part.size ?? Math.max(content.length, part.format === "qcow2" ? 196_616 : (part.capacity ?? 0));
    const file = { format: "raw", capacity: size, backing: undefined, changedAt: this.#now(), ...part, content, size };
    this.files.set(path, file);
    return file;
  }

  /** Text at the end of a file that is there or not. */
  append(path: string, text: string): void {
    const before = this.files.get(path)?.content ?? Buffer.alloc(0);
    this.write(path, { content: Buffer.concat([before, Buffer.from(text)]) });
  }

  /** What the volume begins with, for a test. Throws where there is none. */
  read(pool: string, name: string): Buffer {
    return this.volume(pool, name).file.content;
  }

  /** All volumes of a pool, as it shows them. */
  names(pool: string): string[] {
    return [...this.pool(pool).known].sort((a, b) => compare(a.toLowerCase(), b.toLowerCase()));
  }

  pool(name: string): FakePool {
    const pool = this.pools.get(name);
    if (pool !== undefined) return pool;
    throw complaint(`failed to get pool '${name}'`, noSuchPool(name));
  }

  /** Throws as the commands do that name a volume. */
  volume(poolName: string, name: string): { path: string; file: FakeFile } {
    const pool = this.pool(poolName);
    if (!pool.known.has(name)) {
      throw complaint(
        `failed to get vol '${name}'`,
        `Storage volume not found: no storage vol with matching path '${name}'`,
      );
    }
    const path = `${pool.path}/${name}`;
    const file = this.files.get(path);
    if (file === undefined) throw complaint(`Storage volume not found: no storage vol with matching path '${path}'`);
    return { path, file };
  }

  /** The file of a domain's disk. Throws as a start does. */
  pathOf(poolName: string, name: string): string {
    const pool = this.pools.get(poolName);
    if (pool === undefined) throw complaint(noSuchPool(poolName));
    if (pool.known.has(name)) return `${pool.path}/${name}`;
    throw complaint(`Storage volume not found: no storage vol with matching name '${name}'`);
  }

  createPool(xml: string, builds: boolean): void {
    const given = readOne(xml);
    const name = given.one("name")?.text ?? "";
    const path = given.one("target", "path")?.text ?? "";
    const uuid = given.one("uuid")?.text;
    const same = this.pools.get(name);
    if (same !== undefined && same.uuid === uuid) {
      throw complaint(`Requested operation is not valid: pool is already active as '${name}'`);
    }
    if (same !== undefined) throw complaint(`operation failed: pool '${name}' already exists with uuid ${same.uuid}`);
    const other = [...this.pools.values()].find((pool) => pool.path === path);
    if (other !== undefined) throw complaint(`operation failed: Storage source conflict with pool: '${other.name}'`);
    if (!builds && !this.directories.has(path)) {
      throw complaint(`cannot open directory '${path}': No such file or directory`);
    }
    this.addPool(name, path, { isPersistent: false, ...(uuid === undefined ? {} : { uuid }) });
  }

  /** Its files stay. */
  removePool(name: string): void {
    this.pools.delete(this.pool(name).name);
  }

  refresh(name: string): void {
    const { path, known } = this.pool(name);
    known.clear();
    for (const file of this.files.keys()) if (directoryOf(file) === path) known.add(file.slice(path.length + 1));
  }

  create(poolName: string, xml: string): void {
    const pool = this.pool(poolName);
    const given = readOne(xml);
    const name = given.one("name")?.text ?? "";
    const backingPath = given.one("backingStore", "path")?.text;
    const backingFormat = given.one("backingStore", "format")?.attribute("type") ?? "raw";
    const capacity =
      sizeOf(given.one("capacity")) ?? (backingPath === undefined ? undefined : this.files.get(backingPath)?.capacity);
    if (capacity === undefined) throw complaint("XML error: missing capacity element");
    if (name.includes("/")) {
      throw complaint(`Requested operation is not valid: volume name '${name}' cannot contain '/'`);
    }
    if (pool.known.has(name)) throw complaint(`storage volume '${name}' exists already`);
    const path = `${pool.path}/${name}`;
    if (this.files.has(path)) {
      throw complaint(`Requested operation is not valid: volume target path '${path}' already exists`);
    }
    if (backingPath !== undefined && !this.files.has(backingPath)) {
      throw complaint(`inaccessible backing store volume ${backingPath}: No such file or directory`);
    }
    const format = given.one("target", "format")?.attribute("type") ?? "raw";
    const backing = backingPath === undefined ? undefined : { path: backingPath, format: backingFormat };
    this.addVolume(poolName, name, { capacity, format, backing });
  }

  upload(poolName: string, name: string, bytes: Buffer, offset = 0): void {
    const { path, file } = this.volume(poolName, name);
    const content = Buffer.alloc(Math.max(file.content.length, offset + bytes.length));
    content.set(file.content);
    content.set(bytes, offset);
    const size = Math.max(file.size, content.length);
    // The size of the disk that is in a qcow2 file stands at its byte 24.
    const isImage = file.format === "qcow2" && content.subarray(0, 4).equals(Buffer.from("QFI\xfb", "latin1"));
    const qcow2Capacity = isImage ? Number(content.readBigUInt64BE(24)) : file.capacity;
    const capacity = file.format === "qcow2" ? qcow2Capacity : size;
    this.write(path, { ...file, content, size, capacity, changedAt: this.#now() });
  }

  download(poolName: string, name: string, offset: number, length: number | undefined): Buffer {
    const pool = this.pool(poolName);
    const path = `${pool.path}/${name}`;
    if (pool.known.has(name) && !this.files.has(path)) {
      throw complaint(
        `cannot download from volume ${name}`,
        `Unable to open stream for '${path}': No such file or directory`,
      );
    }
    const { file } = this.volume(poolName, name);
    const end = Math.min(file.size, length === undefined ? file.size : offset + length);
    const bytes = Buffer.alloc(Math.max(0, end - offset));
    bytes.set(file.content.subarray(offset, end));
    return bytes;
  }

  delete(poolName: string, name: string): void {
    const pool = this.pool(poolName);
    if (!pool.known.has(name)) this.volume(poolName, name);
    pool.known.delete(name);
    this.files.delete(`${pool.path}/${name}`);
  }

  poolXml(name: string): string {
    const { uuid, path } = this.pool(name);
    const taken = [...this.files.values()].reduce((sum, file) => sum + allocation(file), this.takenBytes);
    return [
      "<pool type='dir'>",
      `  <name>${name}</name>`,
      `  <uuid>${uuid}</uuid>`,
      `  <capacity unit='bytes'>${this.capacityBytes}</capacity>`,
      `  <allocation unit='bytes'>${taken}</allocation>`,
      `  <available unit='bytes'>${this.capacityBytes - taken}</available>`,
      "  <source>\n  </source>",
      `  <target>\n    <path>${path}</path>`,
      "    <permissions>\n      <mode>0755</mode>\n      <owner>0</owner>\n      <group>0</group>\n    </permissions>",
      "  </target>\n</pool>\n",
    ].join("\n");
  }

  volumeXml(poolName: string, name: string): string {
    const { path, file } = this.volume(poolName, name);
    const seconds = (file.changedAt.getTime() / 1000).toFixed(9);
    const { backing } = file;
    return [
      "<volume type='file'>",
      `  <name>${name}</name>`,
      `  <key>${path}</key>`,
      `  <capacity unit='bytes'>${file.capacity}</capacity>`,
      `  <allocation unit='bytes'>${allocation(file)}</allocation>`,
      `  <physical unit='bytes'>${file.size}</physical>`,
      `  <target>\n    <path>${path}</path>\n    <format type='${file.format}'/>`,
      "    <permissions>\n      <mode>0600</mode>\n      <owner>0</owner>\n      <group>0</group>\n    </permissions>",
      `    <timestamps>\n      <mtime>${seconds}</mtime>\n    </timestamps>\n  </target>`,
      ...(backing === undefined
        ? []
        : [
            `  <backingStore>\n    <path>${backing.path}</path>\n    <format type='${backing.format}'/>\n  </backingStore>`,
          ]),
      "</volume>\n",
    ].join("\n");
  }

  #now(): Date {
    return new Date(Date.now() + this.clockAheadMs);
  }

  /** The host was off: what lived in memory is gone, and pools that were not defined. */
  reboot(): void {
    for (const path of this.files.keys()) if (path.startsWith("/run/")) this.files.delete(path);
    for (const path of this.directories) if (path.startsWith("/run/")) this.directories.delete(path);
    for (const pool of this.pools.values()) {
      if (pool.isPersistent) this.refresh(pool.name);
      else this.pools.delete(pool.name);
    }
  }
}

export function directoryOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/")) || "/";
}

function noSuchPool(name: string): string {
  return `Storage pool not found: no storage pool with matching name '${name}'`;
}

/** Plain bytes where no unit stands, as volumes have it (memory has KiB). */
function sizeOf(
  node: { text: string; attribute(name: string): string | undefined; bytes: number | undefined } | undefined,
) {
  return node?.attribute("unit") === undefined && node !== undefined ? Number(node.text) : node?.bytes;
}

/** What was written takes room. */
function allocation(file: FakeFile): number {
  return file.format === "qcow2" ? Math.max(200_704, file.content.length) : file.content.length;
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
