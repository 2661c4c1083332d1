// A diff, written as text, side by side.

function diffOf(written) {
  const places = [];
  for (const line of written.split("\n")) {
    if (line.startsWith("@@ ")) places.push({ name: line.slice(3), pairs: [], more: [] });
    else if (places.length) addLine(places[places.length - 1], line);
  }
  return places.map(sideBySide);
}

function addLine(place, line) {
  const { pairs } = place;
  const last = pairs[pairs.length - 1];
  if (line.startsWith("- ")) pairs.push({ before: line.slice(2), after: null });
  else if (line.startsWith("+ ") && last && last.after === null) last.after = line.slice(2);
  else if (line.startsWith("+ ")) pairs.push({ before: null, after: line.slice(2) });
  else place.more.push(line);
}

function sideBySide(place) {
  const heads = [["Before", "half"], ["After", "half"]];
  const rows = place.pairs.map(({ before, after }) => {
    const [old, now] = marked(before, after);
    return el("tr", { role: "row" }, cell("td", "Before", old, "half before"),
      cell("td", "After", now, "half after"));
  });
  return el("div", { class: "diff" },
    table([el("span", { class: "unseen" }, "Change of "), text(place.name)], heads, rows, "sides"),
    place.more.map((line) => el("p", { class: "quiet" }, line)));
}

// Both sides have the same words around what was replaced.
function marked(before, after) {
  if (before === null) return [el("span", { class: "quiet" }, "(nothing)"), el("ins", {}, after)];
  if (after === null) return [el("del", {}, before), el("span", { class: "quiet" }, "(nothing)")];
  const least = Math.min(before.length, after.length);
  let head = 0;
  while (head < least && before[head] === after[head]) head += 1;
  let tail = 0;
  while (tail < least - head &&
    before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail += 1;
  const part = (whole, tag) => el("span", { class: "text" }, whole.slice(0, head),
    el(tag, {}, whole.slice(head, whole.length - tail)), whole.slice(whole.length - tail));
  return [part(before, "del"), part(after, "ins")];
}
