// What is wrong with a page as it is shown, as a list of sentences; run in the page.
(() => {
  const wrong = [];
  const width = document.documentElement.clientWidth;
  const brief = (element) => (element.textContent || "").trim().replace(/\s+/g, " ").slice(0, 60);

  if (document.scrollingElement.scrollWidth > width)
    wrong.push(`the page is ${document.scrollingElement.scrollWidth} px wide on ${width}`);

  // Contrast as WCAG 2 has it.
  const channel = (c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
  const luminance = ([r, g, b]) => 0.2126 * channel(r / 255) + 0.7152 * channel(g / 255) + 0.0722 * channel(b / 255);
  const numbers = (color) => (color.match(/[\d.]+/g) || []).map(Number);
  const opaque = (color) => { const n = numbers(color); return n.length === 3 || (n.length === 4 && n[3] === 1); };
  const background = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const color = getComputedStyle(at).backgroundColor;
      if (opaque(color)) return numbers(color);
    }
    return [255, 255, 255];
  };
  const ratio = (a, b) => {
    const [x, y] = [luminance(a), luminance(b)].sort((p, q) => q - p);
    return (x + 0.05) / (y + 0.05);
  };

  const own_text = (element) => [...element.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim() !== "");
  const seen = (element) => {
    const box = element.getBoundingClientRect();
    return box.width > 0 && box.height > 0 && getComputedStyle(element).visibility !== "hidden";
  };
  const pale = new Set(), cut = new Set();
  for (const element of document.body.querySelectorAll("*")) {
    if (element.closest("title, script, style") || !own_text(element) || !seen(element)) continue;
    const style = getComputedStyle(element);
    const drawn = element instanceof SVGElement;
    const color = drawn ? style.fill : style.color;
    if (opaque(color)) {
      const contrast = ratio(numbers(color), background(drawn ? element.ownerSVGElement : element));
      if (contrast < 4.5) pale.add(`${color}: contrast ${contrast.toFixed(2)}, as in "${brief(element)}"`);
    }
    if (!drawn && style.overflowX === "hidden" && element.scrollWidth > element.clientWidth + 1 && !element.title)
      cut.add(`"${brief(element)}" is cut`);
  }
  wrong.push(...pale, ...cut);

  for (const drawing of document.querySelectorAll("svg")) {
    const frame = drawing.getBoundingClientRect();
    if (frame.width === 0) continue;
    const texts = [...drawing.querySelectorAll("text")].filter(seen).map((text) => [text, text.getBoundingClientRect()]);
    for (const [text, box] of texts)
      if (box.left < frame.left - 1.5 || box.right > frame.right + 1.5 || box.top < frame.top - 1.5 || box.bottom > frame.bottom + 1.5)
        wrong.push(`"${brief(text)}" reaches out of its drawing`);
    for (let i = 0; i < texts.length; ++i)
      for (let k = 0; k < i; ++k) {
        const [a, b] = [texts[i][1], texts[k][1]];
        const across = Math.min(a.right, b.right) - Math.max(a.left, b.left);
        const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
        if (across > 2 && down > 4) wrong.push(`"${brief(texts[i][0])}" and "${brief(texts[k][0])}" are drawn over each other`);
      }
  }

  for (const table of document.querySelectorAll("table.stacked"))
    if (width <= 640 && table.parentElement.scrollWidth > table.parentElement.clientWidth + 1)
      wrong.push(`the table of "${brief(table)}" is wider than its place`);

  for (const link of document.querySelectorAll('a[href^="#"]'))
    if (!document.getElementById(decodeURIComponent(link.getAttribute("href").slice(1))))
      wrong.push(`${link.getAttribute("href")}: no such place`);
  if (document.title.trim() === "") wrong.push("no title");
  if (!document.querySelector("svg")) wrong.push("nothing is drawn");
  return [...new Set(wrong)];
})()
