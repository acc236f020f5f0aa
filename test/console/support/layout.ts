// What is wrong with a page's layout whatever it looks like: what sticks out of the window, and controls that lie on
// each other. Holds with any font, unlike a picture.

import type { Page } from "playwright-core";

/** Sentences about what is wrong; none where all is well. To be read at the width that the page has now. */
export async function layoutFaults(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const faults: string[] = [];
    const { clientWidth, scrollWidth } = document.documentElement;
    if (scrollWidth > clientWidth) faults.push(`the page is ${scrollWidth} px wide in a window of ${clientWidth}`);

    const called = (element: Element) => {
      const name = element.getAttribute("aria-label") ?? element.textContent?.trim().slice(0, 40) ?? "";
      return `<${element.tagName.toLowerCase()}> "${name}"`;
    };
    const cuts = (element: Element) => /auto|scroll|hidden|clip/.test(getComputedStyle(element).overflowX);
    /** What is inside of something that scrolls or cuts is seen by scrolling there. */
    const isCut = (element: Element) => {
      for (let one = element.parentElement; one !== null; one = one.parentElement) if (cuts(one)) return true;
      return false;
    };
    /** What is there for screen readers alone. */
    const isClipped = (element: Element) => {
      for (let one: Element | null = element; one !== null; one = one.parentElement)
        if (getComputedStyle(one).clipPath !== "none") return true;
      return false;
    };
    const isSeen = (element: Element, box: DOMRect) =>
      box.width > 1 &&
      box.height > 1 &&
      !isClipped(element) &&
      element.checkVisibility({ opacityProperty: true, visibilityProperty: true, contentVisibilityAuto: true });

    const controls = [
      ...document.querySelectorAll("a[href], button, input, select, textarea, [role=button], [role=tab]"),
    ]
      .map((element) => ({ element, box: element.getBoundingClientRect() }))
      .filter(({ element, box }) => isSeen(element, box));
    for (const { element, box } of controls) {
      if ((box.left < -0.5 || box.right > clientWidth + 0.5) && !isCut(element))
        faults.push(`${called(element)} lies outside of the window`);
    }
    // What does not fit is put on a line of its own, or the table becomes cards; a part of an address is of no use.
    for (const element of document.querySelectorAll("td code, td button")) {
      if (element.scrollWidth > element.clientWidth + 1 && isSeen(element, element.getBoundingClientRect()))
        faults.push(`${called(element)} is cut off in its table`);
    }
    // Two controls cover each other where neither is within the other; what a fixed bar covers can be scrolled to.
    const isFixed = (element: Element) => {
      for (let one: Element | null = element; one !== null; one = one.parentElement)
        if (/fixed|sticky/.test(getComputedStyle(one).position)) return true;
      return false;
    };
    const still = controls.filter(({ element }) => !isFixed(element));
    for (const [index, a] of still.entries()) {
      for (const b of still.slice(index + 1)) {
        if (a.element.contains(b.element) || b.element.contains(a.element)) continue;
        // An input and what stands in it (a button that clears it, an arrow) are one control.
        if (a.element.parentElement?.parentElement?.contains(b.element) === true && isField(a.element)) continue;
        if (b.element.parentElement?.parentElement?.contains(a.element) === true && isField(b.element)) continue;
        const width = Math.min(a.box.right, b.box.right) - Math.max(a.box.left, b.box.left);
        const height = Math.min(a.box.bottom, b.box.bottom) - Math.max(a.box.top, b.box.top);
        if (width > 2 && height > 2) faults.push(`${called(a.element)} and ${called(b.element)} cover each other`);
      }
    }
    function isField(element: Element) {
      return /^(INPUT|SELECT|TEXTAREA)$/.test(element.tagName);
    }
    return faults;
  });
}
