// What comes first: what the page is made from, totals, rules, and where time went.

const MOST_KINDS = 15;

function showHead() {
  document.title = `${data.title} - hookctl`;
  byId("title").textContent = data.title;
  byId("about").append(...data.about.map(([name, value]) =>
    el("div", {}, el("dt", {}, name), el("dd", {}, text(value)))));
  byId("made").textContent =
    `Made by hookctl ${data.version} at ${data.made.slice(0, 19).replace("T", " ")} UTC.`;
}

function showTotals() {
  byId("totals-list").append(...data.totals.map(([name, number, state]) =>
    el("div", { class: `total ${number ? TONES[state] || "" : ""}` },
      el("dt", {}, name), el("dd", {}, number.toLocaleString("en")))));
  const notes = byId("notes");
  notes.append(...data.notes.map((note) => el("li", {}, text(note))));
  notes.hidden = !data.notes.length;
}

function showKinds() {
  const heads = [["Verdict"], ["Findings", "number"], ["Plugin"], ["Point", "point"], ["Tool", "tool"],
    ["Rule or reason", "wide"], ["Show", "act"]];
  const rows = data.kinds.map(([number, state, plugin, point, tool, reason, rule]) => {
    const show = () => choose({ verdict: state, plugin, point, tool, rule: rule || reason });
    return row(heads, [badge(state), number.toLocaleString("en"), text(plugin || "-"), point,
      text(tool || "-"), ruled(rule, reason),
      button("Show", show, { "aria-label": `Show ${count(number, "finding")}: ${state} by ` +
        `${plugin || "nobody"} at ${point}${tool ? ` of ${tool}` : ""}` })]);
  });
  if (!rows.length) {
    byId("kinds-body").append(el("p", {}, "Nothing was stopped, changed or failed."));
    return;
  }
  const shown = table("Findings by what made them, the most frequent first", heads,
    rows.slice(0, MOST_KINDS), "cards");
  byId("kinds-body").append(shown);
  if (rows.length > MOST_KINDS) {
    const all = button(`Show all ${rows.length.toLocaleString("en")} kinds`, () => {
      shown.querySelector("tbody").append(...rows.slice(MOST_KINDS));
      rows[MOST_KINDS].querySelector("button").focus();
      all.remove();
    }, { class: "more-button" });
    byId("kinds-body").append(all);
  }
  if (data.of_other_kinds) {
    byId("kinds-body").append(el("p", {}, `${count(data.of_other_kinds, "more finding")} of other kinds.`));
  }
}

function showTime() {
  const body = byId("time-body");
  if (!data.plugins.length) {
    body.append(el("p", {}, "No hook ran."));
    return;
  }
  const perPoint = data.plugins.some((one) => one.point);
  const heads = [["Plugin"], ...(perPoint ? [["Point", "point"]] : []), ["Calls", "number"],
    ["Stopped", "number"], ["Changed", "number"], ["Failed", "number"], ["Half took at most", "number"],
    ["99 % took at most", "number"], ["All together", "number"], ["Share", "share"]];
  const total = data.plugins.reduce((sum, one) => sum + (one.total_ms || 0), 0) || 1;
  const ordered = [...data.plugins].sort((one, other) => other.total_ms - one.total_ms);
  body.append(table("Plugins, the slowest first", heads, ordered.map((one) => row(heads, [
    text(one.plugin), ...(perPoint ? [one.point] : []), one.calls.toLocaleString("en"),
    one.aborted.toLocaleString("en"), one.modified.toLocaleString("en"),
    one.errors.toLocaleString("en"), milliseconds(one.p50_ms), milliseconds(one.p99_ms),
    milliseconds(one.total_ms), shareOf(one.total_ms, total)])), "cards"));
  const points = timeByPoint();
  if (points.length) {
    const names = [["Point", "point"], ["Dispatches", "number"], ["All together", "number"],
      ["The slowest", "number"], ["Share", "share"]];
    const sum = points.reduce((all, one) => all + one.total, 0) || 1;
    body.append(table("Points of the runs below, the slowest first", names,
      points.map((one) => row(names, [one.point, one.number.toLocaleString("en"),
        milliseconds(one.total), milliseconds(one.slowest), shareOf(one.total, sum)])), "cards"));
  }
}

function shareOf(part, whole) {
  return [bar(part / whole), ` ${Math.round((part / whole) * 100)} %`];
}

function timeByPoint() {
  const found = new Map();
  for (const run of runsOf) {
    for (const [, point, , spent] of run.moments || []) {
      if (spent === null) continue;
      const one = found.get(point) || { point, number: 0, total: 0, slowest: 0 };
      one.number += 1;
      one.total += spent;
      one.slowest = Math.max(one.slowest, spent);
      found.set(point, one);
    }
  }
  return [...found.values()].sort((one, other) => other.total - one.total);
}
