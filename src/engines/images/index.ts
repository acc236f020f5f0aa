// What bringing an image file to any engine has in common.

export { fileSize } from "./file-size.ts";
export { ImportError } from "./import-error.ts";
