// The files of the built console (dist/console): read at the first request, cached in memory in each requested
// encoding, and looked up by name among the existing ones.
//
// Invariants: only paths that the folder listed are opened, never one from a client, so no path leads out of it; memory
// is limited by the folder. A new build is used from the next page request. Used by page-routes.ts.

import { readdir, readFile, stat } from "node:fs/promises";
import { extname, join } from "node:path";
import { etagOf } from "../api/conditional.ts";
import { bestOf, type Encoding, encoded } from "../edge/content-encoding.ts";

export interface BuiltFile {
  /** The media type. */
  readonly type: string;
  readonly encoding: Encoding;
  readonly etag: string;
  readonly body: Buffer;
}

/** The page at every address of the console. */
export const indexName = "index.html";

const types: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".ico": "image/x-icon",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".map": "application/json; charset=utf-8",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
  ".webmanifest": "application/manifest+json",
  ".woff2": "font/woff2",
};
/** Files that compression does not shrink. */
const compact = new Set([".ico", ".png", ".woff2"]);
/** Where the build puts the console: beside the compiled program in a package, and in dist/ of a checkout. */
export function builtConsole(): string {
  const program = join(import.meta.dirname, "../..");
  return extname(import.meta.filename) === ".js" ? join(program, "console") : join(program, "../dist/console");
}

/** The files of one build. */
interface Build {
  /** The change time of the page, which identifies the build. */
  readonly changedMs: number;
  /** By their paths below the folder, with slashes. */
  readonly names: ReadonlySet<string>;
  readonly files: Map<string, Promise<BuiltFile>>;
}

export class BuiltFiles {
  readonly #directory: string;
  #build: Build | undefined;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** The file with this name, in the best of these encodings; undefined if none. The page: its current version. */
  async find(name: string, accepted: ReadonlySet<Encoding>): Promise<BuiltFile | undefined> {
    const build = name === indexName || !this.#build?.names.has(name) ? await this.#refresh() : this.#build;
    if (!build?.names.has(name)) return undefined;
    const encoding = compact.has(extname(name)) ? "identity" : bestOf(accepted);
    const key = `${encoding} ${name}`;
    const before = build.files.get(key);
    if (before !== undefined) return before;
    const file = this.#read(name, encoding);
    build.files.set(key, file);
    // The next request tries again.
    file.catch(() => build.files.delete(key));
    return file;
  }

  /** Loads a new build if there is one; undefined: no build. */
  async #refresh(): Promise<Build | undefined> {
    const changedMs = await stat(join(this.#directory, indexName)).then(({ mtimeMs }) => mtimeMs, absent);
    if (changedMs === undefined) this.#build = undefined;
    else if (this.#build?.changedMs !== changedMs) {
      const found = await readdir(this.#directory, { recursive: true, withFileTypes: true });
      const inside = (parent: string) => parent.slice(this.#directory.length).split(/[\\/]/).filter(Boolean);
      const names = found.filter((one) => one.isFile()).map((one) => [...inside(one.parentPath), one.name].join("/"));
      this.#build = { changedMs, names: new Set(names), files: new Map() };
    }
    return this.#build;
  }

  async #read(name: string, encoding: Encoding): Promise<BuiltFile> {
    const raw = await readFile(join(this.#directory, name));
    const body = await encoded(raw, encoding);
    const type = types[extname(name)] ?? "application/octet-stream";
    return { type, encoding, etag: etagOf(body), body };
  }
}

function absent(error: unknown): undefined {
  const { code } = (error instanceof Error ? error : {}) as NodeJS.ErrnoException;
  if (code !== "ENOENT" && code !== "ENOTDIR") throw error;
}
