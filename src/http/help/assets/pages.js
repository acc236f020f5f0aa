// @ts-check
// What moves on the pages of help and of the documents: searching, light or dark, copying, opening schemas in place, staying
// on the page while offline, and sending a request. A file of its own without a build, as the Content-Security-Policy wants it; console/tsconfig.json checks
// its types. Invariant: a token stays in its field. It is sent with the requests of this page and kept nowhere.

(() => {
  // Loaded where the list of the page has been read: it can be searched while the rest is still on its way.
  const search = searching();
  choosingScheme();
  schemas();
  stayingWhileOffline();
  // On a narrow screen the page comes first, not the list.
  if (matchMedia("(max-width: 900px)").matches) for (const menu of all("details.menu")) menu.removeAttribute("open");
  document.addEventListener("DOMContentLoaded", () => {
    search();
    copying();
    origins();
    trying();
  });

  /**
   * @param {string} selector
   * @param {ParentNode} [within]
   * @returns {HTMLElement[]}
   */
  function all(selector, within = document) {
    return [...within.querySelectorAll(selector)].filter((one) => one instanceof HTMLElement);
  }

  function choosingScheme() {
    const select = document.getElementById("scheme");
    if (!(select instanceof HTMLSelectElement)) return;
    const { dataset } = document.documentElement;
    select.value = dataset.scheme ?? "auto";
    select.disabled = false;
    select.addEventListener("change", () => {
      if (select.value === "auto") delete dataset.scheme;
      else dataset.scheme = select.value;
      try {
        // As scheme.js reads it.
        localStorage.setItem("mantine-color-scheme-value", select.value);
      } catch {
        // It holds for this page then.
      }
    });
  }

  /**
   * Shows what has every word; an operation that is not found is hidden with its entry. Gives what searches again.
   * @returns {() => void}
   */
  function searching() {
    const field = document.getElementById("search");
    if (!(field instanceof HTMLInputElement)) return () => {};
    const entries = all("[data-entry]");
    const groups = all("[data-group]");
    const found = document.getElementById("found");
    const results = document.getElementById("results");
    const tell = (/** @type {number} */ count) => {
      if (found !== null) found.textContent = count === 0 ? "No results" : `Results: ${count}`;
    };
    const search = () => {
      if (results !== null) return void searchAll(field.value.trim(), results, tell);
      const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
      let count = 0;
      for (const entry of entries) {
        const id = entry.querySelector("a")?.hash.slice(1) ?? "";
        const section = document.getElementById(id);
        const path = section?.querySelector(".line code")?.textContent ?? "";
        const text = `${entry.textContent} ${path} ${id}`.toLowerCase();
        entry.hidden = !words.every((word) => text.includes(word));
        if (!entry.hidden) count++;
        if (section !== null) section.hidden = entry.hidden;
      }
      for (const group of groups) group.hidden = entries.every((entry) => entry.hidden || !group.contains(entry));
      if (words.length > 0) tell(count);
      else if (found !== null) found.textContent = "";
    };
    field.addEventListener("input", search);
    document.addEventListener("keydown", (event) => {
      const { target } = event;
      const isTyping = target instanceof HTMLElement && /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName);
      if (event.key !== "/" || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      field.closest("details")?.setAttribute("open", "");
      field.focus();
    });
    // What was typed before all of the page was here, or was kept by the browser.
    return () => {
      if (field.value !== "") search();
    };
  }

  /** @type {AbortController | undefined} */
  let searchingNow;

  /**
   * Lists what the service finds in all documents. A later search ends an earlier one.
   * @param {string} query
   * @param {HTMLElement} list
   * @param {(count: number) => void} tell
   */
  async function searchAll(query, list, tell) {
    searchingNow?.abort();
    searchingNow = new AbortController();
    const { signal } = searchingNow;
    const found = document.getElementById("found");
    if (query === "") {
      list.replaceChildren();
      if (found !== null) found.textContent = "";
      return;
    }
    try {
      const response = await fetch(`${list.dataset.from}?${new URLSearchParams({ q: query })}`, { signal });
      if (!response.ok) throw new Error(response.statusText);
      /** @type {{ results: { title: string, group: string, address: string, excerpt: string }[] }} */
      const { results } = await response.json();
      list.replaceChildren(...results.map(resultItem));
      tell(results.length);
    } catch {
      if (!signal.aborted && found !== null) found.textContent = "Search is unavailable. Try again.";
    }
  }

  /** @param {{ title: string, group: string, address: string, excerpt: string }} result */
  function resultItem({ title, group, address, excerpt }) {
    const item = document.createElement("li");
    const link = document.createElement("a");
    link.href = address;
    link.append(title);
    for (const text of [group, excerpt]) {
      const line = document.createElement("span");
      line.textContent = text;
      link.append(line);
    }
    item.append(link);
    return item;
  }

  function copying() {
    for (const block of all(".code")) {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = "Copy";
      button.addEventListener("click", async () => {
        const text = block.querySelector("code")?.textContent ?? "";
        const isCopied = await copy(text);
        button.textContent = isCopied ? "Copied" : "Not copied";
        setTimeout(() => {
          button.textContent = "Copy";
        }, 2000);
      });
      block.append(button);
    }
  }

  /**
   * @param {string} text
   * @returns {Promise<boolean>}
   */
  async function copy(text) {
    try {
      // Only where the page came over HTTPS or from this machine.
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      return false;
    }
  }

  /** Requests of this origin are shown with it. */
  function origins() {
    for (const place of all("[data-origin]")) {
      if (place.matches("code")) place.textContent = location.origin + (place.textContent ?? "").replace(/\/$/, "");
      for (const code of all("pre code", place))
        code.textContent = (code.textContent ?? "").replace("$LESSOR_URL", location.origin);
    }
  }

  /** A named schema is written once; opened elsewhere, its fields are copied there. */
  function schemas() {
    document.addEventListener(
      "toggle",
      ({ target }) => {
        if (!(target instanceof HTMLDetailsElement) || !target.open) return;
        const { schema, filled } = target.dataset;
        if (schema === undefined || filled !== undefined) return;
        target.dataset.filled = "";
        const name = target.querySelector("a")?.hash.slice(1) ?? "";
        const fields = document.getElementById(name)?.querySelector("[data-fields]");
        if (fields) target.append(...fields.cloneNode(true).childNodes);
      },
      true,
    );
  }

  /** A link to another page says so while offline: the browser would show an error page of its own. */
  function stayingWhileOffline() {
    const alert = document.createElement("p");
    alert.className = "offline";
    alert.setAttribute("role", "alert");
    document.addEventListener("click", (event) => {
      const link = event.target instanceof Element ? event.target.closest("a[href]") : null;
      const isElsewhere = event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey;
      if (!(link instanceof HTMLAnchorElement) || isElsewhere || navigator.onLine) return;
      // Anchors of this page need no connection.
      if (link.hash !== "" && link.href.split("#")[0] === location.href.split("#")[0]) return;
      event.preventDefault();
      alert.textContent = "You're offline. Check your connection and try again.";
      document.body.append(alert);
    });
    addEventListener("online", () => alert.remove());
  }

  function trying() {
    // The token is not sent by itself.
    document.querySelector("form.token")?.addEventListener("submit", (event) => event.preventDefault());
    for (const opened of all("details.try")) opened.addEventListener("toggle", () => layOut(opened));
  }

  /** @param {Element} opened whose form is a template until now */
  function layOut(opened) {
    const template = opened.querySelector("template");
    if (template === null) return;
    template.replaceWith(template.content);
    const form = opened.querySelector("form");
    for (const button of all("button", opened)) button.removeAttribute("disabled");
    form?.addEventListener("submit", (event) => {
      event.preventDefault();
      void send(form);
    });
  }

  /** What the line of its operation has, which the page states once. @param {HTMLFormElement} form @param {string} part */
  const above = (form, part) => form.closest("article")?.querySelector(`.line ${part}`)?.textContent ?? "";

  /** Longer is nothing that a person reads here: a stream of events, say. */
  const longestMs = 15_000;
  const mostCharacters = 200_000;

  /** @param {HTMLFormElement} form */
  async function send(form) {
    const answer = form.querySelector(".answer");
    if (!(answer instanceof HTMLElement)) return;
    const show = (/** @type {Node[]} */ ...parts) => {
      answer.replaceChildren(...parts);
      answer.hidden = false;
    };
    show(paragraph("Sending…"));
    const since = performance.now();
    try {
      const response = await fetch(addressOf(form), {
        method: above(form, ".method"),
        headers: headersOf(form),
        body: bodyOf(form) ?? null,
        // As a program would ask: with the token alone, not as who is signed in to the console.
        credentials: "omit",
        cache: "no-store",
        signal: AbortSignal.timeout(longestMs),
      });
      const text = await read(response);
      const took = Math.round(performance.now() - since);
      const headers = [...response.headers].map(([name, value]) => `${name}: ${value}`).join("\n");
      show(
        paragraph(`${response.status} ${response.statusText}, ${took} ms`),
        folded("Headers", headers),
        block(pretty(text)),
      );
    } catch (error) {
      show(paragraph(`No response: ${error instanceof Error ? error.message : String(error)}`));
    }
  }

  /** @param {HTMLFormElement} form */
  function fieldsOf(form) {
    return [...new FormData(form)].flatMap(([name, value]) => {
      const [place = "", field = ""] = name.split(/:(.*)/s);
      return typeof value === "string" && value !== "" ? [{ place, field, value }] : [];
    });
  }

  /** @param {HTMLFormElement} form */
  function addressOf(form) {
    const fields = fieldsOf(form);
    let path = above(form, "code");
    for (const { place, field, value } of fields)
      if (place === "path") path = path.replace(`{${field}}`, encodeURIComponent(value));
    const query = new URLSearchParams(
      fields.filter(({ place }) => place === "query").map((one) => [one.field, one.value]),
    );
    return query.size === 0 ? path : `${path}?${query}`;
  }

  /** @param {HTMLFormElement} form */
  function headersOf(form) {
    const headers = new Headers({ accept: "application/json, */*;q=0.5" });
    const token = document.getElementById("token");
    if (token instanceof HTMLInputElement && token.value.trim() !== "")
      headers.set("authorization", `Bearer ${token.value.trim()}`);
    if (bodyOf(form) !== undefined) headers.set("content-type", "application/json");
    for (const { place, field, value } of fieldsOf(form)) if (place === "header") headers.set(field, value);
    return headers;
  }

  /** @param {HTMLFormElement} form */
  function bodyOf(form) {
    return fieldsOf(form).find(({ place }) => place === "body")?.value;
  }

  /**
   * All of it, or what had come when it was enough.
   * @param {Response} response
   */
  async function read(response) {
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    try {
      while (reader !== undefined && text.length < mostCharacters) {
        const { done, value } = await reader.read();
        if (done) return text;
        text += value;
      }
      await reader?.cancel();
    } catch {
      // The time is over.
    }
    return reader === undefined ? text : `${text.slice(0, mostCharacters)}\n… The rest is not shown.`;
  }

  /** @param {string} text */
  function pretty(text) {
    try {
      return JSON.stringify(JSON.parse(text), null, 2);
    } catch {
      return text;
    }
  }

  /** @param {string} text */
  function paragraph(text) {
    const element = document.createElement("p");
    element.textContent = text;
    return element;
  }

  /** @param {string} text */
  function block(text) {
    const element = document.createElement("div");
    element.className = "code";
    const pre = document.createElement("pre");
    pre.tabIndex = 0;
    pre.append(text === "" ? "(no body)" : text);
    element.append(pre);
    return element;
  }

  /**
   * @param {string} title
   * @param {string} text
   */
  function folded(title, text) {
    const details = document.createElement("details");
    const summary = document.createElement("summary");
    summary.textContent = title;
    details.append(summary, block(text));
    return details;
  }
})();
