// Which tile an arrow key moves to, by the tiles' places on the screen, across regions.

/** The tile that the key leads to from the one with the focus; undefined where the key leads nowhere. */
export function tileReached(map: HTMLElement, key: string): HTMLElement | undefined {
  const tiles = [...map.querySelectorAll<HTMLElement>("[data-tile]")];
  const from = tiles.find((tile) => tile.contains(document.activeElement));
  if (from === undefined) return undefined;
  const index = tiles.indexOf(from);
  switch (key) {
    case "ArrowRight":
      return tiles[index + 1];
    case "ArrowLeft":
      return tiles[index - 1];
    case "Home":
      return tiles[0];
    case "End":
      return tiles.at(-1);
    case "ArrowDown":
      return nearestInRow(from, tiles.slice(index + 1));
    case "ArrowUp":
      return nearestInRow(from, tiles.slice(0, index).reverse());
    default:
      return undefined;
  }
}

/** The tile nearest to `from` in the next row of these tiles. */
function nearestInRow(from: HTMLElement, tiles: readonly HTMLElement[]): HTMLElement | undefined {
  const start = from.getBoundingClientRect();
  const first = tiles.find((tile) => Math.abs(tile.getBoundingClientRect().top - start.top) > 4);
  if (first === undefined) return undefined;
  const row = first.getBoundingClientRect().top;
  let nearest = first;
  let least = Number.POSITIVE_INFINITY;
  for (const tile of tiles) {
    const { top, left } = tile.getBoundingClientRect();
    if (Math.abs(top - row) > 4) continue;
    const distance = Math.abs(left - start.left);
    if (distance < least) [nearest, least] = [tile, distance];
  }
  return nearest;
}
