"use strict";
// The list of items: filters, search, sorting, pages, and both answers side by side with a word diff.
// Everything a model or a log wrote goes in by textContent. A classic script without eval, so that any strict policy lets
// it run. `window.ForgetmapItems.mount(root, source, options)`:
//   source  {facets: {transitions, tasks, causes, afters, cells?: [{name, count, label?}]},
//            fetch(query) -> Promise<{total, rows, transitions?}>}; transitions: {name: count} under the other filters
//   query   {transition, task, cause, after, search, sort, descending, offset, limit}; null where nothing is asked for;
//           with cells in the facets also `within`, the name of one
//   options {state, onState(state), limit}; returns {set(state), state()}
window.ForgetmapItems = (function () {
  const FOLD = 1200; // characters of a text shown before it is unfolded
  const STEP = 100000; // characters that one press unfolds: a browser lays out more only slowly
  const DIFF_TOKENS = 6000; // words and signs on both sides together, less what they share at the ends
  const DIFF_EDITS = 1500; // more differences than this are no diff to read
  const ALIKE = 0.3; // answers that share less are shown unmarked
  const SORTS = [
    ["rank", "what to look at first", false],
    ["task", "task", false],
    ["confidence", "surest first", true],
    ["change", "largest change of the score", true],
    ["length_after", "longest answer after", true],
    ["length_before", "longest answer before", true],
  ];
  const WORDS = {
    lost: "its score fell", gained: "its score rose", kept: "as good as before", never: "right neither time",
  };

  function el(tag, attributes, ...children) {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes || {})) {
      if (value === null || value === undefined || value === false) continue;
      made.setAttribute(name, value === true ? "" : String(value));
    }
    made.append(...children.filter((child) => child !== null && child !== undefined));
    return made;
  }

  // Control characters, marks that turn the direction of text and halves of characters, shown as escapes.
  const HIDDEN = new RegExp(
    "[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u00ad\\u061c\\u180e\\u200b\\u200e\\u200f\\u2028-\\u202e\\u2060-\\u206f\\ufeff\\ufff9-\\ufffb]" +
      "|[\\ud800-\\udbff](?![\\udc00-\\udfff])|(?<![\\ud800-\\udbff])[\\udc00-\\udfff]", "g");

  function visible(text) {
    return text.replace(/\r\n/g, "\n").replace(HIDDEN, (sign) => {
      const code = sign.charCodeAt(0).toString(16);
      return code.length <= 2 ? "\\x" + code.padStart(2, "0") : "\\u" + code.padStart(4, "0");
    });
  }

  function isolated(text, tag) {
    const made = el(tag || "bdi", { dir: "auto" });
    made.textContent = visible(text);
    return made;
  }

  const count = (n) => n.toLocaleString("en-US");

  // Scripts without blanks between words are taken sign by sign.
  const TOKEN = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|[\p{L}\p{N}\p{M}_]+|\s+|[^]/gu;

  // The two texts as lists of [text, isOnlyHere]; null where there is too much to compare.
  // Shortest edit script after Myers (1986), forward, with the frontier of every step kept to walk back.
  function diff(before, after) {
    if (before.length + after.length > 60 * DIFF_TOKENS) return null;
    const a = before.match(TOKEN) || [];
    const b = after.match(TOKEN) || [];
    let start = 0;
    while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
    let end = 0;
    while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end += 1;
    const n = a.length - start - end;
    const m = b.length - start - end;
    if (n + m > DIFF_TOKENS) return null;
    const onlyA = new Uint8Array(a.length);
    const onlyB = new Uint8Array(b.length);
    const most = Math.min(n + m, DIFF_EDITS);
    const frontier = new Int32Array(2 * most + 3);
    const middle = most + 1;
    const trace = [];
    let found = -1;
    for (let d = 0; d <= most && found < 0; d += 1) {
      for (let k = -d; k <= d; k += 2) {
        const down = k === -d || (k !== d && frontier[middle + k - 1] < frontier[middle + k + 1]);
        let x = down ? frontier[middle + k + 1] : frontier[middle + k - 1] + 1;
        let y = x - k;
        while (x < n && y < m && a[start + x] === b[start + y]) { x += 1; y += 1; }
        frontier[middle + k] = x;
        if (x >= n && y >= m) { found = d; break; }
      }
      trace.push(frontier.slice(middle - d, middle + d + 1));
    }
    if (found < 0) return null;
    for (let d = found, x = n, y = m; d > 0; d -= 1) {
      const k = x - y;
      const last = trace[d - 1]; // reaches from -(d - 1) to d - 1
      const at = (place) => (Math.abs(place) <= d - 1 ? last[place + d - 1] : -1);
      const down = k === -d || (k !== d && at(k - 1) < at(k + 1));
      const from = down ? k + 1 : k - 1;
      x = at(from);
      y = x - from;
      if (down) onlyB[start + y] = 1;
      else onlyA[start + x] = 1;
    }
    let same = 0;
    a.forEach((token, place) => { if (!onlyA[place]) same += token.length; });
    const alike = (2 * same) / Math.max(1, before.length + after.length);
    return { before: joined(a, onlyA), after: joined(b, onlyB), alike };
  }

  function joined(tokens, only) {
    const parts = [];
    tokens.forEach((token, place) => {
      let mark = only[place] === 1;
      // A blank between two marked words is marked with them: one stretch instead of crumbs.
      if (!mark && /^\s+$/.test(token) && only[place - 1] === 1 && only[place + 1] === 1) mark = true;
      const last = parts[parts.length - 1];
      if (last && last[1] === mark) last[0] += token;
      else parts.push([token, mark]);
    });
    // Blanks at the ends of a marked stretch are not what differs to a reader.
    return parts.flatMap(([text, mark]) => {
      const core = mark ? text.trim() : text;
      if (core === "" || core === text) return [[text, mark]];
      const head = text.length - text.trimStart().length;
      const ends = [[text.slice(0, head), false], [core, mark], [text.slice(head + core.length), false]];
      return ends.filter((part) => part[0] !== "");
    });
  }

  // A text that may be long: its beginning, and a button for the rest. `parts` are [text, marked].
  function folded(parts, side, label) {
    const box = el("div", { class: "reply", dir: "auto", tabindex: "0", role: "group", "aria-label": label });
    const whole = parts.reduce((sum, part) => sum + part[0].length, 0);
    let place = 0; // of the part
    let inside = 0; // characters of it that are shown
    function show(most) {
      let left = most;
      const made = document.createDocumentFragment();
      while (place < parts.length && left > 0) {
        const [text, marked] = parts[place];
        const piece = text.slice(inside, inside + left);
        left -= piece.length;
        inside += piece.length;
        if (inside >= text.length) { place += 1; inside = 0; }
        if (!marked) made.append(piece);
        else {
          const mark = el(side === "before" ? "del" : "ins");
          mark.textContent = piece;
          made.append(mark);
        }
      }
      box.append(made);
    }
    show(whole > FOLD * 1.5 ? FOLD : whole);
    if (place >= parts.length) return [box];
    const more = el("button", { type: "button", class: "quiet" });
    function rest() {
      let shown = inside;
      for (let at = 0; at < place; at += 1) shown += parts[at][0].length;
      const left = whole - shown;
      more.textContent = left > STEP ? `show ${count(STEP)} more of ${count(left)} characters` : `show all (${count(left)} more characters)`;
    }
    rest();
    more.addEventListener("click", () => {
      show(STEP);
      if (place >= parts.length) { more.remove(); box.focus(); }
      else rest();
    });
    return [box, more];
  }

  // Right and wrong are said of single answers that are one or the other; grades and repeats have their figures.
  function graded(row) {
    if (row.kind) return row.kind !== "binary";
    return [row.score_before, row.score_after].some((value) => value !== null && value !== undefined && value !== 0 && value !== 1);
  }

  const figure = (value) => String(Number(value.toPrecision(3)));

  function score(row, side) {
    const value = row["score_" + side];
    const repeats = row["repeats_" + side] || 1;
    if (value === null || value === undefined) return "no score";
    if (graded(row)) return repeats > 1 ? `mean score ${figure(value)} of ${repeats} repeats` : `score ${figure(value)}`;
    if (repeats > 1) return `right in ${Math.round(value * repeats)} of ${repeats} repeats`;
    return value === 1 ? "right" : "wrong";
  }

  // Both scores in one phrase; null where the name of the transition says it all.
  function movement(row) {
    const [before, after] = [row.score_before, row.score_after];
    const [first, last] = [row.repeats_before || 1, row.repeats_after || 1];
    if (before === null || before === undefined || after === null || after === undefined) return null;
    const single = first === 1 && last === 1;
    if (graded(row)) return `${single ? "" : "mean "}score ${figure(before)} → ${figure(after)}`;
    return single ? null : `right in ${Math.round(before * first)} of ${first} repeats → ${Math.round(after * last)} of ${last}`;
  }

  function evidence(row, afters) {
    const said = [...(row.marks || [])];
    if (row.cause) said.push(`cause: ${row.cause.replace(/_/g, " ")}`);
    if (afters > 1 && row.shared_by) said.push(`${row.transition} by ${row.shared_by} of ${afters}`);
    const moved = movement(row);
    if (moved) said.push(moved);
    const sure = row.transition === "gained" ? "after" : "before";
    if (row.confidence !== null && row.confidence !== undefined) said.push(`confidence ${sure} ${row.confidence.toFixed(2)}`);
    return said;
  }

  function options(row) {
    const golds = row.gold || [];
    const given = row.options || [];
    if (!given.length) {
      const line = el("p", { class: "gold" }, el("b", {}, "Gold: "));
      if (golds.length) golds.forEach((gold, place) => line.append(place ? "; " : "", ...folded([[visible(gold), false]], "", "gold")));
      else line.append("not on record");
      return line;
    }
    const list = el("ol", { class: "options" });
    for (const option of given) {
      const tags = [];
      if (golds.includes(option)) tags.push("gold");
      if (row.choice_before === option) tags.push("chosen before");
      if (row.choice_after === option) tags.push("chosen after");
      const line = el("li", { class: tags.includes("gold") ? "is-gold" : null }, ...folded([[visible(option), false]], "", "option"));
      for (const tag of tags) line.append(" ", el("span", { class: tag === "gold" ? "tag tag-gold" : "tag" }, tag));
      list.append(line);
    }
    const box = el("div", {}, list);
    const strange = golds.filter((gold) => !given.includes(gold));
    if (strange.length) {
      const line = el("p", { class: "gold" }, el("b", {}, "Gold: "));
      strange.forEach((gold, place) => line.append(place ? "; " : "", ...folded([[visible(gold), false]], "", "gold")));
      box.append(line);
    }
    return box;
  }

  function answers(row) {
    const texts = {};
    for (const side of ["before", "after"]) {
      const said = row["response_" + side] ?? row["choice_" + side];
      texts[side] = said === null || said === undefined ? null : visible(said);
    }
    const box = el("div", { class: "sides" });
    const note = el("p", { class: "dim diff-note" });
    let found = null;
    if (texts.before !== null && texts.after !== null) {
      if (texts.before === texts.after) note.textContent = "Both answers are the same, word for word.";
      else {
        found = diff(texts.before, texts.after);
        if (!found) note.textContent = "The answers are too long, or too different, to mark what differs.";
        else if (found.alike < ALIKE) note.textContent = "The answers have little in common. ";
        else note.textContent = "Underlined: words that the other answer does not have.";
      }
    }
    function draw(marked) {
      box.replaceChildren();
      for (const side of ["before", "after"]) {
        const state = row["state_" + side];
        const said = [score(row, side)];
        if (state && state !== "answered") said.push(String(state).replace(/_/g, " "));
        const half = el("div", { class: "side" }, el("h3", {}, side, " ", el("span", { class: "dim" }, said.join(", "))));
        if (texts[side] === null) half.append(el("p", { class: "dim" }, "text not on record"));
        else if (texts[side] === "") half.append(el("p", { class: "dim" }, "an empty answer"));
        else half.append(...folded(marked ? found[side] : [[texts[side], false]], side, `answer ${side}`));
        if (row["note_" + side]) half.append(el("p", { class: "choice" }, isolated(row["note_" + side])));
        const choice = row["choice_" + side];
        if (choice !== null && choice !== undefined && row["response_" + side]) {
          half.append(el("p", { class: "choice" }, el("b", {}, "Read as: "), ...folded([[visible(choice), false]], "", "choice")));
        }
        box.append(half);
      }
    }
    draw(found !== null && found.alike >= ALIKE);
    if (found && found.alike < ALIKE) {
      const button = el("button", { type: "button", class: "quiet" }, "Mark the differences all the same");
      button.addEventListener("click", () => { draw(true); button.remove(); note.textContent = "Underlined: words that the other answer does not have."; });
      note.append(button);
    }
    return [box, note];
  }

  function prompts(row) {
    const { prompt_before: before, prompt_after: after } = row;
    if (!before && !after) return [];
    const same = before === after;
    const sides = same ? [["on both sides", before]] : [["before", before], ["after", after]];
    return sides.map(([name, text]) => {
      const fold = el("details", { class: "prompt" }, el("summary", {}, `Prompt ${name}`));
      fold.addEventListener("toggle", () => {
        if (fold.open && fold.children.length === 1) {
          if (text) fold.append(...folded([[visible(text), false]], "", `prompt ${name}`));
          else fold.append(el("p", { class: "dim" }, "not on record"));
        }
      });
      return fold;
    });
  }

  function item(row, facets) {
    const summary = el("summary", {},
      el("span", { class: `tag t-${row.transition}`, title: WORDS[row.transition] }, row.transition), " ",
      el("span", { class: "task" }, isolated(row.task)), " ");
    const id = row.native_id ?? row.item;
    if (id !== null && id !== undefined) summary.append(el("span", { class: "dim" }, isolated(String(id))), " ");
    const asked = row.question ?? row.prompt_before ?? "";
    const flat = visible(asked.slice(0, 400)).replace(/\s+/g, " ").trim();
    summary.append(el("span", { class: "excerpt", dir: "auto" }, flat.slice(0, 180) + (flat.length > 180 || asked.length > 400 ? "…" : "")));
    const fold = el("details", { class: "item" }, summary);
    fold.addEventListener("toggle", () => {
      if (!fold.open || fold.children.length > 1) return;
      const body = el("div", { class: "item-body" });
      const said = evidence(row, facets.afters.length);
      if (facets.afters.length > 1 && facets.afters[row.after]) said.unshift(`after: ${facets.afters[row.after].label}`);
      if (said.length) {
        const line = el("p", { class: "dim" });
        said.forEach((text, place) => line.append(place ? " · " : "", isolated(text)));
        body.append(line);
      }
      if (row.question) body.append(...folded([[visible(row.question), false]], "", "question"));
      body.append(options(row), ...answers(row), ...prompts(row));
      fold.append(body);
    });
    return fold;
  }

  function select(label, name, choices, all) {
    const box = el("select", { name });
    box.append(el("option", { value: "" }, all));
    for (const choice of choices) {
      const made = el("option", { value: choice.name });
      made.textContent = `${visible(String(choice.label ?? choice.name))} (${count(choice.count)})`;
      box.append(made);
    }
    return [el("label", {}, label, " ", box), box];
  }

  // A link may ask for a value that no item here has: the filter says so instead of pretending to be off.
  function choose(box, value) {
    if (![...box.options].some((one) => one.value === value)) {
      box.append(el("option", { value }, `${visible(value)} (0)`));
    }
    box.value = value;
  }

  const EMPTY = { transition: null, task: null, cause: null, after: null, search: null, sort: "rank", descending: false, offset: 0 };

  function mount(root, source, given) {
    const settings = Object.assign({ state: {}, onState: null, limit: 20 }, given);
    const facets = Object.assign({ transitions: [], tasks: [], causes: [], afters: [], cells: [] }, source.facets);
    const empty = facets.cells.length ? Object.assign({}, EMPTY, { within: null }) : EMPTY;
    let state = Object.assign({}, empty, settings.state);
    let asked = 0;

    const chips = el("div", { class: "group", role: "group", "aria-label": "Transition" });
    const whole = facets.transitions.reduce((sum, one) => sum + one.count, 0);
    const choices = facets.transitions.length > 1 ? [{ name: "", label: "all", count: whole }, ...facets.transitions] : facets.transitions;
    for (const one of choices) {
      const chip = el("button", { type: "button", "data-transition": one.name, title: WORDS[one.name] }, `${one.label ?? one.name} ${count(one.count)}`);
      chip.addEventListener("click", () => change({ transition: one.name || null }));
      chips.append(chip);
    }
    const [taskLabel, taskBox] = select("Task", "task", facets.tasks, "all tasks");
    const [cellLabel, cellBox] = select("Cell", "within", facets.cells, "all cells");
    const [causeLabel, causeBox] = select("Cause", "cause", facets.causes.map((one) => ({ ...one, label: one.name.replace(/_/g, " ") })), "all causes");
    const [afterLabel, afterBox] = select("After", "after", facets.afters, "all models");
    const searchBox = el("input", { type: "search", name: "search", autocomplete: "off", spellcheck: "false", placeholder: "words in questions and answers" });
    const sortBox = el("select", { name: "sort" }, ...SORTS.map(([name, label]) => el("option", { value: name }, label)));
    const status = el("p", { class: "status", role: "status" });
    const list = el("div", { class: "item-list" });
    const earlier = el("button", { type: "button" }, "← earlier");
    const later = el("button", { type: "button" }, "later →");
    const open = el("button", { type: "button", class: "quiet" }, "unfold all on this page");
    const pages = el("span", { class: "dim" });
    root.replaceChildren(
      el("div", { class: "tools", role: "search" }, chips, facets.cells.length ? cellLabel : null, facets.tasks.length > 1 ? taskLabel : null, facets.causes.length ? causeLabel : null,
        facets.afters.length > 1 ? afterLabel : null, el("label", {}, "Find ", searchBox), el("label", {}, "Sort by ", sortBox)),
      status, list, el("div", { class: "tools pages" }, earlier, pages, later, open));

    const boxes = [taskBox, causeBox, afterBox, ...(facets.cells.length ? [cellBox] : [])];
    for (const box of boxes) box.addEventListener("change", () => change({ [box.name]: box.value || null }));
    sortBox.addEventListener("change", () => change({ sort: sortBox.value, descending: SORTS.find((one) => one[0] === sortBox.value)[2] }));
    let timer = 0;
    searchBox.addEventListener("input", () => {
      clearTimeout(timer);
      timer = setTimeout(() => change({ search: searchBox.value.trim() || null }), 150);
    });
    earlier.addEventListener("click", () => turn(-1));
    later.addEventListener("click", () => turn(1));
    open.addEventListener("click", () => {
      const folds = [...list.children];
      const unfold = folds.some((fold) => !fold.open);
      for (const fold of folds) fold.open = unfold;
      open.textContent = unfold ? "fold all on this page" : "unfold all on this page";
    });

    function turn(way) {
      change({ offset: Math.max(0, state.offset + way * settings.limit) });
      status.scrollIntoView({ block: "nearest" });
    }

    function change(part) {
      state = Object.assign({}, state, "offset" in part ? {} : { offset: 0 }, part);
      if (settings.onState) settings.onState(Object.assign({}, state));
      return draw();
    }

    async function draw() {
      asked += 1;
      const mine = asked;
      for (const chip of chips.children) chip.setAttribute("aria-pressed", String((chip.dataset.transition || null) === state.transition));
      for (const box of boxes) choose(box, state[box.name] ?? "");
      if (document.activeElement !== searchBox) searchBox.value = state.search ?? "";
      sortBox.value = state.sort;
      let answer;
      try {
        answer = await source.fetch(Object.assign({}, state, { limit: settings.limit }));
      } catch (fault) {
        if (mine === asked) status.textContent = `The items could not be read: ${fault.message}`;
        return;
      }
      if (mine !== asked) return; // an older question was answered late
      if (!answer.rows.length && state.offset > 0) {
        state.offset = 0;
        return draw();
      }
      if (answer.transitions) {
        const all = Object.values(answer.transitions).reduce((sum, one) => sum + one, 0);
        for (const chip of chips.children) {
          const name = chip.dataset.transition;
          chip.textContent = name ? `${name} ${count(answer.transitions[name] ?? 0)}` : `all ${count(all)}`;
        }
      }
      list.replaceChildren(...answer.rows.map((row) => item(row, facets)));
      open.textContent = "unfold all on this page";
      const last = state.offset + answer.rows.length;
      const which = `${answer.total === 1 ? "item" : "items"}${state.transition ? ` ${state.transition}` : ""}`;
      status.textContent = answer.total ? `${count(answer.total)} ${which}` : "No item fits.";
      status.dataset.total = answer.total;
      pages.textContent = answer.total ? `${count(state.offset + 1)} to ${count(last)} of ${count(answer.total)}` : "";
      earlier.disabled = state.offset === 0;
      later.disabled = last >= answer.total;
      open.hidden = !answer.rows.length;
    }

    draw();
    return { set: (part) => change(Object.assign({}, empty, part)), state: () => Object.assign({}, state) };
  }

  return { mount, diff, visible };
})();
