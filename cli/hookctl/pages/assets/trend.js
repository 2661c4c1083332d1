// The trend as stacked bars, and the same numbers as a table.

const HEIGHT = 100;
const TREND_TONES = { stopped: "stop", changed: "change", failed: "fail" };

function showTrend() {
  const body = byId("trend-body");
  const { parts, series, along, unit } = data.trend;
  if (!parts || !parts.length) {
    body.append(el("p", {}, "There is nothing to draw."));
    return;
  }
  const sums = parts.map(([, ...numbers]) => numbers.reduce((sum, one) => sum + one, 0));
  const highest = Math.max(...sums);
  const what = `Findings along ${along}: at most ${highest.toLocaleString("en")} in one of ` +
    `${count(parts.length, "part")}`;
  const chart = svg("svg", { viewBox: `0 0 ${parts.length * 10} ${HEIGHT}`, role: "img",
    preserveAspectRatio: "none", class: "chart", "aria-label": what });
  parts.forEach(([label, ...numbers], at) => chart.append(column(label, numbers, at, series, highest || 1)));
  body.append(el("figure", {},
    el("figcaption", {}, `${what}. `, series.map((name) =>
      el("span", { class: `key ${TREND_TONES[name]}` }, name))),
    el("div", { class: "chart-frame" }, el("span", { class: "top", "aria-hidden": "true" }, highest.toLocaleString("en")), chart),
    el("div", { class: "axis", "aria-hidden": "true" }, el("span", {}, parts[0][0]),
      el("span", {}, parts.length > 1 ? parts[parts.length - 1][0] : ""))));
  const heads = [[unit], ...series.map((name) => [name, "number"])];
  body.append(el("details", { class: "as-table" }, el("summary", {}, "The trend as a table"),
    table("Findings by part", heads, parts.map(([label, ...numbers]) =>
      row(heads, [label, ...numbers.map((one) => one.toLocaleString("en"))])), "plain")));
}

function column(label, numbers, at, series, highest) {
  let top = HEIGHT;
  const told = series.map((name, place) => `${name} ${numbers[place]}`).join(", ");
  const bars = numbers.map((number, place) => {
    const height = (number / highest) * HEIGHT;
    top -= height;
    return svg("rect", { x: at * 10 + 1, y: top, width: 8, height, class: TREND_TONES[series[place]] });
  });
  return svg("g", {}, svg("title", {}, `${label}: ${told}`), bars);
}
