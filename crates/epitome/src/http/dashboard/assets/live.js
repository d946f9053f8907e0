// Brings the parts of a page that are marked as live up to date when the server says that something was recorded, and
// while some of them are still being worked out. A page without such parts opens no stream, and a server without events
// leaves the page as it is.

const marker = document.querySelector("[data-events]");

/** At most one request a second, however many events come. */
const SHORTEST_PAUSE = 1000;
const LONGEST_RETRY = 60000;

if (marker && "EventSource" in window) listen(marker);
awaitParts();

function listen(marker) {
  let stream = null;
  let isDue = false;
  let isRunning = false;
  let retry = 2000;

  const say = (state, words) => {
    marker.dataset.state = state;
    marker.textContent = words;
  };

  const refresh = async () => {
    if (isRunning) return;
    isRunning = true;
    while (isDue && !document.hidden) {
      isDue = false;
      const started = performance.now();
      try {
        await replaceLiveParts();
      } catch {
        // The next event tries again; what is shown was true when it was shown.
      }
      await pause(Math.max(0, SHORTEST_PAUSE - (performance.now() - started)));
    }
    isRunning = false;
  };

  const open = () => {
    stream = new EventSource(marker.dataset.events);
    stream.addEventListener("open", () => { retry = 2000; say("open", "Live"); });
    stream.addEventListener("tool_call_recorded", () => { isDue = true; refresh(); });
    stream.addEventListener("error", () => {
      stream.close();
      say("closed", "Not live");
      setTimeout(open, retry);
      retry = Math.min(retry * 2, LONGEST_RETRY);
    });
  };

  document.addEventListener("visibilitychange", () => { if (!document.hidden) refresh(); });
  window.addEventListener("pagehide", () => stream?.close());
  window.addEventListener("pageshow", (event) => { if (event.persisted) open(); });
  open();
}

/** Asks for the page again until no live part of it is being worked out, each time after a longer pause. */
async function awaitParts() {
  for (let wait = 250; document.querySelector("[data-live] [data-working]"); wait = Math.min(wait * 2, LONGEST_RETRY)) {
    await pause(wait);
    if (document.hidden) continue;
    try {
      await replaceLiveParts();
    } catch {
      // The next turn asks again.
    }
  }
}

function pause(milliseconds) {
  return new Promise((done) => setTimeout(done, milliseconds));
}

/** Takes the live parts of the page as it is now, and leaves alone what the reader is in. */
async function replaceLiveParts() {
  const reply = await fetch(location.href, { credentials: "same-origin" });
  if (!reply.ok) throw new Error(`the server answered ${reply.status}`);
  const page = new DOMParser().parseFromString(await reply.text(), "text/html");
  for (const part of document.querySelectorAll("[data-live]")) {
    const fresh = page.querySelector(`[data-live="${part.dataset.live}"]`);
    if (!fresh || part.contains(document.activeElement) || fresh.innerHTML === part.innerHTML) continue;
    part.replaceChildren(...document.adoptNode(fresh).childNodes);
    part.classList.remove("fresh");
    requestAnimationFrame(() => part.classList.add("fresh"));
  }
}
