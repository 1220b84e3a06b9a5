// Shows a notice of new events. Without scripts, a page keeps the state at which it was loaded.
"use strict";

(() => {
  const news = document.getElementById("news");
  if (!news || !("EventSource" in window)) return;
  let count = 0;

  // The live parts of the page are replaced by their new contents. There is one request at a time; events that arrive
  // meanwhile are in the next one.
  const live = Array.from(document.querySelectorAll("[data-live]"), (part) => part.id);
  let isRenewing = false;
  let isDue = false;
  let newest = 0;
  const isBusy = (part) => part.contains(document.activeElement)
    || Array.from(part.querySelectorAll("textarea"), (field) => field.value).some((text) => text !== "");
  async function renew(position) {
    if (live.length === 0) return;
    newest = Math.max(newest, position);
    isDue = true;
    if (isRenewing) return;
    isRenewing = true;
    try {
      while (isDue) {
        isDue = false;
        // This request does not extend the session. The new page must contain the reported position.
        const headers = { "Daybook-Looks-On": String(newest) };
        const answer = await fetch(window.location.href, { headers, redirect: "error" });
        if (!answer.ok) return;
        const page = new DOMParser().parseFromString(await answer.text(), "text/html");
        for (const id of live) {
          const [old, now] = [document.getElementById(id), page.getElementById(id)];
          // A part with the focus or with entered text is not replaced.
          if (!old || !now || isBusy(old) || old.innerHTML === now.innerHTML) continue;
          old.replaceChildren(...now.childNodes);
        }
        await new Promise((done) => setTimeout(done, 500));
      }
    } catch {
      // The notice remains, with its link to reload the page.
    } finally {
      isRenewing = false;
    }
  }

  const source = new EventSource("/console/live");
  source.addEventListener("appended", (message) => {
    count += JSON.parse(message.data).events;
    news.replaceChildren();
    news.append(count === 1 ? "1 new event. " : `${count} new events. `);
    const again = document.createElement("a");
    again.href = window.location.href;
    again.textContent = "Reload the page";
    news.append(again);
    news.hidden = false;
    renew(JSON.parse(message.data).position);
  });
  // Events may have arrived between the page and this connection.
  // After a new connection the log may be another one, which ends earlier.
  source.addEventListener("listening", (message) => {
    newest = 0;
    renew(JSON.parse(message.data).position);
  });
  window.addEventListener("pagehide", () => source.close());
})();

// In a worklist, keys move from row to row. Without scripts, Tab does.
(() => {
  if (!document.querySelector("[data-walk] tbody")) return;
  document.querySelector("[data-walk-hint]").hidden = false;
  document.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const place = document.activeElement;
    // The current table: the first one may have been replaced.
    const queue = document.querySelector("[data-walk] tbody");
    if (!queue) return;
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
