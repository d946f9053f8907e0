// A graph that is walked in the page: a neighbour opens to its own neighbours, the drawing is moved and enlarged, all of
// it by mouse, finger or keyboard. Without this file the drawing stands still, and every neighbour leads to its page.

const SVG = "http://www.w3.org/2000/svg";
const NODE = { width: 224, height: 42 };
const GAP = { x: 96, y: 12, indent: 22 };
const NARROW = 640;

for (const frame of document.querySelectorAll("[data-graph]")) startGraph(frame);

async function startGraph(frame) {
  const drawing = frame.querySelector("svg");
  const status = frame.querySelector("[data-status]");
  const nodes = new Map();
  const edges = new Map();
  const center = frame.dataset.graph;
  const touched = new Set([...document.querySelectorAll("[data-touched]")].map((row) => row.dataset.touched));
  let view = { x: 0, y: 0, scale: 1 };

  try {
    await addNeighbours(center);
  } catch {
    // What the server drew stays.
    return;
  }
  frame.classList.add("moves");
  drawTools();
  draw();
  fit();
  listen();

  async function addNeighbours(id) {
    const reply = await fetch(`/ui/graph/neighbours?symbol=${encodeURIComponent(id)}`, { credentials: "same-origin" });
    if (!reply.ok) throw new Error(`the server answered ${reply.status}`);
    const { symbol, users, used, omitted } = await reply.json();
    const from = nodes.get(id) ?? addNode(symbol, 0);
    from.isOpen = true;
    let added = 0;
    for (const [list, step] of [[users, -1], [used, 1]]) {
      for (const found of list) {
        if (!nodes.has(found.id)) { addNode(found, from.level + step); added += 1; }
        const [left, right] = step < 0 ? [found.id, id] : [id, found.id];
        if (left !== right) edges.set(`${left}\n${right}`, { left, right, isSure: found.sure });
      }
    }
    return { added, omitted };
  }

  function addNode(found, level) {
    const node = { ...found, level, order: nodes.size, isOpen: false };
    nodes.set(found.id, node);
    return node;
  }

  /** Columns by level where there is room for them, one indented list where there is none. */
  function place() {
    const levels = new Map();
    for (const node of nodes.values()) levels.set(node.level, [...(levels.get(node.level) ?? []), node]);
    const sorted = [...levels.keys()].sort((a, b) => a - b);
    const isNarrow = drawing.clientWidth < NARROW;
    let row = 0;
    for (const level of sorted) {
      const column = levels.get(level);
      column.forEach((node, at) => {
        if (isNarrow) {
          node.x = (level - sorted[0]) * GAP.indent;
          node.y = row++ * (NODE.height + GAP.y);
        } else {
          node.x = level * (NODE.width + GAP.x);
          node.y = (at - (column.length - 1) / 2) * (NODE.height + GAP.y);
        }
      });
    }
    return isNarrow;
  }

  function draw() {
    const focused = document.activeElement?.closest?.("[data-node]")?.dataset.node;
    const isNarrow = place();
    const content = document.createElementNS(SVG, "g");
    for (const { left, right, isSure } of edges.values()) {
      const from = nodes.get(left);
      const to = nodes.get(right);
      const isTouched = touched.has(left) && (touched.has(right) || right === center);
      const path = element("path", { class: `edge${isSure ? "" : " unsure"}${isTouched ? " touched" : ""}`, d: curve(from, to, isNarrow) });
      content.append(path);
    }
    // In the order in which they are read: from what uses the symbol to what it uses.
    const ordered = [...nodes.values()].sort((a, b) => a.level - b.level || a.y - b.y);
    for (const node of ordered) content.append(drawNode(node));
    drawing.replaceChildren(content);
    applyView();
    if (focused) content.querySelector(`[data-node="${CSS.escape(focused)}"]`)?.focus({ preventScroll: true });
  }

  function curve(from, to, isNarrow) {
    const middle = NODE.height / 2;
    if (isNarrow) {
      const x = Math.min(from.x, to.x) - 8;
      return `M ${from.x} ${from.y + middle} H ${x} V ${to.y + middle} H ${to.x}`;
    }
    const [x1, x2] = [from.x + NODE.width, to.x];
    const bend = Math.max(40, Math.abs(x2 - x1) / 2);
    return `M ${x1} ${from.y + middle} C ${x1 + bend} ${from.y + middle}, ${x2 - bend} ${to.y + middle}, ${x2} ${to.y + middle}`;
  }

  function drawNode(node) {
    const isTouched = touched.has(node.id) && node.id !== center;
    const link = element("a", { href: node.address, "data-node": node.id });
    const shownPath = node.isOpen ? node.path : `${node.path} +`;
    const does = node.isOpen ? "opens its own page" : "shows its neighbours";
    link.setAttribute("aria-label", `${node.label} ${shownPath}: ${does}${isTouched ? "; a change touches it" : ""}`);
    const group = element("g", { class: `node${node.id === center ? " center" : ""}${isTouched ? " touched" : ""}`, transform: `translate(${node.x} ${node.y})` });
    const title = element("title", {});
    title.textContent = node.name;
    const label = element("text", { x: 12, y: 18 });
    // The space is not shown: without it label and path are one word to a reader of the text.
    label.textContent = `${node.label} `;
    const path = element("text", { x: 12, y: 33, class: "path" });
    path.textContent = shownPath;
    group.append(title, element("rect", { width: NODE.width, height: NODE.height, rx: 8 }), label, path);
    link.append(group);
    return link;
  }

  async function open(node) {
    if (node.isOpen) { location.href = node.address; return; }
    say(`Loading the neighbours of ${node.label}…`);
    try {
      const { added, omitted } = await addNeighbours(node.id);
      draw();
      const more = omitted > 0 ? `, ${omitted} more are not drawn` : "";
      say(added === 0 ? `${node.label} has no neighbour that is not drawn yet${more}.` : `${added} neighbours of ${node.label} were added${more}.`);
    } catch (problem) {
      say(`The neighbours could not be loaded: ${problem.message}.`);
    }
  }

  function say(words) {
    if (status) status.textContent = words;
  }

  /** All of it, but not smaller than can be read; then the symbol is in the middle. */
  function fit() {
    const all = [...nodes.values()];
    const left = Math.min(...all.map((node) => node.x)) - 16;
    const top = Math.min(...all.map((node) => node.y)) - 16;
    const width = Math.max(...all.map((node) => node.x)) + NODE.width + 16 - left;
    const height = Math.max(...all.map((node) => node.y)) + NODE.height + 16 - top;
    // No taller than what is in it: on a narrow window the rest of the page is below.
    drawing.style.height = `${Math.round(Math.min(Math.max(height, 240), window.innerHeight * 0.7, 608))}px`;
    const wanted = Math.min(drawing.clientWidth / width, drawing.clientHeight / height);
    const scale = Math.min(1, Math.max(drawing.clientWidth < NARROW ? 0.9 : 0.62, wanted));
    const node = nodes.get(center);
    const fits = wanted >= scale;
    const middle = fits ? { x: left + width / 2, y: top + height / 2 } : { x: node.x + NODE.width / 2, y: node.y + NODE.height / 2 };
    view = { scale, x: middle.x - drawing.clientWidth / scale / 2, y: middle.y - drawing.clientHeight / scale / 2 };
    applyView();
  }

  function applyView() {
    const width = drawing.clientWidth / view.scale;
    const height = drawing.clientHeight / view.scale;
    drawing.setAttribute("viewBox", `${view.x} ${view.y} ${width} ${height}`);
  }

  function zoom(factor, atX = drawing.clientWidth / 2, atY = drawing.clientHeight / 2) {
    const scale = Math.min(2.5, Math.max(0.25, view.scale * factor));
    view.x += atX / view.scale - atX / scale;
    view.y += atY / view.scale - atY / scale;
    view.scale = scale;
    applyView();
  }

  function move(x, y) {
    view.x += x / view.scale;
    view.y += y / view.scale;
    applyView();
  }

  /** Moves the drawing so far that a node can be seen. */
  function reveal(node) {
    const [width, height] = [drawing.clientWidth / view.scale, drawing.clientHeight / view.scale];
    if (node.x < view.x) view.x = node.x - 16;
    if (node.y < view.y) view.y = node.y - 16;
    if (node.x + NODE.width > view.x + width) view.x = node.x + NODE.width - width + 16;
    if (node.y + NODE.height > view.y + height) view.y = node.y + NODE.height - height + 16;
    applyView();
  }

  function listen() {
    drawing.addEventListener("wheel", (event) => {
      // The page scrolls as everywhere else; with a modifier key, or pinched, the wheel enlarges.
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      const box = drawing.getBoundingClientRect();
      zoom(event.deltaY > 0 ? 0.87 : 1.15, event.clientX - box.left, event.clientY - box.top);
    }, { passive: false });
    let from = null;
    let hasMoved = false;
    drawing.addEventListener("pointerdown", (event) => { from = { x: event.clientX, y: event.clientY }; hasMoved = false; });
    window.addEventListener("pointerup", () => { from = null; });
    window.addEventListener("pointermove", (event) => {
      if (!from) return;
      hasMoved ||= Math.hypot(event.clientX - from.x, event.clientY - from.y) > 3;
      if (!hasMoved) return;
      move(from.x - event.clientX, from.y - event.clientY);
      from = { x: event.clientX, y: event.clientY };
    });
    drawing.addEventListener("dragstart", (event) => event.preventDefault());
    drawing.addEventListener("click", (event) => {
      const link = event.target.closest("[data-node]");
      if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      if (!hasMoved) open(nodes.get(link.dataset.node));
    });
    drawing.addEventListener("focusin", (event) => {
      const link = event.target.closest("[data-node]");
      if (link?.matches(":focus-visible")) reveal(nodes.get(link.dataset.node));
    });
    frame.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const step = 60;
      const moves = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, -step], ArrowDown: [0, step] };
      if (moves[event.key]) move(...moves[event.key]);
      else if (event.key === "+" || event.key === "=") zoom(1.25);
      else if (event.key === "-") zoom(0.8);
      else if (event.key === "0") fit();
      else return;
      event.preventDefault();
    });
    new ResizeObserver(() => { draw(); }).observe(drawing);
  }

  function drawTools() {
    const tools = document.createElement("div");
    tools.className = "tools";
    for (const [sign, name, action] of [["+", "Enlarge", () => zoom(1.25)], ["−", "Make smaller", () => zoom(0.8)], ["⤢", "Show all", fit]]) {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "plain";
      button.textContent = sign;
      button.setAttribute("aria-label", name);
      button.title = name;
      button.addEventListener("click", action);
      tools.append(button);
    }
    frame.prepend(tools);
  }

  function element(name, attributes) {
    const made = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    return made;
  }
}
