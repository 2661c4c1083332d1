// Elements are made here and nowhere else: text stays text, whatever it looks like.

const SVG = "http://www.w3.org/2000/svg";

function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children.flat(Infinity)) {
    if (child !== null && child !== undefined && child !== false) element.append(child);
  }
  return element;
}

function el(tag, attributes, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

function svg(tag, attributes, ...children) {
  return filled(document.createElementNS(SVG, tag), attributes, children);
}

function button(text, onclick, attributes) {
  return el("button", { type: "button", onclick, ...attributes }, text);
}

function byId(id) {
  return document.getElementById(id);
}

function text(value) {
  return el("span", { class: "text" }, String(value));
}

// The roles are said, since a narrow screen shows each row as a card of its own.
function cell(tag, label, content, kind) {
  const role = tag === "th" ? "rowheader" : "cell";
  const scope = tag === "th" ? "row" : null;
  const empty = content === null || content === undefined;
  return el(tag, { role, scope, class: kind, "data-label": label }, empty ? null : el("div", {}, content));
}

function table(caption, heads, rows, kind) {
  const head = heads.map(([name, of]) =>
    el("th", { role: "columnheader", scope: "col", class: of }, name));
  return el("table", { role: "table", class: kind },
    el("caption", {}, caption),
    el("thead", { role: "rowgroup" }, el("tr", { role: "row" }, head)),
    el("tbody", { role: "rowgroup" }, rows));
}

function row(heads, cells, attributes) {
  const made = cells.map((content, at) =>
    cell(at === 0 ? "th" : "td", heads[at][0], content, heads[at][1]));
  return el("tr", { role: "row", ...attributes }, made);
}

function count(number, noun) {
  return `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;
}

function milliseconds(value) {
  if (value === null || value === undefined) return "-";
  if (value >= 1000) return `${(value / 1000).toLocaleString("en", { maximumFractionDigits: 2 })} s`;
  return `${value.toLocaleString("en", { maximumSignificantDigits: 3 })} ms`;
}

// A bar beside a number that says the same.
function bar(share, tone) {
  const inner = el("span", { class: `bar-inner ${tone || ""}` });
  inner.style.inlineSize = `${Math.max(0, Math.min(1, share)) * 100}%`;
  return el("span", { class: "bar", "aria-hidden": "true" }, inner);
}

function field(label, control) {
  return el("div", { class: "field" }, el("label", { for: control.id }, label), control);
}

// Buttons that lead through parts of a long list; `show` is given the first item of the part.
function pager(name, from, size, total, show) {
  if (total <= size) return null;
  const last = Math.floor((total - 1) / size) * size;
  const to = (label, at, off) =>
    button(label, () => show(Math.max(0, Math.min(last, at))),
      { "aria-disabled": off ? "true" : null, "data-to": label });
  return el("nav", { class: "pager", "aria-label": `Pages of ${name}` },
    to("First", 0, from === 0),
    to("Previous", from - size, from === 0),
    el("span", { class: "where" },
      `${(from + 1).toLocaleString("en")} to ${Math.min(total, from + size).toLocaleString("en")} ` +
      `of ${total.toLocaleString("en")}`),
    to("Next", from + size, from >= last),
    to("Last", last, from >= last));
}
