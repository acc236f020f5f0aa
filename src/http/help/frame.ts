// The frame of every page of the documentation: its head, the bar with the console, the documents, the API and the CLI,
// and the list beside the page. `assets` is the folder of the style sheet, the scripts and the logo. The script comes
// after the list, so a long page can be searched before it has loaded completely.

import { type Html, html } from "../../rules/html.ts";
import { startAddress } from "./guides.ts";
import type { Site } from "./site.ts";

export interface Framed {
  readonly title: string;
  readonly site: Site;
  readonly assets: string;
  /** This page's entry in the bar. */
  readonly section: "help" | "api" | "cli";
  /** The address of this page, to be marked in navigation. */
  readonly address: string;
  /** The label of the search field above the list; undefined: no field. */
  readonly search?: string;
  /** Whether that field searches all documents, on the server, and not the list below it. */
  readonly searchesAll?: boolean;
  readonly side: Html;
  readonly content: Html;
}

export function framed(page: Framed): Html {
  const { title, site, assets, section, address } = page;
  const bar = [
    ...(site.console === undefined ? [] : [{ name: "Console", to: site.console, is: false }]),
    { name: "Documentation", to: startAddress, is: section === "help" },
    { name: "API documentation", to: "/docs/api", is: section === "api" },
    { name: "CLI", to: "/docs/reference/cli", is: section === "cli" },
  ];
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} – Lessor</title>
<link rel="icon" href="${assets}/mark.svg" type="image/svg+xml">
<link rel="stylesheet" href="${assets}/pages.css">
<script src="${assets}/scheme.js"></script>
</head>
<body>
<a class="skip" href="#main">Skip to main content</a>
<header class="top">
<a class="brand" href="${site.console ?? startAddress}"><img src="${assets}/mark.svg" alt="" width="24" height="24">Lessor</a>
<nav aria-label="Lessor">${bar.map(({ name, to, is }) => html`<a href="${to}"${is && html` aria-current="true"`}>${name}</a>`)}</nav>
<label class="scheme"><span class="hidden">Appearance</span><select id="scheme" disabled><option value="auto">System</option><option value="light">Light</option><option value="dark">Dark</option></select></label>
</header>
${section === "api" && html`<nav class="documents" aria-label="API documents">${site.documents.map((one) => html`<a href="${one.address}"${one.address === address && html` aria-current="page"`}>${one.title}</a>`)}</nav>`}
<div class="columns">
<aside class="side"><details class="menu" open><summary>Contents</summary>
${page.search !== undefined && html`<div class="search"><label for="search">${page.search}</label><input id="search" type="search" autocomplete="off" spellcheck="false" aria-keyshortcuts="/"><p id="found" class="soft" role="status"></p>${page.searchesAll === true && html`<ul id="results" data-from="/docs/search"></ul>`}</div>`}
<nav aria-label="Contents">${page.side}</nav>
</details></aside>
<script src="${assets}/pages.js"></script>
<main id="main" tabindex="-1"><h1>${title}</h1>
${page.content}
</main>
</div>
</body>
</html>
`;
}
