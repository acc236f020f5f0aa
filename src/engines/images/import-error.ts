// How bringing an image to an engine fails where the operator can mend it. Used by each engine's import.

/** The message is a sentence or two for the operator. */
export class ImportError extends Error {
  override name = "ImportError";
}
