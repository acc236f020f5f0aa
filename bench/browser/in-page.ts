// Runs in the measured page, before anything of its own (page.ts adds it): says when something was painted, by the page's
// own events and frames, and when the page was free to respond. All times are milliseconds since 1970, by the clock of this
// machine. A classic script, so everything is in a block.

{
  /** A longer task keeps an input waiting: the bound of the browser's own long tasks. */
  const longTaskMs = 50;
  /** The page responds to an input that comes now within this time. */
  const responseMs = 100;
  /** Tasks are reported late; those that begin in this time after the first rows are waited for. */
  const watchedMs = 1500;
  const patienceMs = 60_000;

  const wallClock = (time: number): number => performance.timeOrigin + time;
  let inputAt = 0;
  for (const type of ["click", "keydown"])
    window.addEventListener(
      type,
      (event) => {
        if (event.isTrusted) inputAt = wallClock(event.timeStamp);
      },
      true,
    );

  const longTasks: { readonly from: number; readonly to: number }[] = [];
  new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries())
      if (duration > longTaskMs) longTasks.push({ from: wallClock(startTime), to: wallClock(startTime + duration) });
  }).observe({ type: "longtask", buffered: true });

  /** Resolves when what the page is now has been painted: a message is handled after the frame that it is sent in. */
  const painted = (): Promise<number> =>
    new Promise((resolve) =>
      requestAnimationFrame(() => {
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = () => resolve(wallClock(performance.now()));
        port2.postMessage(null);
      }),
    );

  /** Calls `isThere` now and after each change of the page, until it says yes. Rejects when it takes too long. */
  const changedTo = (isThere: () => boolean, what: string): Promise<void> =>
    new Promise((resolve, reject) => {
      if (isThere()) return resolve();
      const timer = setTimeout(() => reject(new Error(`${what} was not shown in time`)), patienceMs);
      const observer = new MutationObserver(() => {
        if (!isThere()) return;
        clearTimeout(timer);
        observer.disconnect();
        resolve();
      });
      observer.observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
    });

  /** When the first element that the selector matches was painted with a text that fits the pattern. */
  const shown = async (selector: string, pattern = ""): Promise<number> => {
    const text = new RegExp(pattern);
    await changedTo(() => {
      const element = document.querySelector(selector);
      return element !== null && text.test(element.textContent ?? "");
    }, `${selector} with /${pattern}/`);
    return painted();
  };

  /** Milliseconds from the navigation until the element is painted, and until the page responds to an input then. */
  const interactive = async (selector: string): Promise<{ shown: number; responding: number }> => {
    const at = await shown(selector);
    await new Promise((resolve) => setTimeout(resolve, watchedMs));
    let free = at;
    for (const { from, to } of longTasks) if (from < free + responseMs && to > free) free = to;
    return { shown: at - performance.timeOrigin, responding: free - performance.timeOrigin };
  };

  const rows: { readonly instanceId: string; readonly text: string; readonly paintedAt: number }[] = [];
  /** From now on `rows` has each instance of the list with each text of its state, and when that was painted first. */
  const watchRows = (): void => {
    const known = new Set<string>();
    const look = () => {
      for (const row of document.querySelectorAll("main tbody tr")) {
        const instanceId = row.querySelector("[data-primary] a")?.getAttribute("href")?.split("/").at(-1);
        const text = row.querySelector("[data-label=State]")?.textContent ?? "";
        if (instanceId === undefined || known.has(`${instanceId} ${text}`)) continue;
        known.add(`${instanceId} ${text}`);
        void painted().then((paintedAt) => rows.push({ instanceId, text, paintedAt }));
      }
    };
    new MutationObserver(look).observe(document, { subtree: true, childList: true, characterData: true });
  };

  Object.assign(globalThis, {
    lessorBench: { shown, interactive, inputAt: () => inputAt, watchRows, takeRows: () => rows.splice(0) },
  });
}
