// The dashboard works without this file. It opens summaries in place, and lets the graph be moved and enlarged.
"use strict";

/** Puts the messages of a summary into the timeline when it is opened for the first time. */
async function loadMessages(details) {
  if (!details.open || details.dataset.loaded) return;
  details.dataset.loaded = "yes";
  const note = document.createElement("p");
  note.textContent = "Loading…";
  details.append(note);
  try {
    const reply = await fetch(details.dataset.load, { credentials: "same-origin" });
    if (!reply.ok) throw new Error(`the server answered ${reply.status}`);
    const page = new DOMParser().parseFromString(await reply.text(), "text/html");
    const messages = page.querySelector("[data-fragment]");
    note.replaceWith(messages ? document.adoptNode(messages) : "Nothing was sent.");
  } catch (problem) {
    delete details.dataset.loaded;
    note.textContent = `The messages could not be loaded: ${problem.message}. Close and open it to try again.`;
  }
}

/** Moves a graph by dragging, and enlarges it by the wheel or by + and −. */
function makeMovable(frame) {
  const drawing = frame.querySelector("svg");
  if (!drawing) return;
  const view = drawing.viewBox.baseVal;
  const home = { x: view.x, y: view.y, width: view.width, height: view.height };
  const scale = (factor, atX, atY) => {
    const width = Math.min(Math.max(view.width * factor, home.width / 8), home.width * 3);
    const ratio = width / view.width;
    view.x += (view.width - view.width * ratio) * atX;
    view.y += (view.height - view.height * ratio) * atY;
    view.width = width;
    view.height *= ratio;
  };
  drawing.addEventListener("wheel", (event) => {
    event.preventDefault();
    const box = drawing.getBoundingClientRect();
    scale(event.deltaY > 0 ? 1.15 : 0.87, (event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height);
  }, { passive: false });
  let from = null;
  drawing.addEventListener("pointerdown", (event) => { from = { x: event.clientX, y: event.clientY }; });
  window.addEventListener("pointerup", () => { from = null; });
  drawing.addEventListener("pointermove", (event) => {
    if (!from) return;
    const box = drawing.getBoundingClientRect();
    view.x -= (event.clientX - from.x) * view.width / box.width;
    view.y -= (event.clientY - from.y) * view.height / box.height;
    from = { x: event.clientX, y: event.clientY };
  });
  frame.tabIndex = 0;
  frame.addEventListener("keydown", (event) => {
    const step = view.width / 12;
    const moves = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, -step], ArrowDown: [0, step] };
    if (moves[event.key]) { view.x += moves[event.key][0]; view.y += moves[event.key][1]; }
    else if (event.key === "+" || event.key === "=") scale(0.8, 0.5, 0.5);
    else if (event.key === "-") scale(1.25, 0.5, 0.5);
    else if (event.key === "0") Object.assign(view, home);
    else return;
    event.preventDefault();
  });
}

for (const details of document.querySelectorAll("details[data-load]")) {
  details.addEventListener("toggle", () => loadMessages(details));
}
for (const frame of document.querySelectorAll("[data-pan]")) makeMovable(frame);
