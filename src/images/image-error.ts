// Why an image cannot be built, in words for a person. Thrown by this room only; the command line shows it.

export class ImageError extends Error {
  override readonly name = "ImageError";
  /** What to do about it. */
  readonly suggestion: string | undefined;

  constructor(message: string, suggestion?: string, options?: ErrorOptions) {
    super(message, options);
    this.suggestion = suggestion;
  }
}
