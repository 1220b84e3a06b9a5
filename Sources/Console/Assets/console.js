// Tells when there is something new. Without it the pages are the same, only as of when they were loaded.
"use strict";

(() => {
  const news = document.getElementById("news");
  if (!news || !("EventSource" in window)) return;
  let count = 0;
  const source = new EventSource("/console/live");
  source.addEventListener("appended", (message) => {
    count += JSON.parse(message.data).events;
    news.replaceChildren();
    news.append(count === 1 ? "1 new event. " : `${count} new events. `);
    const again = document.createElement("a");
    again.href = window.location.href;
    again.textContent = "Load the page again";
    news.append(again);
    news.hidden = false;
  });
  window.addEventListener("pagehide", () => source.close());
})();

// In a queue, keys go from row to row. Without it, Tab does.
(() => {
  const queue = document.querySelector("[data-walk] tbody");
  if (!queue) return;
  document.querySelector("[data-walk-hint]").hidden = false;
  document.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const place = document.activeElement;
    if (place.closest("input, select, textarea")) return;
    const step = { j: 1, k: -1, ArrowDown: 1, ArrowUp: -1 }[event.key];
    // Elsewhere on the page the arrows scroll.
    if (!step || event.key.startsWith("Arrow") && !queue.contains(place)) return;
    const links = Array.from(queue.rows, (row) => row.querySelector("a"));
    const at = links.findIndex((link) => link.closest("tr").contains(place));
    const next = at < 0 ? (step > 0 ? 0 : links.length - 1) : at + step;
    if (!links[next]) return;
    event.preventDefault();
    links[next].focus();
  });
})();
