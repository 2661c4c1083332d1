// The filters, the table of findings, and all that is known of one of them.

const SIZES = [50, 200, 1000];
const FINDING_HEADS = [["Verdict"], ["Plugin"], ["Point", "point"], ["Tool", "tool"], ["Rule or reason", "wide"],
  ["Run", "in-run"], ["Details", "act"]];
let findingsFrom = 0;
let findingsSize = SIZES[0];

function showFilters() {
  const form = byId("filters");
  const fields = [
    ["verdict", "Verdict", choices("verdict", values("state"))],
    ["plugin", "Plugin", choices("plugin", values("plugin"))],
    ["tool", "Tool", typed("tool", values("tool"))],
    ["rule", "Rule or reason", typed("rule", [...values("rule"), ...values("reason")])],
    ["point", "Point", choices("point", values("point"))],
    ["run", "Run", typed("run", [])],
    ["text", "Any text", typed("text", [])],
  ];
  if (values("change").length) {
    fields.unshift(["change", "Difference", choices("change", values("change"))]);
  }
  form.append(...fields.map(([, label, control]) => field(label, control)).flat(),
    el("div", { class: "field act" }, el("button", { type: "reset" }, "Clear filters")));
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", soon(readFilters));
  form.addEventListener("reset", () => setTimeout(readFilters));
}

function choices(name, counted) {
  return el("select", { id: `filter-${name}`, name }, el("option", { value: "" }, "all"),
    counted.map(([value, number]) =>
      el("option", { value }, `${value} (${number.toLocaleString("en")})`)));
}

function typed(name, counted) {
  const list = `values-${name}`;
  const input = el("input", { id: `filter-${name}`, name, type: "search", autocomplete: "off",
    spellcheck: "false", list: counted.length ? list : null });
  // The list is a help beside the field, not a part of what it is called.
  if (counted.length) {
    byId("filters").append(el("datalist", { id: list },
      counted.slice(0, 500).map(([value]) => el("option", { value }))));
  }
  return input;
}

// Typing is not held up by what it changes.
function soon(work) {
  let waiting = 0;
  return () => {
    clearTimeout(waiting);
    waiting = setTimeout(work, 150);
  };
}

function readFilters() {
  for (const control of byId("filters").elements) {
    if (control.name in chosen) chosen[control.name] = control.value.trim();
  }
  applyFilters();
}

function writeFilters() {
  for (const control of byId("filters").elements) {
    if (control.name in chosen) control.value = chosen[control.name];
  }
}

function choose(wanted) {
  for (const name of FILTERS) chosen[name] = wanted[name] || "";
  writeFilters();
  applyFilters();
  show(byId("findings"));
}

function show(element, block) {
  element.focus({ preventScroll: true });
  element.scrollIntoView({ block: block || "start" });
}

function applyFilters() {
  matching = isFiltered() ? data.findings.filter(matches) : data.findings;
  findingsFrom = 0;
  writeAddress();
  const of = isFiltered() ? ` of ${data.findings.length.toLocaleString("en")}` : "";
  const runs = new Set(matching.map((finding) => finding.run)).size;
  byId("status").textContent =
    `${count(matching.length, "finding")}${of}, in ${count(runs, "run")}.`;
  showFindings();
  showRuns(0);
}

function showFindings(focus) {
  const body = byId("findings-body");
  if (!matching.length) {
    body.replaceChildren(el("p", {}, data.findings.length ? "No finding matches." : "There is no finding."));
    return;
  }
  const shown = matching.slice(findingsFrom, findingsFrom + findingsSize);
  const move = (from) => {
    findingsFrom = from;
    showFindings(true);
  };
  const pages = (at) => pager(`findings, ${at}`, findingsFrom, findingsSize, matching.length, move);
  const made = table("Findings, in the order in which they were found", FINDING_HEADS,
    shown.map(findingRow), "cards list");
  body.replaceChildren(...[matching.length > SIZES[0] ? sizeField() : null, pages("above"), made, pages("below")]
    .filter(Boolean));
  if (focus) {
    made.tabIndex = -1;
    show(made);
  }
}

function sizeField() {
  const select = el("select", { id: "findings-size", onchange: () => {
    findingsSize = Number(select.value);
    findingsFrom = Math.floor(findingsFrom / findingsSize) * findingsSize;
    showFindings();
    byId("findings-size").focus();
  } }, [...SIZES, data.findings.length].map((size, at) =>
    el("option", { value: size, selected: size === findingsSize },
      at === SIZES.length ? "all, to print them" : size)));
  return el("div", { class: "sizes" }, field("Findings on a page", select));
}

function findingRow(finding) {
  const place = finding.step === undefined ? finding.at : `step ${finding.step}`;
  const made = row(FINDING_HEADS, [
    [finding.change ? el("span", { class: "change-of" }, finding.change, el("br")) : null,
      badge(finding.state, finding.effect)],
    text(finding.plugin || "-"), finding.point, text(finding.tool || "-"),
    ruled(finding.rule, finding.reason || finding.error || firstPlace(finding.diff)),
    [text(runsOf[finding.run].id), el("br"), el("span", { class: "quiet" }, place)],
    null]);
  made.lastChild.append(opener(made, [finding], FINDING_HEADS.length));
  return made;
}

// Reasons often name the rule already.
function ruled(rule, reason) {
  const both = rule && reason && reason !== "-" && !reason.includes(rule);
  return [both ? el("div", { class: "rule text" }, rule) : null,
    el("span", { class: "text clamp" }, reason && reason !== "-" ? reason : rule || "-")];
}

function firstPlace(diff) {
  return diff ? diff.split("\n", 1)[0].replace(/^@@ /, "in ") : "-";
}

// A button that shows and hides the row with the details below its own.
function opener(above, findings, columns) {
  const id = `details-${findings[0].number}-${columns}`;
  const said = `Details of finding ${findings.map((one) => one.number + 1).join(", ")}`;
  const made = button("Details", () => {
    const there = byId(id);
    made.setAttribute("aria-expanded", there ? "false" : "true");
    if (there) {
      there.remove();
      return;
    }
    above.after(el("tr", { role: "row", class: "opened", id },
      el("td", { role: "cell", colspan: columns }, findings.map((one) => detailsOf(one, columns)))));
  }, { "aria-expanded": "false", "aria-label": said, class: "opener" });
  return made;
}

function detailsOf(finding, columns) {
  const lines = [["Verdict", badge(finding.state, finding.effect)],
    ["Difference", finding.change], ["Rule", finding.rule], ["Reason", finding.reason],
    ["Plugin", finding.plugin],
    ["Hook", finding.hook], ["Failed with", finding.error], ["Said by", finding.source],
    ["Agent", finding.agent], ["Session", finding.session], ["Call", finding.call],
    ["At", finding.where]];
  return el("div", { class: "details" },
    el("dl", {}, lines.filter(([, value]) => value).map(([name, value]) =>
      el("div", {}, el("dt", {}, name), el("dd", {}, value instanceof Node ? value : text(value))))),
    finding.gone ? el("p", {}, "This is what the other configuration does; this one does nothing here.") : null,
    finding.was ? el("p", {}, "Under the other configuration: ", badge(finding.was.state, finding.was.effect),
      ` by ${finding.was.plugin || "nobody"}`, finding.was.reason ? text(`: ${finding.was.reason}`) : null) : null,
    finding.was && finding.was.diff ? el("div", {}, el("h3", {}, "Under the other configuration"), diffOf(finding.was.diff)) : null,
    finding.was && finding.diff ? el("h3", {}, "Under this configuration") : null,
    finding.diff ? diffOf(finding.diff) : null,
    columns === FINDING_HEADS.length && finding.moment !== undefined
      ? button("Show in the run's time-line", () => showMoment(finding), {}) : null);
}
