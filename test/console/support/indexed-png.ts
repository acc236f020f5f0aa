// Encodes a picture of few colors with a palette: a byte for each pixel instead of three, which packs a third smaller. For
// screenshots, of which pngjs, which reads this, writes full colors only. Used by pictures.ts.

import { crc32, deflateSync } from "node:zlib";
import type { PNG } from "pngjs";

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const mostColors = 256;

/** Undefined: it has more than 256 colors. Transparency is left out. */
export function indexedPng({ width, height, data }: Pick<PNG, "width" | "height" | "data">): Buffer | undefined {
  const colors = new Map<number, number>();
  // Each row begins with its filter: none.
  const rows = Buffer.alloc((width + 1) * height);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      // Red, green and blue of four bytes.
      const color = data.readUIntBE((y * width + x) * 4, 3);
      const index = colors.get(color) ?? colors.size;
      if (index === colors.size) colors.set(color, index);
      if (index >= mostColors) return undefined;
      rows[y * (width + 1) + 1 + x] = index;
    }
  }
  const palette = Buffer.alloc(colors.size * 3);
  for (const [color, index] of colors) palette.writeUIntBE(color, index * 3, 3);
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // 8 bits, with a palette; compression, filter and interlace are those that every reader knows.
  header.set([8, 3, 0, 0, 0], 8);
  const packed = deflateSync(rows, { level: 9, memLevel: 9 });
  return Buffer.concat([
    signature,
    chunk("IHDR", header),
    chunk("PLTE", palette),
    chunk("IDAT", packed),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const typed = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const check = Buffer.alloc(4);
  check.writeUInt32BE(crc32(typed));
  return Buffer.concat([length, typed, check]);
}
