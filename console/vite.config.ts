// Builds the web console into dist/console (npm run build:console), which the service serves at `/`; and serves it for
// development (npx vite console), with everything but the console's own files asked of the service at LESSOR_URL.

import { resolve } from "node:path";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { firstPaint } from "./first-paint.ts";
import { themeCss } from "./theme-css.ts";

const service = process.env.LESSOR_URL ?? "http://127.0.0.1:8080";

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), themeCss(), firstPaint()],
  build: {
    outDir: resolve(import.meta.dirname, "../dist/console"),
    emptyOutDir: true,
    // The service's Content-Security-Policy allows what comes from itself, and nothing inlined.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // Browsers of the last two years.
    target: "es2022",
    // Of the first load, before compression; the build warns above it.
    chunkSizeWarningLimit: 800,
  },
  server: {
    proxy: {
      "/control": { target: service, ws: true },
      "/console": { target: service },
      "/docs": { target: service },
    },
  },
});
