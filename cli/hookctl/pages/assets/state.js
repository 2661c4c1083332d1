// What the page shows, and which of it the filters choose.

const data = JSON.parse(byId("data").textContent);

const TONES = {
  "stopped": "stop",
  "would stop": "stop",
  "changed": "change",
  "would change": "change",
  "failed": "fail",
  "timed out": "fail",
};
const MARKS = { stop: "\u2715", change: "\u270e", fail: "!" };
const GRAVEST = ["stop", "fail", "change"];

const runsOf = data.runs;
const findingsOfRun = runsOf.map(() => []);
data.findings.forEach((finding, number) => {
  finding.number = number;
  findingsOfRun[finding.run].push(finding);
});

const FILTERS = ["change", "verdict", "plugin", "point", "tool", "rule", "run", "text"];
const chosen = Object.fromEntries(FILTERS.map((name) => [name, ""]));
let matching = data.findings;

function badge(state, ignored) {
  const tone = TONES[state];
  return el("span", { class: `badge ${tone}` },
    el("span", { class: "mark", "aria-hidden": "true" }, MARKS[tone]),
    ignored ? `${state}, let pass` : state);
}

function searched(finding) {
  if (finding.searched === undefined) {
    const parts = [finding.state, finding.plugin, finding.point, finding.tool, finding.rule, finding.reason,
      finding.diff, finding.where, finding.error, finding.agent, runsOf[finding.run].id];
    finding.searched = parts.filter(Boolean).join("\n").toLowerCase();
  }
  return finding.searched;
}

function has(value, wanted) {
  return !wanted || (value || "").toLowerCase().includes(wanted.toLowerCase());
}

function is(value, wanted) {
  return !wanted || value === wanted;
}

function matches(finding) {
  return is(finding.change, chosen.change) && is(finding.state, chosen.verdict) &&
    is(finding.plugin, chosen.plugin) && is(finding.point, chosen.point) &&
    has(finding.tool, chosen.tool) &&
    (has(finding.rule, chosen.rule) || has(finding.reason, chosen.rule)) &&
    has(runsOf[finding.run].id, chosen.run) &&
    (!chosen.text || searched(finding).includes(chosen.text.toLowerCase()));
}

function isFiltered() {
  return FILTERS.some((name) => chosen[name]);
}

// The most frequent values of a field first, with how often they come.
function values(name) {
  const counts = new Map();
  for (const finding of data.findings) {
    if (finding[name]) counts.set(finding[name], (counts.get(finding[name]) || 0) + 1);
  }
  return [...counts].sort((one, other) => other[1] - one[1]);
}

// The filters stand behind the page's address, so that it can be passed on or come back to.
function writeAddress() {
  const said = new URLSearchParams(Object.entries(chosen).filter(([, value]) => value));
  const part = said.toString();
  history.replaceState(null, "", part ? `#?${part}` : location.hash.startsWith("#?") ? "#" : location.hash);
}

function readAddress() {
  if (!location.hash.startsWith("#?")) return false;
  const said = new URLSearchParams(location.hash.slice(2));
  for (const name of FILTERS) chosen[name] = said.get(name) || "";
  return true;
}
