// Pictures of pages, held against those of the last time that somebody looked at them (test/console/pictures/).
// Invariant: a picture depends on the console alone. Its data and clock are fixed (fixed-service.ts), its fonts are those
// of fonts.conf, and it is kept at a third of its size, where the smoothing of single letters no longer counts.
//
//   LESSOR_TEST_PICTURES=write npm run test:console -- test/console/looks     after a change that is meant; look at them
//
// Of a comparison that fails the picture that came out and the differences lie in test/console/differences/ (not in git).

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import pixelmatch from "pixelmatch";
import type { Page } from "playwright-core";
import { PNG } from "pngjs";
import { screens } from "../../../docs/pictures.ts";
import { indexedPng } from "./indexed-png.ts";

const folder = resolve(import.meta.dirname, "../pictures");
const differences = resolve(import.meta.dirname, "../differences");
const writing = process.env.LESSOR_TEST_PICTURES === "write";

/** How much of a picture may differ: what another version of Chromium draws differently, and no button. */
const tolerated = 0.002;

/** What is photographed: a page and what opens over it, or the frame around it (navigation, the bar at the top). */
export type Part = "content" | "frame";

/** What is hidden meanwhile, and keeps its place: a change of the navigation changes no picture of a page. */
const hidden: Readonly<Record<Part, string>> = {
  content: ":has(> #main) > :not(#main) { visibility: hidden !important }",
  frame: "#main > * { visibility: hidden !important }",
};

/** A picture of that part of the window, at a third of its size. */
export async function photograph(page: Page, part: Part): Promise<PNG> {
  return reduced(await screenshot(page, hidden[part]), scale);
}

/** A picture of the window, with this style meanwhile. */
async function screenshot(page: Page, style?: string): Promise<PNG> {
  const options = { animations: "disabled", caret: "hide" } as const;
  return PNG.sync.read(await page.screenshot(style === undefined ? options : { ...options, style }));
}

/** Compares that part of the window with the kept picture of this name: what differs; undefined where nothing does. */
export async function pictureFault(page: Page, name: string, part: Part): Promise<string | undefined> {
  return faultOf(name, join(folder, `${name}.png`), await photograph(page, part));
}

/**
 * Compares the whole window with its screenshot in the documents (docs/pictures.ts), which is as large as the window: what
 * differs; undefined where nothing does, or where no document shows the page of this name.
 */
export async function documentPictureFault(page: Page, name: string): Promise<string | undefined> {
  const file = screens.get(name);
  if (file === undefined) return undefined;
  const path = fileURLToPath(file);
  const now = await screenshot(page);
  if (writing) {
    writeFileSync(path, webpOf(encoded(reduced(now, 1))));
    return undefined;
  }
  if (!existsSync(path)) return missing(`${name} in docs`);
  return difference(`${name} in docs`, await pngOf(page, readFileSync(path)), now);
}

/** The same for a picture that is no window. */
export function imageFault(name: string, image: PNG): string | undefined {
  return faultOf(name, join(folder, `${name}.png`), reduced(image, scale));
}

/** What differs from the picture that is kept there. */
function faultOf(name: string, path: string, now: PNG): string | undefined {
  if (writing) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, encoded(reduced(now, 1)));
    return undefined;
  }
  return existsSync(path) ? difference(name, PNG.sync.read(readFileSync(path)), now) : missing(name);
}

const missing = (name: string) => `${name}: there is no such picture yet; write it, and look at it`;

/** Both are compared at a third of the size of a window. */
function difference(name: string, kept: PNG, now: PNG): string | undefined {
  if (kept.width !== now.width || kept.height !== now.height)
    return `${name}: ${now.width} × ${now.height} and not ${kept.width} × ${kept.height}`;
  const [before, after] = now.width > largestReduced ? [reduced(kept, scale), reduced(now, scale)] : [kept, now];
  const { width, height } = after;
  const found = new PNG({ width, height });
  const count = pixelmatch(before.data, after.data, found.data, width, height, { threshold: 0.15 });
  const share = count / (width * height);
  if (share <= tolerated) return undefined;
  mkdirSync(differences, { recursive: true });
  writeFileSync(join(differences, `${name}.png`), encoded(now));
  writeFileSync(join(differences, `${name}.difference.png`), encoded(found));
  return `${name}: ${(share * 100).toFixed(1)} % of it look different (test/console/differences/${name}.png)`;
}

/** As WebP without loss, by Debian's cwebp: a third smaller than PNG, and a quarter smaller than what a browser writes. */
function webpOf(picture: Buffer): Buffer {
  return execFileSync("cwebp", ["-quiet", "-lossless", "-z", "9", "-o", "-", "--", "-"], { input: picture });
}

/** The pixels of a WebP, by the browser. */
async function pngOf(page: Page, webp: Buffer): Promise<PNG> {
  // The policy of the console's own page allows no pictures from elsewhere.
  const blank = await page.context().newPage();
  const url = await blank.evaluate(
    async (src) => {
      const image = new Image();
      image.src = src;
      await image.decode();
      const canvas = document.createElement("canvas");
      Object.assign(canvas, { width: image.width, height: image.height });
      canvas.getContext("2d")?.drawImage(image, 0, 0);
      return canvas.toDataURL("image/png");
    },
    `data:image/webp;base64,${webp.toString("base64")}`,
  );
  await blank.close();
  return PNG.sync.read(Buffer.from(url.slice(url.indexOf(",") + 1), "base64"));
}

/** Each pixel is the mean of `scale` by `scale`, in 16 steps of each color, which packs well. */
function reduced(image: PNG, scale: number): PNG {
  const width = Math.floor(image.width / scale);
  const height = Math.floor(image.height / scale);
  const made = new PNG({ width, height });
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const to = (y * width + x) * 4;
      for (let channel = 0; channel < 3; channel++) {
        let sum = 0;
        for (let row = 0; row < scale; row++)
          for (let column = 0; column < scale; column++)
            sum += byte(image, ((y * scale + row) * image.width + x * scale + column) * 4 + channel);
        made.data[to + channel] = Math.round(sum / scale ** 2 / step) * step;
      }
      made.data[to + 3] = 255;
    }
  }
  return made;
}

const scale = 3;
/** The width beyond which a picture is as large as the window. */
const largestReduced = 500;
const step = 255 / 15;

const byte = (image: PNG, at: number): number => image.data[at] ?? 0;

/** Without transparency, as small as it gets. */
const encoded = (image: PNG): Buffer =>
  indexedPng(image) ?? PNG.sync.write(image, { colorType: 2, deflateLevel: 9, filterType: -1 });
