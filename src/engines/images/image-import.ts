// What `lessor image import` asks of an engine, whatever its kind, and where the engine reports what it does. Used by the
// import of each engine and by operator/image-import.ts.

export interface ImageImport {
  /** The path of an image in a format of the engine's. */
  readonly file: string;
  /** What the catalog calls the image. */
  readonly alias: string;
  /** Whether an alias of another image may be moved to this one. */
  readonly replace: boolean;
  readonly report: ImportReport;
}

/** Where the operator is told of an import. */
export interface ImportReport {
  /** A line of the command's output. */
  readonly print: (line: string) => void;
  /** A line beside the output. */
  readonly tell: (line: string) => void;
  /** What is in progress, until the next line. */
  readonly progress: (text: string) => void;
}

/** Such as "40 % of 700 MB". Both in bytes. */
export function share(done: number, all: number): string {
  const percent = all === 0 ? 100 : Math.floor((done / all) * 100);
  return `${percent} % of ${Math.ceil(all / 1e6)} MB`;
}
