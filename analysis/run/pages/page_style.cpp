// The style sheet of all pages. The palette defines the colours.
#include "analysis/run/pages/page.hpp"

namespace gradflight {

const char* const page_style = R"(
* { box-sizing: border-box; }
body { font: 16px/1.5 system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; color: var(--text);
       background: var(--page); max-width: 64rem; margin: 0 auto; padding: 1.2rem 1rem 4rem; overflow-wrap: break-word; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: .4rem 0 .8rem; }
h2 { font-size: 1.25rem; margin: 2.6rem 0 .6rem; padding-top: .6rem; border-top: 1px solid var(--line); }
h3 { font-size: 1rem; margin: 1.6rem 0 .3rem; }
a { color: var(--s0); }
.lead { font-size: 1.15rem; margin: .4rem 0; }
.note { background: var(--panel); border-left: 4px solid var(--s1); padding: .5rem .8rem; }
nav ul { columns: 16rem; column-gap: 2rem; padding-left: 1.2rem; margin: 1.2rem 0; }
.scroll { overflow-x: auto; margin: .6rem 0 1.2rem; }
table { border-collapse: collapse; font-size: .9rem; font-variant-numeric: tabular-nums; }
th, td { text-align: left; vertical-align: top; padding: .25rem 1.1rem .25rem 0; border-bottom: 1px solid var(--line); }
th { color: var(--muted); font-weight: 600; vertical-align: bottom; }
th.n, td.n { text-align: right; } td.n { white-space: nowrap; }
td { min-width: 3rem; } td:last-child:not(.n) { min-width: 11rem; } td.prose { min-width: 16rem; overflow-wrap: anywhere; }
td.option { min-width: 21rem; overflow-wrap: anywhere; }
td.cut { max-width: 13rem; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
td.bar, td.line { white-space: nowrap; }
figure { margin: 1rem 0 1.8rem; }
figcaption { color: var(--muted); font-size: .9rem; margin-bottom: .4rem; }
figure svg { display: block; width: 100%; height: auto; overflow: hidden; }
figure > svg.wide { max-width: 960px; } figure > svg.narrow { max-width: 480px; display: none; }
@media (max-width: 640px) {
  figure > svg.wide, .repeats { display: none; } figure > svg.narrow { display: block; }
  table.stacked, .stacked thead, .stacked tbody { display: block; }
  .stacked tr { display: grid; grid-template-columns: 5rem 6rem 1fr; border-bottom: 1px solid var(--line); }
  .stacked tr > * { border: 0; min-width: 0; text-align: left; padding: .1rem .8rem .1rem 0; }
  .stacked tr > :first-child, .stacked tr > :last-child { grid-column: 1 / -1; min-width: 0; }
  .stacked td:first-child { font-weight: 600; }
}
.multiples { display: grid; grid-template-columns: repeat(auto-fill, minmax(17rem, 1fr)); gap: .6rem 1.2rem; }
.multiples p { margin: 0; font-size: .85rem; font-weight: 600; }
svg text { font-size: 12px; fill: var(--text); } svg text.tick { fill: var(--muted); font-variant-numeric: tabular-nums; }
svg text.axis { font-weight: 600; }
svg .grid { stroke: var(--line); fill: none; } svg .curve { fill: none; stroke-width: 2; stroke-linejoin: round; }
svg .dots { fill-opacity: .9; } svg .reference { fill: none; stroke: var(--muted); stroke-dasharray: 4 4; }
svg .band { fill: var(--muted); fill-opacity: .16; }
svg .lane { fill: var(--panel); }
svg .hop { fill: none; stroke: var(--text); stroke-width: 1; stroke-opacity: .6; }
ul.legend { list-style: none; display: flex; flex-wrap: wrap; gap: .1rem 1.1rem; padding: 0; margin: .2rem 0 .5rem;
            font-size: .9rem; }
ul.legend svg { display: inline-block; width: 22px; height: 12px; margin-right: .4em; }
pre { background: var(--panel); padding: .7rem .9rem; overflow-x: auto; font-size: .85rem; }
pre.command { white-space: pre-wrap; overflow-wrap: anywhere; }
details { margin: .5rem 0; } summary { cursor: pointer; color: var(--muted); }
details.vega div { overflow-x: auto; }
@media print {
  body { max-width: none; padding: 0; font-size: 11pt; } nav, details.vega { display: none; }
  figure, tr { break-inside: avoid; } h2, h3 { break-after: avoid; } .scroll, pre { overflow: visible; }
  pre { white-space: pre-wrap; } td.cut { max-width: none; white-space: normal; }
  figure > svg.wide { display: block; } figure > svg.narrow { display: none; }
}
)";

} // namespace gradflight
