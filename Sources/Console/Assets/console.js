// Tells when there is something new. Without it the pages are the same, only as of when they were loaded.
"use strict";

(() => {
  const news = document.getElementById("news");
  if (!news || !("EventSource" in window)) return;
  let count = 0;

  // Parts of the page that go on by themselves are put in place of what they were. One request at a time; what was told
  // meanwhile is in the next one.
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
        // Looking on is no use of the session, which ends in its time. The page is to have what was told of.
        const headers = { "Daybook-Looks-On": String(newest) };
        const answer = await fetch(window.location.href, { headers, redirect: "error" });
        if (!answer.ok) return;
        const page = new DOMParser().parseFromString(await answer.text(), "text/html");
        for (const id of live) {
          const [old, now] = [document.getElementById(id), page.getElementById(id)];
          // Nobody loses the place or the words they are at.
          if (!old || !now || isBusy(old) || old.innerHTML === now.innerHTML) continue;
          old.replaceChildren(...now.childNodes);
        }
        await new Promise((done) => setTimeout(done, 500));
      }
    } catch {
      // The notice is still there, and leads to the page.
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
  // Something may have come in between the page and this.
  source.addEventListener("listening", (message) => renew(JSON.parse(message.data).position));
  window.addEventListener("pagehide", () => source.close());
})();

// In a queue, keys go from row to row. Without it, Tab does.
(() => {
  if (!document.querySelector("[data-walk] tbody")) return;
  document.querySelector("[data-walk-hint]").hidden = false;
  document.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const place = document.activeElement;
    // Not the one that was there first: it may have been renewed.
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
