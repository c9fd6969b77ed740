"use strict";
// The explorer's page: the address says what is looked at, the server draws it, and this script puts it in its place.
// Sections are HTML that the server escaped; whatever else comes from a log goes in by textContent. Tables and items are
// those of the report page (page.js, items.js).
(function () {
  const $ = (id) => document.getElementById(id);
  const root = document.documentElement;
  const LIMIT = 20;
  const QUIET = 150; // milliseconds before a bar says that something is going on
  const READINGS = {
    auto: "what the runs allow", observed: "flips, luck included", noise: "beyond re-runs", chance: "lucky guesses removed",
    soft: "probabilities", paper: "as published",
  };
  const ITEM_KEYS = ["transition", "task", "cause", "of", "search", "sort", "descending", "offset"];
  const DEFAULTS = {
    before: null, after: [], chain: null, reading: "auto", taxonomy: null, weight: null, level: "category", only: [], by: null,
    cell: null, transition: null, task: null, cause: null, of: null, search: null, sort: "rank", descending: null, offset: 0,
  };
  const LISTS = ["after", "only"];

  let library = null;
  let state = null;
  let items = null; // the mounted list
  let quiet = false; // whether the list is being set from the address, not by its reader

  // ---- the address ----------------------------------------------------------------------------------------------------

  function read(search) {
    const given = new URLSearchParams(search);
    const first = new URLSearchParams(library.first || "");
    const made = {};
    for (const [name, value] of Object.entries(DEFAULTS)) {
      if (LISTS.includes(name)) made[name] = given.getAll(name).filter(Boolean);
      else made[name] = given.get(name) || value;
    }
    made.offset = Number.parseInt(made.offset, 10) || 0;
    made.before = made.before || first.get("before");
    if (!made.after.length) made.after = first.getAll("after");
    made.taxonomy = made.taxonomy || library.taxonomies[0];
    return made;
  }

  function query(of, names) {
    const made = new URLSearchParams();
    for (const name of names || Object.keys(DEFAULTS)) {
      const value = of[name];
      if (LISTS.includes(name)) for (const one of value) made.append(name, one);
      else if (value !== null && value !== undefined && value !== false && value !== DEFAULTS[name]) {
        if (!(name === "taxonomy" && value === library.taxonomies[0])) made.append(name, value === true ? "1" : value);
      }
    }
    return made.toString();
  }

  function change(part, replace) {
    state = Object.assign({}, state, part);
    const address = `?${query(state)}`;
    if (address !== location.search) history[replace ? "replaceState" : "pushState"](null, "", address + location.hash);
    refresh();
  }

  // ---- asking ---------------------------------------------------------------------------------------------------------

  let working = 0;
  let timer = 0;
  function busy(way) {
    working += way;
    root.dataset.busy = working;
    if (working === 0) {
      clearTimeout(timer);
      $("progress").hidden = true;
    } else if (working === way) timer = setTimeout(() => { $("progress").hidden = false; }, QUIET);
  }

  async function ask(path, search, signal) {
    busy(1);
    try {
      let answer;
      try {
        answer = await fetch(`${path}?${search}`, { signal, headers: { accept: "application/json" } });
      } catch (fault) {
        if (fault.name === "AbortError") throw fault;
        throw new Error("the server does not answer; is `forgetmap view` still running?");
      }
      const kind = answer.headers.get("content-type") || "";
      if (answer.status === 403 || !kind.startsWith("application/json")) {
        throw new Error("this browser is not let in any more; start `forgetmap view` again and open its link");
      }
      const content = await answer.json();
      if (!answer.ok) throw new Error(content.error || `the server answered ${answer.status}`);
      return content;
    } finally {
      busy(-1);
    }
  }

  // ---- parts of the page ------------------------------------------------------------------------------------------------

  const RUNS = ["before", "after", "only", "taxonomy", "weight", "reading"];
  // In the order in which they are looked at. Each waits for the one before it, whatever comes of that: a small machine draws
  // the map sooner when it does not draw everything at once.
  const parts = {
    view: { path: "/api/view", names: [...RUNS, "level"], draw: drawView },
    items: { path: "/api/facets", names: [...RUNS, "cell"], waits: "view", draw: drawItems },
    more: { path: "/api/more", names: [...RUNS, "level"], waits: "items", draw: (found) => drawSections("more", found) },
    slices: { path: "/api/slices", names: [...RUNS, "level", "by", "cell"], waits: "more", draw: drawSlices },
    chain: { path: "/api/chain", names: ["before", "after"], waits: "slices", when: () => state.chain, draw: (found) => drawSections("chain", found) },
    causes: { path: "/api/causes", names: ["before", "after", "only", "taxonomy", "level"], waits: "chain", draw: drawCauses },
  };
  // The items of another reading are the same ones: they are asked for anew only where a cell is chosen, whose tasks may
  // change. What can be sliced by depends on the runs only.
  const KEYS = {
    items: () => query(state, state.cell ? parts.items.names : ["before", "after", "only"]),
    slices: () => query(state, state.by ? parts.slices.names : ["before", "after"]),
  };

  function refresh() {
    showChooser();
    showWhich();
    showFiles();
    for (const [name, part] of Object.entries(parts)) {
      const key = part.when && !part.when() ? "" : (KEYS[name] ? KEYS[name]() : query(state, part.names)) || "-";
      if (part.key === key) continue;
      part.key = key;
      if (part.stop) part.stop.abort();
      part.stop = new AbortController();
      if (key === "") hide(name);
      else part.done = load(name, part, part.stop.signal);
    }
    if (items && items.key === parts.items.key) setItems();
  }

  async function load(name, part, signal) {
    const search = query(state, part.names);
    busy(1);
    try {
      for (let other = part.waits; other; other = parts[other].waits) await parts[other].done;
      if (signal.aborted) return false;
      if (name !== "view" && parts.view.failed) {
        part.key = null; // there is nothing to show yet
        return false;
      }
      const found = await ask(part.path, search, signal);
      if (signal.aborted) return false;
      part.draw(found);
      part.failed = false;
      root.dataset[`${name}Drawn`] = part.key;
      if (name === "view") await painted();
      return true;
    } catch (fault) {
      if (fault.name === "AbortError" || signal.aborted) return false;
      part.key = null; // the next change asks again
      part.failed = true;
      if (name === "view") showFault(fault.message);
      else showPartFault(name, fault.message);
      return false;
    } finally {
      busy(-1);
    }
  }

  // A page in the background is never painted: it must not wait for that.
  const painted = () => Promise.race([
    new Promise((done) => { requestAnimationFrame(() => requestAnimationFrame(done)); }), new Promise((done) => { setTimeout(done, 200); }),
  ]);

  function showFault(text) {
    const place = $("fault");
    place.textContent = text;
    place.hidden = !text;
    if (text) {
      for (const section of document.querySelectorAll("main > section")) section.hidden = true;
      $("title").textContent = "Nothing to show";
      $("subtitle").textContent = "";
      showContents();
    }
  }

  function showPartFault(name, text) {
    const place = { slices: $("slices-body"), items: document.querySelector("[data-items]") }[name] || section(name);
    if (!place) return;
    place.replaceChildren(...(place.tagName === "SECTION" ? [heading(name)] : []), callout(text));
    place.closest("section").hidden = false;
    if (name === "items") items = null;
    showContents();
  }

  const SECTIONS = { more: ["quadrants", "drift", "method"], causes: ["causes"], chain: ["life"] };
  const TITLES = { more: "Quadrants", causes: "Causes", chain: "Life lines" };
  const section = (name) => (SECTIONS[name] ? $(SECTIONS[name][0]) : null);
  const heading = (name) => make("h2", {}, TITLES[name] || name);

  function callout(text) {
    return make("p", { class: "callout warning" }, text);
  }

  function make(tag, attributes, ...children) {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes || {})) {
      if (value === false || value === null || value === undefined) continue;
      made.setAttribute(name, value === true ? "" : value);
    }
    made.append(...children.filter((child) => child !== null && child !== undefined));
    return made;
  }

  function hide(name) {
    for (const id of SECTIONS[name] || []) { $(id).hidden = true; $(id).replaceChildren(); }
    showContents();
  }

  function drawSections(name, found) {
    const there = new Set(found.sections.map((one) => one.id));
    for (const one of found.sections) put(one);
    for (const id of SECTIONS[name] || []) if (!there.has(id)) $(id).hidden = true;
    showContents();
  }

  // The only place where HTML of the server enters the page: a template that escaped every name and text.
  function put(one) {
    const place = $(one.id);
    const body = make("div", {});
    body.innerHTML = one.html;
    place.replaceChildren(make("h2", {}, one.title), body);
    place.hidden = false;
    window.ForgetmapPage.wire(body, null);
    return body;
  }

  function drawView(found) {
    showFault("");
    drawSections("view", found);
    for (const id of ["slices", "items", "downloads"]) $(id).hidden = false;
    $("title").replaceChildren(make("bdi", {}, found.title));
    document.title = `${found.title} · forgetmap`;
    $("subtitle").textContent = `${counted(found.items)}, compared one by one${state.only.length ? ", of the slices chosen" : ""}`;
    groups = found.groups;
    showChooser();
    wireMap($("map"));
    markCell();
    showContents();
    root.dataset.ready = "true";
  }

  // Afters share items: their numbers stand side by side and are never added up.
  function counted(items) {
    const numbers = [...new Set(items)].map((n) => n.toLocaleString("en-US"));
    const said = numbers.length > 1 ? `${numbers.slice(0, -1).join(", ")} and ${numbers.at(-1)}` : numbers[0];
    return `${said} ${items.length === 1 && items[0] === 1 ? "item" : "items"}${items.length > 1 && numbers.length === 1 ? " each" : ""}`;
  }

  // ---- the map: a click on a cell shows its items -------------------------------------------------------------------------

  function wireMap(place) {
    for (const row of place.querySelectorAll("[data-cells] tbody tr")) {
      const head = row.cells[0];
      const level = row.closest("tbody").dataset.level;
      const name = head.dataset.v;
      const button = make("button", { type: "button", class: "pick", title: "show its items" });
      button.append(...head.childNodes);
      head.append(button);
      row.dataset.cell = level === "total" ? "" : `${level}/${name}`;
      row.classList.add("pickable");
      row.addEventListener("click", (event) => {
        if (event.target.closest("a, summary, details, input") || String(getSelection())) return;
        choose(row.dataset.cell || null);
      });
    }
    for (const figure of place.querySelectorAll("svg")) {
      const marks = [...figure.querySelectorAll("g[data-cell]")];
      if (!marks.length) continue;
      figure.classList.add("pickable");
      figure.addEventListener("click", (event) => {
        const near = marks.map((mark) => {
          const box = mark.getBoundingClientRect();
          return [Math.abs((box.top + box.bottom) / 2 - event.clientY), mark.dataset.cell];
        }).sort((a, b) => a[0] - b[0])[0];
        if (near && near[0] < 16) choose(cellCalled(near[1]));
      });
    }
  }

  // Figures cut long names; the table has them whole.
  function cellCalled(name) {
    const rows = [...$("map").querySelectorAll("tr[data-cell]")].filter((one) => (one.cells[0].dataset.v || "").slice(0, 120) === name);
    const row = rows.find((one) => one.dataset.cell.startsWith(`${state.level}/`)) || rows[0];
    return row ? row.dataset.cell : null;
  }

  function choose(cell) {
    change({ cell, task: null, offset: 0, transition: state.transition || "lost" });
    goToItems(matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth");
  }

  const goToItems = (behavior) => $("items").scrollIntoView({ block: "start", behavior });

  function markCell() {
    for (const row of document.querySelectorAll("tr[data-cell]")) {
      if (state.cell !== null && row.dataset.cell === state.cell) row.setAttribute("aria-current", "true");
      else row.removeAttribute("aria-current");
    }
  }

  function showWhich() {
    const place = $("which");
    if (state.cell === null) {
      place.replaceChildren("Of the whole map. Choose a row of the map to see the items of one cell.");
    } else {
      const [level, ...name] = state.cell.split("/");
      const clear = make("button", { type: "button", class: "quiet" }, "show all");
      clear.addEventListener("click", () => change({ cell: null, offset: 0 }));
      place.replaceChildren(`Of the ${level} `, make("b", {}, make("bdi", {}, name.join("/"))), ". ", clear);
    }
    markCell();
  }

  // ---- slices -----------------------------------------------------------------------------------------------------------

  let labels = {};
  function drawSlices(found) {
    labels = Object.fromEntries(found.dimensions.map((one) => [one.name, one.label]));
    const box = $("by");
    box.replaceChildren(make("option", { value: "" }, "choose…"), ...found.dimensions.map((one) => make("option", { value: one.name }, one.label)));
    box.value = state.by || "";
    const body = $("slices-body");
    if (found.html) body.innerHTML = found.html; // escaped by the server, as sections are
    else body.replaceChildren(make("p", { class: "dim" }, found.dimensions.length ? "Nothing is chosen." : "These logs hold nothing to slice by."));
    for (const button of body.querySelectorAll("[data-only]")) {
      button.addEventListener("click", () => {
        if (!state.only.includes(button.dataset.only)) change({ only: [...state.only, button.dataset.only], offset: 0 });
      });
    }
    showConditions();
    showContents();
  }

  function chip(before, text, title, without) {
    const made = make("button", { type: "button", class: "chip", title }, before, make("bdi", {}, text), " ✕");
    made.addEventListener("click", () => change({ ...without(), offset: 0 }));
    return made;
  }

  function showConditions() {
    const chips = state.only.map((one) => {
      const [name, ...value] = one.split(":");
      return chip("only ", `${labels[name] || name}: ${value.join(":")}`, "remove this condition",
        () => ({ only: state.only.filter((other) => other !== one) }));
    });
    if (state.cell !== null) {
      const [level, ...name] = state.cell.split("/");
      chips.push(chip(`items of the ${level} `, name.join("/"), "show the items of all cells", () => ({ cell: null })));
    }
    $("conditions").replaceChildren(...chips);
  }

  // ---- causes -------------------------------------------------------------------------------------------------------------

  function drawCauses(found) {
    drawSections("causes", found);
    // now items can be filtered by cause
    if (items && !items.causes && !document.querySelector(".item[open]")) {
      parts.items.key = null;
      refresh();
    }
  }

  // ---- items --------------------------------------------------------------------------------------------------------------

  const itemState = () => ({
    transition: state.transition, task: state.task, cause: state.cause, after: state.of, search: state.search, sort: state.sort,
    descending: Boolean(state.descending), offset: state.offset,
  });

  let arriving = true;
  function drawItems(facets) {
    const place = document.querySelector("[data-items]");
    const status = make("p", { class: "searching dim", role: "status", hidden: true });
    const list = make("div", {});
    list.addEventListener("toggle", unfold, true);
    place.replaceChildren(status, list);
    const key = parts.items.key;
    const source = { facets, fetch: (asked) => fetchItems(asked, status) };
    items = { key, causes: facets.causes_known };
    items.list = window.ForgetmapItems.mount(list, source, { state: itemState(), limit: LIMIT, onState: fromItems });
    showContents();
    // Whoever follows a link to a cell wants its items.
    if (arriving && state.cell !== null && !location.hash && scrollY === 0) goToItems("auto");
    arriving = false;
  }

  function fromItems(found) {
    if (quiet) return;
    const { after, descending, ...same } = found;
    const part = Object.assign(same, { of: after, descending: descending || null });
    change(part, part.search !== state.search || (part.offset !== state.offset && Math.abs(part.offset - state.offset) > LIMIT));
  }

  function setItems() {
    const now = items.list.state();
    const wanted = itemState();
    if (Object.keys(wanted).every((name) => now[name] === wanted[name])) return;
    quiet = true;
    items.list.set(wanted);
    quiet = false;
  }

  const itemQuery = (wanted) => query(
    Object.assign({}, state, { of: wanted.after, transition: wanted.transition, task: wanted.task, cause: wanted.cause,
      search: wanted.search, sort: wanted.sort, descending: wanted.descending || null, offset: null }),
    ["before", "after", "only", "taxonomy", "weight", "reading", "cell", ...ITEM_KEYS]);

  let asked = 0;
  let page = null; // the rows that are shown, and how to ask for them
  async function fetchItems(wanted, status) {
    asked += 1;
    const mine = asked;
    const search = itemQuery(wanted);
    const found = await ask("/api/items", `${search}&offset=${wanted.offset}&limit=${wanted.limit}&brief=1`);
    if (mine !== asked) return found;
    page = { search, offset: wanted.offset, rows: found.rows };
    status.hidden = true;
    root.dataset.itemsDrawn = `${search}&offset=${wanted.offset}`;
    if (found.searched < found.to_search) follow(mine, search, status);
    return found;
  }

  // A list holds what was asked. Both answers, and everything else that is long, are fetched when an item is unfolded: all
  // that are unfolded together in one request.
  let unfolding = [];
  function unfold(event) {
    const fold = event.target;
    if (!fold.classList.contains("item") || !fold.open || fold.children.length > 1) return;
    const place = [...fold.parentNode.children].indexOf(fold);
    const row = page && page.rows[place];
    if (!row || row.whole) return;
    event.stopImmediatePropagation(); // until the texts are there
    unfolding.push({ fold, row, place });
    if (unfolding.length === 1) setTimeout(() => { const all = unfolding; unfolding = []; fetchWhole(all, page); }, 0);
  }

  async function fetchWhole(all, from) {
    const first = Math.min(...all.map((one) => one.place));
    const last = Math.max(...all.map((one) => one.place));
    try {
      const found = await ask("/api/items", `${from.search}&offset=${from.offset + first}&limit=${last - first + 1}`);
      for (const { row, place } of all) {
        const whole = found.rows[place - first];
        if (!whole || whole.item !== row.item || whole.after !== row.after) throw new Error("the list has changed; turn the page to see it");
        Object.assign(row, whole, { whole: true });
      }
    } catch (fault) {
      for (const { fold } of all) fold.append(callout(`The texts could not be read: ${fault.message}`));
      return;
    }
    for (const { fold } of all) fold.dispatchEvent(new Event("toggle"));
  }

  // A search of millions of replies comes in pieces: what is found so far is shown, and the rest when it is there.
  async function follow(mine, search, status) {
    const stop = new AbortController();
    for (;;) {
      let found;
      try {
        found = await ask("/api/items", `${search}&limit=1&brief=1`, stop.signal);
      } catch (fault) {
        status.textContent = `The search stopped: ${fault.message}`;
        status.hidden = false;
        return;
      }
      if (mine !== asked) return;
      status.hidden = false;
      const share = Math.floor((100 * found.searched) / found.to_search);
      status.textContent = `Searched ${share} % of ${found.to_search.toLocaleString("en-US")} texts: ${found.total.toLocaleString("en-US")} items so far…`;
      if (found.searched >= found.to_search) {
        status.hidden = true;
        if (items) { quiet = true; items.list.set(items.list.state()); quiet = false; }
        return;
      }
    }
  }

  // ---- what is compared ---------------------------------------------------------------------------------------------------

  let groups = false;
  const form = $("chooser");

  function fill(box, choices, value) {
    const key = JSON.stringify(choices);
    if (box.dataset.key !== key) {
      box.replaceChildren(...choices.map(([name, text]) => make("option", { value: name }, text)));
      box.dataset.key = key;
    }
    box.value = value;
  }

  function showChooser() {
    const runs = library.runs.map((run) => [run.id, runText(run)]);
    fill(form.elements.before, runs, state.before);
    const place = $("afters");
    const old = [...place.querySelectorAll("select")].map((box) => box.value);
    if (JSON.stringify(old) !== JSON.stringify(state.after)) {
      place.replaceChildren(...state.after.map((ident, at) => {
        const box = make("select", { "data-after": at });
        fill(box, runs, ident);
        box.addEventListener("change", () => compare(state.before, state.after.map((one, other) => (other === at ? box.value : one))));
        const row = make("label", { class: "wide" }, at ? `After ${at + 1} ` : "After ", box);
        if (state.after.length > 1) {
          const less = make("button", { type: "button", class: "quiet", "aria-label": `Leave after ${at + 1} out` }, "✕");
          less.addEventListener("click", () => compare(state.before, state.after.filter((_, other) => other !== at)));
          row.append(less);
        }
        return row;
      }));
    }
    $("add-after").hidden = library.runs.length < 3 || state.after.length >= Math.min(8, library.runs.length - 1);
    form.elements.chain.checked = Boolean(state.chain);
    form.elements.chain.closest("label").hidden = library.runs.length < 3;
    fill(form.elements.reading, Object.entries(READINGS).map(([name, text]) => [name, `${name}: ${text}`]), state.reading);
    fill(form.elements.taxonomy, library.taxonomies.map((name) => [name, name]), state.taxonomy);
    fill(form.elements.weight, [["", "the taxonomy's"], ["tasks", "tasks alike"], ["items", "items alike"], ["categories", "categories alike"]], state.weight || "");
    const levels = [["task", "task"], ["category", "category"], ...(groups || state.level === "group" ? [["group", "group"]] : []), ["total", "total"]];
    fill(form.elements.level, levels, state.level);
    showConditions();
  }

  function runText(run) {
    const said = [run.name];
    if (run.items !== null) said.push(`${run.items.toLocaleString("en-US")} items`);
    return said.join(" · ");
  }

  // Other runs have other tasks and slices: what was chosen among these goes, how to look stays.
  function compare(before, after) {
    change({ before, after: [...new Set(after)], cell: null, only: [], task: null, cause: null, of: null, search: null, offset: 0 });
  }

  function wireChooser() {
    form.addEventListener("submit", (event) => event.preventDefault());
    form.elements.before.addEventListener("change", (event) => compare(event.target.value, state.after));
    for (const name of ["reading", "taxonomy", "weight", "level"]) {
      form.elements[name].addEventListener("change", (event) => {
        const part = { [name]: event.target.value || null };
        if (name === "taxonomy") Object.assign(part, { cell: null, level: state.level === "group" ? "category" : state.level });
        change(part);
      });
    }
    form.elements.chain.addEventListener("change", (event) => change({ chain: event.target.checked ? "1" : null }));
    $("add-after").addEventListener("click", () => {
      const free = library.runs.find((run) => run.id !== state.before && !state.after.includes(run.id));
      if (free) compare(state.before, [...state.after, free.id]);
    });
    $("by").addEventListener("change", (event) => change({ by: event.target.value || null }));
    $("copy").addEventListener("click", async (event) => {
      const button = event.target;
      try {
        await navigator.clipboard.writeText(location.href);
        button.textContent = "Copied";
      } catch {
        button.textContent = "Copy it from the address bar";
      }
      setTimeout(() => { button.textContent = "Copy link"; }, 2000);
    });
  }

  // ---- downloads, contents, theme -------------------------------------------------------------------------------------------

  function showFiles() {
    const map = query(state, ["before", "after", "chain", "reading", "taxonomy", "weight", "level", "only"]);
    const all = query(state);
    const link = (text, path, search) => make("a", { href: `/download/${path}?${search}`, download: true }, text);
    const figures = ["forest", "radar", "quadrants", "causes-lost", "causes-gained"];
    if (state.after.length > 1) figures.push("heat-lost", "heat-gained");
    if (state.chain) figures.push("alluvial");
    const drawn = figures.map((name) => [name, map]);
    if (state.by) drawn.push(["slices", query(state, [...RUNS, "level", "by", "cell"])]);
    const list = drawn.flatMap(([name, search], at) => [at ? ", " : "", `${name} `, link("SVG", `figures/${name}.svg`, search), " ", link("PNG", `figures/${name}.png`, search)]);
    $("files").replaceChildren(
      make("li", {}, "The map: ", link("cells as CSV", "cells.csv", map), ", ", link("everything as JSON", "map.json", map)),
      make("li", {}, "The items listed above, with their texts: ", link("CSV", "items.csv", all)),
      make("li", {}, "The page, with the first 1,000 of these items: ", link("report.html", "report.html", all)),
      make("li", {}, "Figures: ", ...list));
  }

  function showContents() {
    const shown = [...document.querySelectorAll("main > section:not([hidden])")];
    $("contents").replaceChildren(...shown.map((one) => {
      const head = one.querySelector("h2");
      return make("li", {}, make("a", { href: `#${one.id}` }, head ? head.textContent : one.id));
    }));
  }

  function wireTheme() {
    const button = document.querySelector("[data-theme-switch]");
    const order = ["system", "light", "dark"];
    const now = () => root.dataset.theme || "system";
    const say = () => { button.textContent = `Theme: ${now()}`; };
    button.addEventListener("click", () => {
      const next = order[(order.indexOf(now()) + 1) % order.length];
      if (next === "system") delete root.dataset.theme;
      else root.dataset.theme = next;
      try {
        if (next === "system") localStorage.removeItem("forgetmap-theme");
        else localStorage.setItem("forgetmap-theme", next);
      } catch {
        // Not remembered where storage is forbidden.
      }
      say();
    });
    say();
  }

  async function start() {
    wireTheme();
    try {
      library = await ask("/api/library", "");
    } catch (fault) {
      showFault(fault.message);
      return;
    }
    if (library.broken.length) {
      document.querySelector("footer").append(make("p", {}, `Left out: ${library.broken.join("; ")}`));
    }
    wireChooser();
    if (library.first === null) {
      form.hidden = true;
      showFault(`There is one run only (${library.runs[0].name}); give two or more to \`forgetmap view\` to compare them.`);
      root.dataset.ready = "true";
      return;
    }
    state = read(location.search);
    window.addEventListener("popstate", () => {
      state = read(location.search);
      refresh();
    });
    refresh();
  }

  start();
})();
