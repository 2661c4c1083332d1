// All of it, once.

showHead();
showTotals();
showTrend();
showKinds();
showTime();
showFilters();
const cameBack = readAddress();
writeFilters();
applyFilters();
if (cameBack) show(byId("findings"));
addEventListener("hashchange", () => {
  if (readAddress()) {
    writeFilters();
    applyFilters();
  }
});
