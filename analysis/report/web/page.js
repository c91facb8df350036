// SPDX-License-Identifier: Apache-2.0
// Draws each figure from its specification and rows, laid out for the width there is; saves it as SVG and CSV. Without
// Vega the drawings that the page came with stay.
"use strict";
(() => {
  const root = document.documentElement;
  const state = {wanted: 0, drawn: 0, failed: []};
  const report = () => {
    root.dataset.drawn = `${state.drawn}/${state.wanted}`;
    root.dataset.failed = state.failed.join("; ");
  };
  window.addEventListener("error", (e) => { state.failed.push(String(e.message)); report(); });

  const bytes = (n) => {
    const units = ["", "K", "M", "G", "T"];
    let unit = 0;
    while (n >= 1024 && unit < 4) { n /= 1024; ++unit; }
    return Number(n.toPrecision(3)) + units[unit];
  };
  const shown = (value, format) => {
    if (value === null || value === undefined) return "";
    if (typeof value !== "number") return String(value);
    if (format === "count") return String(Math.round(value));
    if (format === "bytes") return bytes(value);
    return value !== 0 && (Math.abs(value) < 0.001 || Math.abs(value) >= 1e6) ? value.toPrecision(3) : String(Number(value.toPrecision(4)));
  };

  const dark = () => root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  const variable = (name) => getComputedStyle(root).getPropertyValue(name).trim();

  const rowsOf = (figure) => {
    const count = figure.data.length ? figure.data[0].v.length : 0;
    const rows = [];
    for (let i = 0; i < count; ++i) {
      const row = {};
      figure.fields.forEach((name, c) => {
        const column = figure.data[c], value = column.v[i];
        row[name] = value === null || !column.t ? value : column.t[value];
      });
      rows.push(row);
    }
    return rows;
  };

  const config = (width, longest) => {
    const label = Math.max(60, Math.min(230, width - 150));
    const entry = Math.min(label, 6.4 * longest) + 36;
    const text = variable("--text"), faint = variable("--faint"), grid = variable("--grid"), line = variable("--line");
    const palette = [0, 1, 2, 3, 4, 5, 6, 7].map((i) => variable(`--c${i}`));
    const font = "system-ui, 'Helvetica Neue', Arial, sans-serif";
    return {
      background: null, font, customFormatTypes: true,
      padding: 2,
      view: {stroke: line, strokeOpacity: 0.6},
      axis: {labelColor: text, titleColor: faint, gridColor: grid, domainColor: line, tickColor: line, labelFontSize: 11, titleFontSize: 11, titleFontWeight: "normal", labelLimit: width < 500 ? 128 : 240, labelOverlap: "parity", labelSeparation: 4, titlePadding: 6},
      axisBand: {grid: false, labelOverlap: false}, axisYBand: {grid: true, tickBand: "extent", ticks: false, labelPadding: 6},
      header: {labelColor: text, labelFontSize: 11, labelFontWeight: 600, labelAnchor: "start", labelPadding: 5, labelLimit: Math.max(120, width - 20), title: null},
      legend: {orient: "top", title: null, labelColor: text, labelFontSize: 11, labelLimit: label, symbolOpacity: 1, symbolStrokeWidth: 2, columnPadding: 14, rowPadding: 3, offset: 10, columns: Math.max(1, Math.floor((width - 130) / entry))},
      facet: {spacing: {row: 16, column: 18}},
      range: {category: palette, symbol: ["circle", "square", "triangle-up", "cross", "diamond", "triangle-down", "triangle-right", "triangle-left"]},
      mark: {color: palette[0]}, point: {color: palette[0]}, line: {color: palette[0]}, rule: {color: palette[0]}, text: {color: text, font},
    };
  };

  // What the pointer shows is what the table has: n and the interval too.
  const tooltipOf = (figure, rows) => figure.columns
    .filter((c) => rows.some((row) => row[c.field] !== null && row[c.field] !== undefined && row[c.field] !== ""))
    .map((c) => c.format === "text" ? {field: c.field, type: "nominal", title: c.label}
      : {field: c.field, type: "quantitative", title: c.unit ? `${c.label}, ${c.unit}` : c.label, format: c.format, formatType: "folioscope"});

  // One legend for colour and shape takes scales that name the same values in the same order.
  const named = (encoding, rows) => {
    const out = {...encoding};
    for (const channel of ["color", "shape"]) {
      const c = out[channel];
      if (!c || c.type !== "nominal") continue;
      const present = [...new Set(rows.map((row) => row[c.field]).filter((v) => v !== null))];
      // Names that the specification orders and colours: those that are there.
      const told = new Map((c.scale?.domain ?? []).map((name, i) => [name, c.scale.range[i]]));
      const domain = [...[...told.keys()].filter((name) => present.includes(name)), ...present.filter((name) => !told.has(name))];
      out[channel] = {...c, scale: {...c.scale, domain}};
      if (told.size) out[channel].scale.range = domain.map((name) => told.get(name) ?? variable("--faint"));
      if (domain.length < 2) out[channel].legend = null;
    }
    return out;
  };

  const finished = (layer, tooltip, rows) => {
    const mark = typeof layer.mark === "string" ? {type: layer.mark} : {...layer.mark};
    if (mark.color === "text") mark.color = variable("--text");
    const encoding = named(layer.encoding, rows);
    const companion = (layer.transform || []).some((t) => t.filter.equal === "caches");
    const bound = Object.values(encoding).some((c) => c && c.field);
    if (bound && !companion && (mark.type === "point" || mark.type === "rect" || mark.type === "rule" || mark.type === "text")) encoding.tooltip = tooltip;
    else mark.tooltip = null;
    return {...layer, mark, encoding};
  };

  const longestOf = (figure, rows) => {
    const named = [figure.spec.encoding, ...(figure.spec.layer || []).map((l) => l.encoding)].map((e) => e && e.color && e.color.field).find((f) => f);
    return rows.reduce((most, row) => Math.max(most, String(row[named] ?? "").length), 0);
  };

  const specOf = (figure, rows, inner, columns, width) => {
    const {$schema, height, ...panel} = figure.spec;
    const tooltip = tooltipOf(figure, rows);
    const drawn = rows.filter((row) => figure.panels.includes(row.panel));
    const own = drawn.filter((row) => row.table === figure.own);
    const present = (layer) => (layer.transform || []).every((t) => drawn.some((row) => row[t.filter.field] === t.filter.equal));
    const spec = panel.layer ? {...panel, encoding: named(panel.encoding, own), layer: panel.layer.filter(present).map((layer) => finished(layer, tooltip, own))} : finished(panel, tooltip, own);
    spec.width = inner;
    // A row is never lower than its name.
    const offset = figure.spec.encoding && figure.spec.encoding.yOffset;
    const beside = offset ? new Set(own.map((row) => row[offset.field])).size : 1;
    spec.height = height.step ? {step: Math.max(height.step, Math.ceil(20 / beside))} : height;
    const titled = figure.panels.some((p) => p !== "");
    return {
      $schema, description: figure.title, data: {values: drawn}, config: config(width, longestOf(figure, own)),
      facet: {field: "panel", type: "nominal", sort: figure.panels, header: titled ? {title: null, labelLimit: inner + 120} : {title: null, labels: false}},
      columns, spec, resolve: {axis: {x: "independent", y: "independent"}},
      autosize: {type: "pad", resize: true},
    };
  };

  const draw = async (place, figure, rows) => {
    const width = Math.floor(place.clientWidth);
    if (width < 50) return;
    let columns = Math.max(1, Math.min(figure.panels.length, Math.floor(width / 330), figure.abreast));
    let inner = Math.max(80, Math.floor(width / columns) - 150);
    let view;
    const stage = document.createElement("div");
    // The axes' width is known only once they are drawn: the second time it fits, or a column less does.
    for (let attempt = 0; attempt < 9; ++attempt) {
      if (view) view.finalize();
      const result = await vegaEmbed(stage, specOf(figure, rows, inner, columns, width), {mode: "vega-lite", actions: false, renderer: "svg", tooltip: {theme: "custom", disableDefaultStyle: true}, ast: false});
      view = result.view;
      const svg = stage.querySelector("svg");
      const taken = Number(svg.getAttribute("width"));
      const spare = width - taken;
      if (spare < 0 && columns > 1 && (inner === 80 || attempt % 3 === 2)) {
        --columns;
        inner = Math.max(80, Math.floor(width / columns) - 150);
        continue;
      }
      if (spare >= 0 && (attempt >= 2 || spare < 12)) break;
      const next = Math.max(80, Math.floor(inner + (spare - 3) / columns));
      if (next === inner) break;
      inner = next;
    }
    if (place.view) place.view.finalize();
    place.view = view;
    place.replaceChildren(stage);
    place.dataset.live = "";
    place.drawnWidth = width;
  };

  const save = (name, type, text) => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], {type}));
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  };

  // A text that a spreadsheet would take for a formula gets an apostrophe.
  const csvField = (value) => {
    let text = value === null || value === undefined ? "" : String(value);
    if (typeof value === "string" && /^[=+\-@\t]/.test(text)) text = "'" + text;
    return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  const csvOf = (figure) => {
    const rows = rowsOf(figure).filter((row) => row.table === figure.own);
    const head = figure.columns.map((c) => csvField(c.unit ? `${c.label} [${c.unit}]` : c.label));
    return [head.join(","), ...rows.map((row) => figure.columns.map((c) => csvField(row[c.field])).join(","))].join("\r\n") + "\r\n";
  };
  const svgOf = async (place) => {
    let text;
    if (place.view) text = await place.view.toSVG();
    else {
      text = place.querySelector("svg").outerHTML.replace(/var\((--[a-z0-9]+)\)/g, (_, name) => variable(name));
    }
    return text.replace(/(<svg[^>]*>)/, `$1<rect x="-8" y="-8" width="100%" height="100%" style="width:calc(100% + 16px);height:calc(100% + 16px)" fill="${variable("--back")}"/>`);
  };

  const figures = new Map();
  for (const script of document.querySelectorAll("script[data-figure]")) {
    const name = script.dataset.figure;
    figures.set(name, {figure: JSON.parse(script.textContent), place: document.querySelector(`#${CSS.escape(name)} .drawing`)});
  }

  const redraw = async (entry) => {
    try {
      entry.rows ??= rowsOf(entry.figure);
      await draw(entry.place, entry.figure, entry.rows);
      if (!entry.done) { entry.done = true; ++state.drawn; }
    } catch (error) {
      state.failed.push(`${entry.figure.name}: ${error.message}`);
    }
    report();
  };

  let queue = Promise.resolve();
  const later = (entry) => { queue = queue.then(() => redraw(entry)).then(() => new Promise((next) => setTimeout(next))); };

  const drawable = [...figures.values()].filter((entry) => entry.place && entry.figure.spec);
  if (typeof vegaEmbed === "function") {
    vega.expressionFunction("bytes", (value) => bytes(value));
    vega.expressionFunction("folioscope", (value, format) => shown(value, format));
    state.wanted = drawable.length;
    const panels = drawable.reduce((sum, entry) => sum + entry.figure.panels.length, 0);
    if (panels <= 150) {
      drawable.forEach(later);
    } else {
      root.dataset.lazy = "";
      const seen = new IntersectionObserver((entries) => {
        for (const e of entries) if (e.isIntersecting) {
          seen.unobserve(e.target);
          later(drawable.find((entry) => entry.place === e.target));
        }
      }, {rootMargin: "600px"});
      drawable.forEach((entry) => seen.observe(entry.place));
    }
    let timer;
    const again = (changed) => {
      clearTimeout(timer);
      timer = setTimeout(() => drawable.filter((e) => e.done && changed(e)).forEach(later), 150);
    };
    addEventListener("resize", () => again((e) => e.place.clientWidth !== e.place.drawnWidth));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => again(() => true));
    document.getElementById("theme").addEventListener("click", () => again(() => true));
  }
  report();

  document.getElementById("theme").addEventListener("click", () => { root.dataset.theme = dark() ? "light" : "dark"; });
  document.addEventListener("click", async (e) => {
    const button = e.target.closest("button[data-csv], button[data-svg]");
    if (!button) return;
    if (button.dataset.csv) save(`${button.dataset.csv}.csv`, "text/csv", csvOf(figures.get(button.dataset.csv).figure));
    else save(`${button.dataset.svg}.svg`, "image/svg+xml", await svgOf(figures.get(button.dataset.svg).place));
  });
  window.folioscope = {csv: (name) => csvOf(figures.get(name).figure), svg: (name) => svgOf(figures.get(name).place), idle: () => queue};
})();
