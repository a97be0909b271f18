// The style sheet of a page, and the script that reads numbers off a chart under the pointer.
// The colours are those of Okabe and Ito, darkened on light pages and lightened on dark ones for
// contrast. Prints are always light.
#pragma once

namespace caucus::report {

inline constexpr const char* kStyle = R"css(
:root {
  --paper: #ffffff; --ink: #1b1f24; --soft: #57606a; --hair: #dfe3e8; --wash: #f5f7f9;
  --s0: #0067a5; --s1: #c9500a; --s2: #00805c; --s3: #a8477f;
  --s4: #9a6700; --s5: #2c8ccb; --s6: #4d4d4d; --s7: #7d7400; --rest: #c3c9d0;
}
@media screen and (prefers-color-scheme: dark) {
  :root {
    --paper: #14171a; --ink: #e8eaed; --soft: #a3abb4; --hair: #333a41; --wash: #1d2125;
    --s0: #55b0ea; --s1: #ff8f4a; --s2: #35c79d; --s3: #e596c3;
    --s4: #efb53c; --s5: #9ad6fa; --s6: #c9ced3; --s7: #dcd35a; --rest: #4a525a;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body { margin: 0; background: var(--paper); color: var(--ink);
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; }
main, footer { max-width: 51rem; margin: 0 auto; padding: 0 1.25rem; }
header { padding: 3rem 0 .5rem; }
.above { margin: 0; color: var(--soft); font-size: .85rem; letter-spacing: .02em; }
h1 { margin: .15rem 0 .4rem; font-size: 1.9rem; line-height: 1.2; font-weight: 650;
  letter-spacing: -.015em; overflow-wrap: anywhere; }
.below { margin: 0; color: var(--soft); }
.lead { margin: 1.4rem 0 1.6rem; font-size: 1.1rem; }
.next { margin: 0 0 1.2rem; padding-left: .9rem; border-left: 3px solid var(--s1); }
h2 { margin: 3.2rem 0 .9rem; font-size: 1.25rem; font-weight: 650; letter-spacing: -.01em; }
h3 { margin: 0 0 .7rem; font-size: 1rem; font-weight: 650; line-height: 1.35; }
p, li { overflow-wrap: anywhere; }
figure { margin: 0 0 3rem; position: relative; }
.figure-number { color: var(--soft); font-weight: 400; margin-right: .35em; }
.note { margin: .5rem 0 0; color: var(--soft); font-size: .87rem; line-height: 1.5; max-width: 42rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: .87rem; line-height: 1.4;
  font-variant-numeric: tabular-nums; border-bottom: 1px solid var(--soft); min-width: 50%; }
thead th { border-top: 1px solid var(--soft); border-bottom: 1px solid var(--soft);
  color: var(--soft); font-weight: 500; text-align: left; vertical-align: bottom; }
th, td { padding: .32rem 1.1rem .32rem 0; vertical-align: top; }
th:last-child, td:last-child { padding-right: 0; }
tbody th { font-weight: 500; text-align: left; }
tbody tr + tr > * { border-top: 1px solid var(--hair); }
th.number, td.number { text-align: right; white-space: nowrap; }
.summary table { font-size: .84rem; }
.summary th:not(:last-child), .summary td:not(:last-child) { padding-right: .85rem; }
.verdicts td:nth-child(2) { white-space: nowrap; }
.summary tbody th { white-space: nowrap; }
.configuration table { border-top: 1px solid var(--soft); width: 100%; }
.configuration th { width: 14rem; color: var(--soft); font-weight: 400; white-space: nowrap; }
.configuration td { overflow-wrap: anywhere; }
details { margin-top: .5rem; }
summary { color: var(--soft); font-size: .87rem; cursor: pointer; width: fit-content; }
details .scroll { max-height: 24rem; overflow: auto; margin-top: .5rem; }
pre { margin: 0; padding: .9rem 1.1rem; background: var(--wash); border-radius: 4px;
  font: .85rem/1.55 ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace;
  white-space: pre-wrap; overflow-wrap: anywhere; }
footer { padding-top: 3rem; padding-bottom: 3rem; color: var(--soft); font-size: .82rem; }
.chart { display: block; width: 100%; max-width: 42rem; height: auto; overflow: visible; }
.chart text { fill: var(--ink); font-size: 12px; font-family: inherit;
  font-variant-numeric: tabular-nums; }
.chart .tick, .chart .name { fill: var(--soft); }
.chart .end { text-anchor: end; }
.chart .mid { text-anchor: middle; }
.s0 { --s: var(--s0); } .s1 { --s: var(--s1); } .s2 { --s: var(--s2); } .s3 { --s: var(--s3); }
.s4 { --s: var(--s4); } .s5 { --s: var(--s5); } .s6 { --s: var(--s6); } .s7 { --s: var(--s7); }
.chart .grid { stroke: var(--hair); stroke-width: 1; }
.chart .zero, .chart .axis { stroke: var(--soft); stroke-width: 1; }
.chart .line { fill: none; stroke: var(--s); stroke-width: 2; stroke-linejoin: round;
  stroke-linecap: round; }
.chart .dashed { stroke-dasharray: 5 5; stroke-width: 1.7; }
.chart .again { stroke-dasharray: 9 4 .5 4; }
.chart .anew { stroke-dasharray: 13 5; }
.chart .band { fill: var(--s); fill-opacity: .14; }
.chart .marker { fill: var(--s); stroke: var(--paper); stroke-width: 1.2; }
.chart .whisker { stroke: var(--s); stroke-width: 1.6; }
.chart .error { stroke: var(--ink); stroke-width: 1.2; }
.chart .leader { stroke: var(--soft); stroke-width: .7; }
.chart .reference { stroke: var(--ink); stroke-width: 1.1; stroke-dasharray: 2 4; }
.chart .rule { stroke: var(--ink); stroke-width: .8; }
.chart .bar { fill: var(--s); }
.chart .area { fill: var(--s); fill-opacity: .85; stroke: var(--paper); stroke-width: .9; }
.chart .pale { fill-opacity: .42; }
.chart .middle { fill-opacity: .64; }
.chart .palest { fill-opacity: .22; }
.chart .rest { fill: var(--rest); }
.readout { position: absolute; z-index: 1; pointer-events: none; padding: .5rem .7rem;
  background: var(--paper); border: 1px solid var(--hair); border-radius: 4px; font-size: .8rem;
  line-height: 1.45; box-shadow: 0 2px 10px rgb(0 0 0 / .12); white-space: nowrap; }
.readout td { padding: 0 .8rem 0 0; border: 0; }
.readout table { border: 0; font-size: inherit; min-width: 0; }
@media screen and (min-width: 36.01rem), print { .narrow { display: none; } }
@media screen and (max-width: 36rem) { .wide { display: none; } }
@media (max-width: 36rem) {
  main, footer { padding-left: .7rem; padding-right: .7rem; }
  header { padding-top: 1.5rem; }
}
@media screen and (max-width: 36rem) {
  .summary table, .summary tbody, .summary tr, .summary th, .summary td { display: block; }
  .summary thead, .summary td:empty { display: none; }
  .summary tr { padding: .5rem 0; border-top: 1px solid var(--soft); }
  .summary tr > *, .summary tbody tr + tr > * { padding: .1rem 0; border: 0; }
  .summary td, .summary td.number { text-align: right; white-space: normal; }
  .summary td::before { content: attr(data-name); float: left; color: var(--soft); }
}
@media print {
  @page { size: A4; margin: 17mm 16mm; }
  body { font-size: 10.5pt; }
  main, footer { max-width: none; padding: 0; }
  header { padding-top: 0; }
  h2, h3, figcaption { break-after: avoid; }
  figure, tr, pre { break-inside: avoid; }
  figure { margin-bottom: 1.1rem; }
  h2 { margin-top: 1.8rem; }
  .scroll { overflow: visible; }
  table { font-size: 8.5pt; }
  th, td { padding-right: .6rem; }
  td.number { white-space: normal; }
  .chart { max-width: 13.2cm; }
  .readout, details { display: none; }
  * { -webkit-print-color-adjust: exact; print-color-adjust: exact; }
}
)css";

/// The script is optional: it reads its numbers from the collapsible tables, which contain all of
/// them.
inline constexpr const char* kScript = R"js(
for (const svg of document.querySelectorAll("svg[data-x]")) {
  const places = svg.dataset.x.split(" ").map(Number);
  const [top, bottom] = svg.dataset.y.split(" ");
  const figure = svg.closest("figure");
  const names = [...figure.querySelectorAll("thead th")].map(cell => cell.textContent);
  const rows = figure.querySelectorAll("tbody tr");
  const rule = document.createElementNS(svg.namespaceURI, "line");
  rule.setAttribute("class", "rule");
  rule.setAttribute("y1", top);
  rule.setAttribute("y2", bottom);
  const box = figure.querySelector(".readout") ?? document.createElement("div");
  box.className = "readout";
  box.hidden = true;
  figure.append(box);
  svg.addEventListener("pointermove", event => {
    const frame = svg.getBoundingClientRect();
    const scale = svg.viewBox.baseVal.width / frame.width;
    const x = (event.clientX - frame.left) * scale;
    let best = -1;
    places.forEach((place, i) => {
      const nearer = best < 0 || Math.abs(place - x) < Math.abs(places[best] - x);
      if (!Number.isNaN(place) && nearer) best = i;
    });
    if (best < 0 || !rows[best]) return;
    rule.setAttribute("x1", places[best]);
    rule.setAttribute("x2", places[best]);
    svg.append(rule);
    const table = document.createElement("table");
    [...rows[best].cells].forEach((cell, i) => {
      const row = table.insertRow();
      row.insertCell().textContent = names[i];
      row.insertCell().textContent = cell.textContent;
    });
    box.replaceChildren(table);
    box.hidden = false;
    const home = figure.getBoundingClientRect();
    const at = frame.left - home.left + places[best] / scale;
    const left = at + 14 + box.offsetWidth > home.width ? at - 14 - box.offsetWidth : at + 14;
    box.style.left = Math.max(0, left) + "px";
    box.style.top = frame.top - home.top + 30 + "px";
  });
  svg.addEventListener("pointerleave", () => {
    rule.remove();
    box.hidden = true;
  });
}
)js";

/// The hash of kScript, by which the page allows this script and no other. A test checks it.
inline constexpr const char* kScriptHash = "sha256-/IS8ciNA4SJUidkI+mKmqQHhNWD+bD3Emf7Rev32LkA=";

}  // namespace caucus::report
