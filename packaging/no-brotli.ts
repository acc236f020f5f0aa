// In place of the package brotli, which fontkit has for fonts in the format WOFF2. Bundled by vendor.ts.

// biome-ignore lint/style/noDefaultExport: the package has one
export default function decompress(): never {
  throw new Error("BUG: a font in the format WOFF2");
}
