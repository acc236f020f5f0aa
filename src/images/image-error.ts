// Why an image cannot be built, for people. Thrown only by this module; the command line shows it.

export class ImageError extends Error {
  override readonly name = "ImageError";
  /** How to fix it. */
  readonly suggestion: string | undefined;

  constructor(message: string, suggestion?: string, options?: ErrorOptions) {
    super(message, options);
    this.suggestion = suggestion;
  }
}
