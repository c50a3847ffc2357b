"""How far letters stand out from what is behind them: every text, where it is asked for those in pictures too."""

from __future__ import annotations

__all__ = ["CONTRAST"]

# every text on its ground: the nearest ancestor that is painted; ratio as WCAG 2.2 defines it
CONTRAST = """
([where, pictures]) => {
  const part = c => { c /= 255; return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4 };
  const light = ([r, g, b]) => 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
  const colour = text => text.match(/[\\d.]+/g).map(Number);
  const found = [];
  for (const root of document.querySelectorAll(where)) {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const node = walker.currentNode, owner = node.parentElement;
      if (!node.textContent.trim() || owner.closest(pictures ? 'script, style' : 'script, style, svg')) continue;
      let ground = owner;
      while (ground && (colour(getComputedStyle(ground).backgroundColor)[3] ?? 1) === 0) ground = ground.parentElement;
      const style = getComputedStyle(owner);
      const ink = owner.closest('svg') ? style.fill : style.color;
      const paper = ground ? getComputedStyle(ground).backgroundColor : 'rgb(255, 255, 255)';
      const a = light(colour(ink)), b = light(colour(paper));
      found.push([node.textContent.trim().slice(0, 40), (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)]);
    }
  }
  return found;
}
"""
