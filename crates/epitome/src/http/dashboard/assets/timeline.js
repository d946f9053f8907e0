// Opens parts of a page in place: the messages behind a summary, checks that take a moment. Without this file the same
// parts are pages of their own.

/** Replaces a link by the part of the page that it leads to; more of the same follows the same way. */
async function loadPart(details) {
  if (!details.open || details.dataset.loaded) return;
  details.dataset.loaded = "yes";
  const link = details.querySelector("a");
  const note = document.createElement("p");
  note.className = "quiet";
  note.setAttribute("role", "status");
  note.textContent = "Loading…";
  if (link) link.hidden = true;
  details.append(note);
  try {
    note.replaceWith(...await fetchPart(details.dataset.load));
  } catch (problem) {
    delete details.dataset.loaded;
    if (link) link.hidden = false;
    note.textContent = `It could not be loaded: ${problem.message}. Close and open it to try again.`;
  }
}

/** The elements that a page marks as its part. */
async function fetchPart(address) {
  const reply = await fetch(address, { credentials: "same-origin" });
  if (!reply.ok) throw new Error(`the server answered ${reply.status}`);
  const page = new DOMParser().parseFromString(await reply.text(), "text/html");
  const parts = [...page.querySelectorAll("[data-part]")].map((part) => document.adoptNode(part));
  if (parts.length === 0) throw new Error("the page has no such part");
  for (const part of parts) watchParts(part);
  return parts;
}

/** Puts further messages behind those that are there. */
async function loadMore(event) {
  const link = event.currentTarget;
  event.preventDefault();
  link.textContent = "Loading…";
  try {
    const list = (await fetchPart(link.href)).find((part) => part.matches("ol"));
    const here = link.closest("ol");
    const first = list.firstElementChild;
    link.closest("li").replaceWith(...list.children);
    // The link had the focus; without this the keyboard would start again at the top of the page.
    first?.setAttribute("tabindex", "-1");
    first?.focus();
    watchParts(here);
  } catch (problem) {
    link.textContent = `More messages (${problem.message})`;
  }
}

function watchParts(within) {
  for (const details of within.querySelectorAll("details[data-load]")) {
    details.addEventListener("toggle", () => loadPart(details));
  }
  for (const link of within.querySelectorAll("a[data-more]")) {
    link.removeAttribute("data-more");
    link.addEventListener("click", loadMore);
  }
}

watchParts(document);
