"use strict";
// The page's behaviour. Data lies in the page, compressed, and is inflated when it is needed.
// `window.ForgetmapPage` gives the explorer the same tables and figures: wire(root, {plot(key), library()}).
window.ForgetmapPage = (function () {
  function block(name) {
    return document.querySelector(`script[data-block="${name}"]`);
  }

  function bytes(text) {
    if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
    const raw = atob(text);
    const made = new Uint8Array(raw.length);
    for (let place = 0; place < raw.length; place += 1) made[place] = raw.charCodeAt(place);
    return made;
  }

  function inflate(name) {
    const stream = new Blob([bytes(block(name).textContent.trim())]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Response(stream);
  }

  const loaded = {};
  function data(name) {
    loaded[name] = loaded[name] || inflate(name).json();
    return loaded[name];
  }

  // ---- tables -------------------------------------------------------------------------------------------------------

  const ROWS = 100; // rows of a long table that are shown before more are asked for: a browser lays out few quickly

  function sortTable(table, column, kind) {
    const heads = [...table.tHead.rows[0].cells];
    const head = heads[column];
    const first = kind.startsWith("num") ? "descending" : "ascending";
    const now = head.getAttribute("aria-sort");
    const way = now === null ? first : now === "descending" ? "ascending" : "descending";
    heads.forEach((one) => one.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", way);
    const sign = way === "ascending" ? 1 : -1;
    const words = new Intl.Collator("en", { numeric: true });
    for (const body of table.tBodies) {
      const rows = [...body.rows].map((row) => [row.cells[column].dataset.v, row]);
      rows.sort(([a], [b]) => {
        if (a === undefined || b === undefined) return (a === undefined) - (b === undefined); // missing is last, both ways
        const left = Number(a);
        const right = Number(b);
        if (a !== "" && b !== "" && !Number.isNaN(left) && !Number.isNaN(right)) return sign * (left - right);
        return sign * words.compare(a, b);
      });
      body.append(...rows.map(([, row]) => row));
    }
  }

  function wireTables(root) {
    for (const table of root.querySelectorAll("table.sortable")) {
      const box = table.closest("[data-cells]");
      const draw = box ? wireCells(box) : () => {};
      for (const button of table.tHead.querySelectorAll("button[data-sort]")) {
        button.addEventListener("click", () => {
          sortTable(table, button.closest("th").cellIndex, button.dataset.sort);
          draw();
        });
      }
    }
  }

  // The table of every cell: one level at a time, rows by name, and as many as a reader takes in. Returns its redraw.
  function wireCells(box) {
    const levels = [...box.querySelectorAll("[data-show-level]")];
    const find = box.querySelector("[data-find]");
    const status = box.querySelector("[data-count]");
    const all = box.querySelector("[data-all]");
    let most = ROWS;
    const count = (n) => n.toLocaleString("en-US");
    function draw() {
      const wanted = find.value.trim().toLocaleLowerCase();
      const named = (row) => [0, 2].some((place) => row.cells[place].textContent.toLocaleLowerCase().includes(wanted));
      let rows = 0;
      let fits = 0;
      for (const body of box.querySelectorAll(`tbody[data-level="${CSS.escape(box.dataset.level)}"]`)) {
        for (const row of body.rows) {
          const fit = wanted === "" || named(row);
          rows += 1;
          fits += fit ? 1 : 0;
          row.hidden = !fit || fits > most;
        }
      }
      const shown = Math.min(fits, most);
      status.textContent = shown === rows ? `${count(rows)} rows` : `${count(shown)} of ${count(rows)} rows`;
      all.hidden = fits <= most;
      all.textContent = `show all ${count(fits)}`;
    }
    for (const button of levels) {
      button.addEventListener("click", () => {
        box.dataset.level = button.dataset.showLevel;
        levels.forEach((one) => one.setAttribute("aria-pressed", String(one === button)));
        draw();
      });
    }
    find.addEventListener("input", draw);
    all.addEventListener("click", () => {
      most = Infinity;
      draw();
      find.focus();
    });
    draw();
    return draw;
  }

  // ---- figures ------------------------------------------------------------------------------------------------------

  let library = null;
  async function embeddedLibrary() {
    const url = URL.createObjectURL(new Blob([await inflate("plotly").arrayBuffer()], { type: "text/javascript" }));
    await new Promise((done, failed) => {
      const script = document.createElement("script");
      script.src = url;
      script.onload = done;
      script.onerror = () => failed(new Error("the library for interaction did not load"));
      document.head.append(script);
    });
    URL.revokeObjectURL(url);
    return window.Plotly;
  }

  function themed(layout) {
    const style = getComputedStyle(document.documentElement);
    const ink = style.getPropertyValue("--fm-ink").trim();
    const grid = style.getPropertyValue("--fm-grid").trim();
    const dim = style.getPropertyValue("--fm-dim").trim();
    const made = Object.assign({}, layout, {
      paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)",
      modebar: { bgcolor: "rgba(0,0,0,0)", color: dim, activecolor: ink },
      font: Object.assign({}, layout.font, { color: ink, family: "system-ui, sans-serif" }),
    });
    for (const [name, axis] of Object.entries(layout)) {
      if (/^[xy]axis\d*$/.test(name)) made[name] = Object.assign({}, axis, { gridcolor: grid, zerolinecolor: dim, linecolor: grid });
      if (/^polar\d*$/.test(name)) {
        made[name] = Object.assign({}, axis, {
          bgcolor: "rgba(0,0,0,0)",
          radialaxis: Object.assign({}, axis.radialaxis, { gridcolor: grid, linecolor: grid }),
          angularaxis: Object.assign({}, axis.angularaxis, { gridcolor: grid, linecolor: grid }),
        });
      }
    }
    // A shape is named by its role, which has a colour in every theme.
    if (layout.shapes) {
      made.shapes = layout.shapes.map((shape) => {
        const colour = style.getPropertyValue(`--fm-${shape.name}`).trim();
        if (!colour) return shape;
        return Object.assign({}, shape, shape.type === "rect" ? { fillcolor: colour } : { line: Object.assign({}, shape.line, { color: colour }) });
      });
    }
    return made;
  }

  function wireFigures(root, source) {
    for (const figure of root.querySelectorAll("[data-figure]")) {
      const button = figure.querySelector("[data-interact]");
      if (!button) continue;
      button.hidden = false;
      const still = figure.querySelector("[data-static]");
      let live = null;
      button.addEventListener("click", async () => {
        if (live) {
          window.Plotly.purge(live);
          live.remove();
          live = null;
          still.hidden = false;
          button.textContent = "Interact";
          return;
        }
        button.disabled = true;
        button.textContent = "Loading…";
        try {
          library = library || source.library();
          const [plotly, plot] = await Promise.all([library, source.plot(figure.dataset.figure)]);
          const place = document.createElement("div");
          place.className = "live";
          still.after(place);
          live = place;
          still.hidden = true;
          await plotly.newPlot(place, plot.data, themed(plot.layout), { responsive: true, displaylogo: false });
          button.textContent = "Still figure";
        } catch (fault) {
          // The still figure says it all: interaction is a comfort.
          if (live) live.remove();
          live = null;
          library = null;
          still.hidden = false;
          button.textContent = "Interaction is not available";
          button.title = fault.message;
          return;
        } finally {
          button.disabled = false;
        }
      });
    }
  }

  function wire(root, source) {
    wireTables(root);
    if (source) wireFigures(root, source);
  }

  // ---- items --------------------------------------------------------------------------------------------------------

  function rowsOf(packed) {
    const names = Object.keys(packed.columns);
    const rows = new Array(packed.order.length);
    packed.order.forEach((rank, place) => {
      const row = { rank };
      for (const name of names) row[name] = packed.columns[name][place];
      if (row.prompt_after === 0) row.prompt_after = row.prompt_before; // stored once
      rows[rank] = row;
    });
    return rows;
  }

  function tally(rows, key) {
    const found = new Map();
    for (const row of rows) {
      const value = row[key];
      if (value !== null && value !== undefined) found.set(value, (found.get(value) || 0) + 1);
    }
    return [...found].map(([name, count]) => ({ name, count }));
  }

  const SEARCHED = ["question", "response_before", "response_after", "choice_before", "choice_after", "task", "item", "native_id", "prompt_before", "prompt_after"];
  const SORT = {
    rank: (row) => row.rank,
    task: (row) => row.task,
    confidence: (row) => row.confidence,
    change: (row) => Math.abs(row.score_after - row.score_before),
    length_before: (row) => (row.response_before ?? row.choice_before)?.length,
    length_after: (row) => (row.response_after ?? row.choice_after)?.length,
  };

  // `cells` stand for several tasks each: {name, label, tasks: [of each map]}.
  function memorySource(rows, afters, cells) {
    const ORDER = ["lost", "gained", "kept", "never"];
    const facets = {
      transitions: tally(rows, "transition").sort((a, b) => ORDER.indexOf(a.name) - ORDER.indexOf(b.name)),
      tasks: tally(rows, "task").sort((a, b) => a.name.localeCompare(b.name, "en", { numeric: true })),
      causes: tally(rows, "cause").sort((a, b) => b.count - a.count),
      afters: afters.map((label, place) => ({ name: String(place), label, count: rows.filter((row) => row.after === place).length })),
    };
    const inside = new Map((cells || []).map((one) => [one.name, one.tasks.map((tasks) => new Set(tasks))]));
    const within = (row, name) => Boolean(inside.get(name)?.[row.after ?? 0]?.has(row.task));
    facets.cells = (cells || []).map(({ name, label }) => ({ name, label, count: rows.filter((row) => within(row, name)).length }));
    function holds(row, wanted) {
      const has = (text) => typeof text === "string" && text.toLocaleLowerCase().includes(wanted);
      return SEARCHED.some((name) => has(row[name])) || (row.options || []).some(has) || (row.gold || []).some(has);
    }
    async function fetch(query) {
      const wanted = query.search ? query.search.toLocaleLowerCase() : null;
      const fits = rows.filter((row) =>
        (query.task === null || row.task === query.task) && (!query.within || within(row, query.within)) &&
        (query.cause === null || row.cause === query.cause) && (query.after === null || String(row.after) === query.after) &&
        (wanted === null || holds(row, wanted)));
      // How many of each transition the other filters leave.
      const transitions = Object.fromEntries(facets.transitions.map((one) => [one.name, 0]));
      for (const row of fits) transitions[row.transition] += 1;
      let found = query.transition === null ? fits : fits.filter((row) => row.transition === query.transition);
      const key = SORT[query.sort] || SORT.rank;
      if (key !== SORT.rank || query.descending) {
        const sign = query.descending ? -1 : 1;
        found = found.map((row) => [key(row), row]);
        found.sort(([a, x], [b, y]) => {
          const without = (value) => value === null || value === undefined || Number.isNaN(value);
          if (without(a) || without(b)) return without(a) - without(b) || x.rank - y.rank;
          return sign * (a < b ? -1 : a > b ? 1 : 0) || x.rank - y.rank;
        });
        found = found.map(([, row]) => row);
      }
      return { total: found.length, rows: found.slice(query.offset, query.offset + query.limit), transitions };
    }
    return { facets, fetch };
  }

  // ---- the address: #items?transition=lost&task=… ---------------------------------------------------------------------

  const KEPT = ["transition", "task", "within", "cause", "after", "search", "sort", "offset"];
  const DEFAULTS = { sort: "rank", offset: 0 };

  function address() {
    const [section, query] = location.hash.replace(/^#/, "").split(/\?(.*)/s);
    const state = {};
    for (const [name, value] of new URLSearchParams(query || "")) if (KEPT.includes(name) && value !== "") state[name] = value;
    if ("offset" in state) state.offset = Math.max(0, Math.floor(Number(state.offset)) || 0);
    if ("sort" in state) {
      if (!Object.hasOwn(SORT, state.sort)) delete state.sort;
      else state.descending = !["rank", "task"].includes(state.sort);
    }
    return { section, state };
  }

  function remember(state) {
    const query = new URLSearchParams();
    for (const name of KEPT) if (state[name] !== null && state[name] !== undefined && state[name] !== DEFAULTS[name]) query.set(name, state[name]);
    const text = query.toString();
    const hash = text ? `#items?${text}` : "#items";
    try {
      history.replaceState(null, "", hash);
    } catch {
      // Some viewers of files forbid it; the page works without.
    }
  }

  function go(controller) {
    const { section, state } = address();
    if (!section) return;
    if (section === "items" && controller) controller.set(state);
    const place = document.getElementById(section);
    if (place) place.scrollIntoView();
  }

  async function wireItems(root) {
    let packed;
    let afters;
    let cells;
    try {
      [packed, afters, cells] = await Promise.all([data("items"), data("afters"), block("cells") ? data("cells") : []]);
    } catch (fault) {
      root.textContent = `The items in this file cannot be read (${fault.message}); open it in a browser of 2023 or later.`;
      return null;
    }
    const { section, state } = address();
    const source = memorySource(rowsOf(packed), afters, cells);
    const mounted = section === "items" ? state : { transition: source.facets.transitions[0]?.name ?? null };
    return window.ForgetmapItems.mount(root, source, { state: mounted, onState: remember });
  }

  // ---- the page -----------------------------------------------------------------------------------------------------

  function wireTheme() {
    const button = document.querySelector("[data-theme-switch]");
    if (!button) return;
    const root = document.documentElement;
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

  function wireContents() {
    const links = new Map([...document.querySelectorAll(".contents a[href^='#']")].map((link) => [link.hash.slice(1), link]));
    const seen = new Map();
    const watch = new IntersectionObserver((entries) => {
      for (const entry of entries) seen.set(entry.target.id, entry.isIntersecting);
      const current = [...links.keys()].find((id) => seen.get(id));
      for (const [id, link] of links) {
        if (id === current) link.setAttribute("aria-current", "true");
        else link.removeAttribute("aria-current");
      }
    }, { rootMargin: "-15% 0px -70% 0px" });
    for (const id of links.keys()) {
      const section = document.getElementById(id);
      if (section) watch.observe(section);
    }
  }

  function wirePrint() {
    let opened = [];
    window.addEventListener("beforeprint", () => {
      opened = [...document.querySelectorAll("details[data-print]:not([open])")];
      for (const fold of opened) fold.open = true;
    });
    window.addEventListener("afterprint", () => {
      for (const fold of opened) fold.open = false;
    });
  }

  async function start() {
    wireTheme();
    wireContents();
    wirePrint();
    wire(document, block("plotly") ? { plot: async (key) => (await data("plots"))[key], library: embeddedLibrary } : null);
    const place = document.querySelector("[data-items]");
    const controller = place && block("items") ? await wireItems(place) : null;
    window.addEventListener("hashchange", () => go(controller));
    if (location.hash) go(null); // what stands above may have grown since the browser scrolled
    document.documentElement.dataset.ready = "true";
  }

  if (document.documentElement.hasAttribute("data-report")) { // the explorer wires its own page
    if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
    else start();
  }
  return { wire, memorySource };
})();
