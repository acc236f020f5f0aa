// Images of a cluster, as operators handle them: what the rest of the engine exports of it.

export { type Imported, type ImportOrder, importImage } from "./import-image.ts";
