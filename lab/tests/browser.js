// Measures a page as it is shown, and leaves what is wrong with it in an attribute of the document.
(() => {
  // Shares of a pixel are rounding.
  const SLACK = 1.5;
  const CONTRAST_MIN = 4.5;
  const LETTERS_MIN = 9;
  const faults = [];
  const fault = (kind, element, detail) => {
    const text = element.textContent.trim().slice(0, 60);
    faults.push(`${kind}: <${element.localName}> ${text} (${detail})`);
  };

  const isShown = (element) => element.getClientRects().length > 0;
  const scrolls = (element) =>
    element && element !== document.documentElement &&
    (/auto|scroll/.test(getComputedStyle(element).overflowX) || scrolls(element.parentElement));

  const parts = (colour) => {
    const numbers = colour.match(/[\d.]+/g).map(Number);
    return { rgb: numbers.slice(0, 3), opacity: numbers.length > 3 ? numbers[3] : 1 };
  };
  const luminance = (colour) => {
    const [r, g, b] = parts(colour).rgb.map((part) => {
      const share = part / 255;
      return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (one, other) => {
    const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b);
    return (high + 0.05) / (low + 0.05);
  };
  const isClear = (colour) => parts(colour).opacity === 0;
  const behind = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const colour = getComputedStyle(at).backgroundColor;
      if (!isClear(colour)) {
        return colour;
      }
    }
    return getComputedStyle(document.documentElement).backgroundColor;
  };

  const hasText = (element) =>
    [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== "");
  const room = document.documentElement.clientWidth;
  let texts = 0;
  for (const element of document.body.querySelectorAll("*")) {
    if (!isShown(element) || element.closest("script, style, svg")) {
      continue;
    }
    const box = element.getBoundingClientRect();
    const isInScroll = scrolls(element);
    if (!isInScroll && (box.right > room + SLACK || box.left < -SLACK)) {
      fault("beyond the page", element, `${box.left} to ${box.right} of ${room}`);
    }
    // Elements in a line have no width of their own.
    if (!isInScroll && element.clientWidth > 0 &&
        element.scrollWidth > element.clientWidth + SLACK) {
      fault("beyond its box", element, `${element.scrollWidth} of ${element.clientWidth}`);
    }
    if (hasText(element)) {
      texts += 1;
      const found = contrast(getComputedStyle(element).color, behind(element));
      if (found < CONTRAST_MIN) {
        fault("hard to read", element, `contrast ${found.toFixed(2)}`);
      }
    }
  }

  let charts = 0;
  for (const chart of document.querySelectorAll("svg")) {
    if (!isShown(chart)) {
      continue;
    }
    charts += 1;
    const frame = chart.getBoundingClientRect();
    if (frame.right > room + SLACK) {
      fault("beyond the page", chart, `to ${frame.right} of ${room}`);
    }
    const page = getComputedStyle(chart.querySelector("rect")).fill;
    const labels = [...chart.querySelectorAll("text")].map((text) => {
      return { text, box: text.getBoundingClientRect() };
    });
    for (const { text, box } of labels) {
      texts += 1;
      const isInside = box.left >= frame.left - SLACK && box.right <= frame.right + SLACK &&
        box.top >= frame.top - SLACK && box.bottom <= frame.bottom + SLACK;
      if (!isInside) {
        fault("beyond its chart", text, `${box.left} to ${box.right} of ${frame.right}`);
      }
      const found = contrast(getComputedStyle(text).fill, page);
      if (found < CONTRAST_MIN) {
        fault("hard to read", text, `contrast ${found.toFixed(2)}`);
      }
      const letters = parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().a;
      if (letters < LETTERS_MIN) {
        fault("too small", text, `${letters.toFixed(1)} pixels`);
      }
    }
    for (let one = 0; one < labels.length; one += 1) {
      for (let other = 0; other < one; other += 1) {
        const [a, b] = [labels[one].box, labels[other].box];
        const across = Math.min(a.right, b.right) - Math.max(a.left, b.left);
        const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
        // Boxes of letters have some room above and below.
        if (across > SLACK && down > a.height / 4) {
          fault("on each other", labels[one].text, labels[other].text.textContent.trim());
        }
      }
    }
  }

  const whole = document.documentElement.scrollWidth;
  if (whole > innerWidth) {
    faults.push(`the page is wider than its window: ${whole} of ${innerWidth}`);
  }
  if (!document.querySelector("meta[name=viewport]")) {
    faults.push("there is no viewport");
  }
  const findings = {
    width: innerWidth,
    dark: matchMedia("(prefers-color-scheme: dark)").matches,
    texts,
    charts,
    faults,
  };
  // In characters that mean nothing to HTML.
  document.documentElement.dataset.findings = encodeURIComponent(JSON.stringify(findings));
})();
