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
