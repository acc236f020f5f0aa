// Where the console starts: styles in their order (Mantine's, the theme's, the console's own), then the app.

import "@mantine/core/styles.css";
import "@mantine/notifications/styles.css";
import "virtual:theme.css";
import "./base.css";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app.tsx";
import { CodeNotLoaded } from "./shared/lazy-part.ts";

const place = document.getElementById("console");
if (place === null) throw new Error("BUG: index.html has no #console.");
createRoot(place, {
  // A lost connection is not a defect: the offline page reports it.
  onCaughtError: (error) => {
    if (!(error instanceof CodeNotLoaded)) reportError(error);
  },
}).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
