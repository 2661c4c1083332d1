// Runs, each with a time-line of its points.

const RUNS_SIZE = 20;
const MOMENTS_SIZE = 200;
const STRIP = 120;
const ORDERS = {
  "in order": null,
  "most findings first": (one) => findingsOfRun[one].length,
  "slowest first": (one) => timeOf(runsOf[one]),
};
let runsOrder = "in order";
let onlyFound = false;

function timeOf(run) {
  return (run.moments || []).reduce((sum, moment) => sum + (moment[3] || 0), 0);
}

function chosenRuns() {
  const numbers = isFiltered()
    ? [...new Set(matching.map((finding) => finding.run))]
    : runsOf.map((_, number) => number);
  const weight = ORDERS[runsOrder];
  if (weight === null) return numbers.sort((one, other) => one - other);
  const weights = new Map(numbers.map((number) => [number, weight(number)]));
  return numbers.sort((one, other) => weights.get(other) - weights.get(one) || one - other);
}

function showRuns(from, focus) {
  const body = byId("runs-body");
  const numbers = chosenRuns();
  if (!numbers.length) {
    body.replaceChildren(el("p", {}, "No run matches."));
    return;
  }
  const pages = (place) => pager(`runs, ${place}`, from, RUNS_SIZE, numbers.length, (at) => showRuns(at, true));
  const list = el("div", { class: "runs", tabindex: "-1", role: "group", "aria-label": "Runs" },
    numbers.slice(from, from + RUNS_SIZE).map(runOf));
  body.replaceChildren(...[runsControls(), pages("above"), list, pages("below")].filter(Boolean));
  if (focus) {
    show(list);
  }
}

function runsControls() {
  const order = el("select", { id: "runs-order", onchange: () => {
    runsOrder = order.value;
    showRuns(0);
    byId("runs-order").focus();
  } }, Object.keys(ORDERS).map((name) => el("option", { value: name, selected: name === runsOrder }, name)));
  const only = el("input", { type: "checkbox", id: "runs-only", onchange: () => {
    onlyFound = only.checked;
    showRuns(0);
    byId("runs-only").focus();
  } });
  only.checked = onlyFound;
  return el("div", { class: "sizes" }, field("Order of runs", order),
    el("div", { class: "field check" }, only, el("label", { for: "runs-only" }, "Only points with findings")));
}

function runOf(number) {
  const run = runsOf[number];
  const found = findingsOfRun[number];
  const tones = new Map();
  for (const finding of found) tones.set(finding.state, (tones.get(finding.state) || 0) + 1);
  const spent = timeOf(run);
  const made = el("details", { class: "run", id: `run-${number}` },
    el("summary", {},
      el("span", { class: "run-name text" }, run.id),
      [...tones].map(([state, times]) => [" ", el("span", { class: `badge ${TONES[state]}` }, `${times} ${state}`)]),
      run.moments ? el("span", { class: "quiet" }, ` ${count(run.moments.length, "point")}, ${milliseconds(spent)} of hooks`) : null,
      strip(run, found)));
  made.addEventListener("toggle", () => openRun(made, number));
  return made;
}

function openRun(made, number) {
  if (!made.open || made.childElementCount > 1) return;
  const run = runsOf[number];
  if (run.where) made.append(el("p", { class: "quiet" }, "At ", text(run.where)));
  made.append(timeline(run, findingsOfRun[number]));
}

// The run at a glance; the table below says it all in words.
function strip(run, found) {
  const moments = run.moments;
  if (!moments || !moments.length) return null;
  const cells = Math.min(STRIP, moments.length);
  const tones = new Array(cells).fill(null);
  for (let at = 0; at < moments.length; at += 1) {
    const place = Math.floor((at * cells) / moments.length);
    if (tones[place] === null && moments[at][3] !== null) tones[place] = "pass";
  }
  for (const finding of found) {
    if (finding.moment === undefined) continue;
    const place = Math.floor((finding.moment * cells) / moments.length);
    const tone = TONES[finding.state];
    const old = GRAVEST.indexOf(tones[place]);
    if (old < 0 || GRAVEST.indexOf(tone) < old) tones[place] = tone;
  }
  return svg("svg", { class: "strip", viewBox: `0 0 ${cells * 6} 10`, preserveAspectRatio: "none", "aria-hidden": "true" },
    tones.map((tone, at) => svg("rect", { x: at * 6, y: 0, width: 5, height: 10, class: tone || "none" })));
}

function timeline(run, found) {
  const rows = momentsOf(run, found);
  const numbered = run.moments === null || !run.moments.length || typeof run.moments[0][0] === "number";
  const heads = [[numbered ? "Step" : "Time"], ["Point", "point"], ["Tool", "tool"], ["Verdicts", "wide"],
    ["Time in hooks", "share"], ["Details", "act"]];
  const slowest = Math.max(...rows.map((one) => one.spent || 0), 1e-9);
  const made = table("Time-line of the run's points", heads, [], "cards list time-line");
  const body = made.querySelector("tbody");
  const more = button("", () => extend(), { class: "more-button" });
  const whole = el("div", {}, made, more);
  let shown = 0;
  function extend(upTo) {
    const end = Math.min(rows.length, Math.max(shown + MOMENTS_SIZE, upTo || 0));
    body.append(...rows.slice(shown, end).map((one) => momentRow(one, heads, slowest)));
    shown = end;
    more.textContent = `Show ${count(Math.min(MOMENTS_SIZE, rows.length - shown), "more point")}, of ${(rows.length - shown).toLocaleString("en")}`;
    more.hidden = shown >= rows.length;
  }
  extend();
  // Somebody may want to see a place that is not shown yet.
  whole.reveal = (moment) => {
    const at = rows.findIndex((one) => one.moment === moment);
    if (at >= shown) extend(at + 1);
    return at < 0 ? null : body.querySelector(`[data-moment="${moment}"]`);
  };
  return whole;
}

function momentsOf(run, found) {
  const at = new Map();
  const loose = [];
  for (const finding of found) {
    if (finding.moment === undefined) loose.push(finding);
    else if (at.has(finding.moment)) at.get(finding.moment).push(finding);
    else at.set(finding.moment, [finding]);
  }
  const rows = (run.moments || []).map(([when, point, tool, spent], moment) =>
    ({ when, point, tool, spent, moment, found: at.get(moment) || [] }));
  rows.push(...loose.map((one) => ({ when: one.step === undefined ? one.at : one.step, point: one.point,
    tool: one.tool, spent: null, moment: null, unknown: true, found: [one] })));
  return onlyFound ? rows.filter((one) => one.found.length) : rows;
}

function momentRow(one, heads, slowest) {
  const verdicts = one.found.length
    ? one.found.map((finding) => el("div", { class: matches(finding) ? null : "unmatched" },
      badge(finding.state, finding.effect), " by ", text(finding.plugin || "nobody"),
      finding.reason ? text(`: ${finding.reason}`) : null))
    : el("span", { class: "quiet" }, one.spent === null ? "no hook" : "passed");
  const time = one.spent === null
    ? el("span", { class: "quiet" }, one.unknown ? "not kept" : "-")
    : [bar(one.spent / slowest), ` ${milliseconds(one.spent)}`];
  const made = row(heads, [String(one.when), one.point, text(one.tool || "-"), verdicts, time, null],
    { "data-moment": one.moment, tabindex: "-1", class: one.found.length ? "found" : "passed" });
  if (one.found.length) made.lastChild.append(opener(made, one.found, heads.length));
  return made;
}

function showMoment(finding) {
  const at = chosenRuns().indexOf(finding.run);
  showRuns(Math.floor(at / RUNS_SIZE) * RUNS_SIZE);
  const made = byId(`run-${finding.run}`);
  made.open = true;
  openRun(made, finding.run);
  const place = made.lastChild.reveal(finding.moment);
  for (const row of document.querySelectorAll("tr.sought")) row.classList.remove("sought");
  if (place) place.classList.add("sought");
  show(place || made.firstChild, "center");
}
