// SPDX-License-Identifier: Apache-2.0
// Opens pages in headless Chromium over its debugging pipe and holds them to what a reader needs: no error on the
// console, no request over a network, every figure drawn and named, no sideways scrolling, at the widths of a phone and
// of a desk, light and dark.
//   node browser.mjs CHROMIUM PAGES... [--pictures DIR]
import {spawn} from "node:child_process";
import {mkdirSync, mkdtempSync, rmSync, writeFileSync} from "node:fs";
import {tmpdir} from "node:os";
import {basename, join, resolve} from "node:path";
import {pathToFileURL} from "node:url";

const [chromium, ...rest] = process.argv.slice(2);
const pictures = rest.includes("--pictures") ? rest.splice(rest.indexOf("--pictures"), 2)[1] : null;
const listeners = [];
const waiting = new Map();
let last = 0, browser, profile, ended;

// Debugging messages go over two pipes of the browser's own: no port, nothing to connect to.
const launch = () => {
  profile = mkdtempSync(join(tmpdir(), "folioscope-browser-"));
  browser = spawn(chromium, ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--disable-default-apps", "--disable-dev-shm-usage", "--hide-scrollbars", `--user-data-dir=${profile}`,
    "--remote-debugging-pipe", "about:blank"], {detached: true, stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"]});
  let pending = "";
  browser.stdio[3].on("error", () => {});
  browser.stdio[4].setEncoding("utf8").on("data", (text) => {
    const parts = (pending + text).split("\0");
    pending = parts.pop();
    for (const part of parts) {
      const message = JSON.parse(part);
      if (!message.id) listeners.forEach((listener) => listener(message));
      else if (message.error) waiting.get(message.id)?.fail(new Error(message.error.message));
      else waiting.get(message.id)?.done(message.result);
      waiting.delete(message.id);
    }
  });
  ended = new Promise((_, fail) => browser.on("exit", (code, signal) => fail(Object.assign(new Error(`the browser ended with ${code ?? signal}`), {gone: true}))));
  ended.catch(() => {});
};
const close = async () => {
  const gone = new Promise((done) => browser.exitCode !== null || browser.signalCode !== null ? done() : browser.on("exit", done));
  // Its children write to the profile, too: the whole group goes.
  try {
    process.kill(-browser.pid, "SIGKILL");
  } catch {
    // gone already
  }
  await gone;
  rmSync(profile, {recursive: true, force: true, maxRetries: 10, retryDelay: 200});
};
const send = (method, params = {}, sessionId) => Promise.race([ended, new Promise((done, fail) => {
  waiting.set(++last, {done, fail});
  browser.stdio[3].write(JSON.stringify({id: last, method, params, sessionId}) + "\0");
})]);

const failures = [];
const expect = (holds, what) => { if (!holds) failures.push(what); };

// Runs in the page.
const survey = async () => {
  // A page with very many panels draws what is looked at; until then its figures are still.
  const root = document.documentElement, lazy = root.dataset.lazy !== undefined;
  if (lazy) document.querySelector("figure .drawing").scrollIntoView();
  for (let i = 0; lazy && i < 300 && root.dataset.drawn.startsWith("0/"); ++i) await new Promise((next) => setTimeout(next, 100));
  await window.folioscope.idle();
  const figures = [...document.querySelectorAll("figure")].map((figure) => {
    const drawing = figure.querySelector(".drawing");
    const marks = drawing ? drawing.querySelectorAll(".mark-symbol path, .mark-rect path, .mark-line path, .mark-rule line, svg > g circle, svg > g line, svg > g rect").length : 0;
    return {
      id: figure.id, marks, drawn: !!drawing, named: !drawing || (drawing.getAttribute("role") === "img" && !!drawing.getAttribute("aria-label")),
      title: figure.querySelector("h2")?.textContent, empty: figure.querySelector(".empty")?.textContent ?? "",
      rows: figure.querySelectorAll("tbody tr").length, scripted: !!drawing && drawing.hasAttribute("data-live"),
      overflow: drawing ? drawing.scrollWidth - drawing.clientWidth : 0,
      clipped: [...(drawing?.querySelectorAll("svg") ?? [])].some((svg) => svg.getBoundingClientRect().right > innerWidth + 1),
    };
  });
  const csv = figures.filter((f) => !f.empty).map((f) => window.folioscope.csv(f.id).split("\r\n").length);
  const svg = [];
  for (const f of figures) if (f.drawn) svg.push((await window.folioscope.svg(f.id)).includes("<svg"));
  return {figures, csv, svg, lazy, drawn: document.documentElement.dataset.drawn, failed: document.documentElement.dataset.failed, vega: typeof window.vegaEmbed === "function",
    wide: document.documentElement.scrollWidth - innerWidth, hacked: window.hacked ?? null, verdict: document.querySelector(".conclusion")?.textContent ?? ""};
};

const visit = async (page, width, scheme) => {
  const {targetId} = await send("Target.createTarget", {url: "about:blank"});
  const {sessionId} = await send("Target.attachToTarget", {targetId, flatten: true});
  const at = `${basename(page)}, ${width} px, ${scheme}`;
  const onEvent = ({method, params, sessionId: whose}) => {
    if (whose !== sessionId) return;
    if (method === "Runtime.exceptionThrown") failures.push(`${at}: ${params.exceptionDetails.exception?.description ?? params.exceptionDetails.text}`);
    if (method === "Runtime.consoleAPICalled" && ["error", "assert"].includes(params.type)) failures.push(`${at}: console: ${JSON.stringify(params.args.map((a) => a.value ?? a.description))}`);
    if (method === "Log.entryAdded" && params.entry.level !== "verbose" && params.entry.level !== "info") failures.push(`${at}: log: ${params.entry.text}`);
    if (method === "Network.requestWillBeSent" && !/^(file|data|blob|about):/.test(params.request.url)) failures.push(`${at}: asks the network for ${params.request.url}`);
  };
  listeners.push(onEvent);
  for (const domain of ["Page", "Runtime", "Log", "Network"]) await send(`${domain}.enable`, {}, sessionId);
  await send("Emulation.setDeviceMetricsOverride", {width, height: 900, deviceScaleFactor: 1, mobile: width < 500}, sessionId);
  await send("Emulation.setEmulatedMedia", {features: [{name: "prefers-color-scheme", value: scheme}]}, sessionId);
  const loaded = new Promise((done) => listeners.push((m) => { if (m.sessionId === sessionId && m.method === "Page.loadEventFired") done(); }));
  await send("Page.navigate", {url: pathToFileURL(resolve(page)).href}, sessionId);
  await Promise.race([loaded, ended]);
  const {result, exceptionDetails} = await send("Runtime.evaluate", {expression: `(${survey})()`, awaitPromise: true, returnByValue: true}, sessionId);
  expect(!exceptionDetails, `${at}: ${exceptionDetails?.exception?.description}`);
  const seen = result.value ?? {figures: [], csv: [], svg: []};
  expect(seen.figures.length >= 8, `${at}: only ${seen.figures.length} figures`);
  expect(seen.verdict.length > 10, `${at}: no verdict`);
  expect(!seen.failed, `${at}: ${seen.failed}`);
  expect(seen.hacked === null, `${at}: a text out of the capsule ran as a script`);
  expect(seen.wide <= 0, `${at}: the page is ${seen.wide} px too wide`);
  const [drew, wanted] = (seen.drawn ?? "0/1").split("/");
  if (seen.vega) expect(seen.lazy ? drew > 0 : drew === wanted, `${at}: drew ${seen.drawn}`);
  for (const f of seen.figures) {
    expect(f.title && f.named, `${at}: figure ${f.id} has no name`);
    if (f.drawn) expect(f.marks > 0, `${at}: figure ${f.id} is empty`);
    if (f.drawn && seen.vega && !(seen.lazy && !f.scripted)) expect(f.scripted && !f.clipped, `${at}: figure ${f.id} ${f.scripted ? "is cut off" : "stayed still"}`);
    if (!f.drawn && !f.rows) expect(f.empty.length > 20, `${at}: figure ${f.id} is empty and does not say why`);
    if (f.drawn) expect(f.rows > 0, `${at}: figure ${f.id} has no table`);
  }
  expect(seen.csv.every((lines) => lines > 1) && seen.svg.every(Boolean), `${at}: a figure cannot be saved`);
  if (pictures) {
    const {cssContentSize} = await send("Page.getLayoutMetrics", {}, sessionId);
    mkdirSync(pictures, {recursive: true});
    const height = width < 500 ? 2400 : 1400;
    for (let y = 0, i = 0; y < cssContentSize.height; y += height, ++i) {
      const clip = {x: 0, y, width, height: Math.min(height, cssContentSize.height - y), scale: 1};
      const {data} = await send("Page.captureScreenshot", {captureBeyondViewport: true, clip}, sessionId);
      writeFileSync(join(pictures, `${basename(page, ".html")}-${width}-${scheme}-${i}.png`), Buffer.from(data, "base64"));
    }
  }
  await send("Target.closeTarget", {targetId});
  listeners.length = 0;
  console.log(`${at}: ${seen.figures.filter((f) => f.drawn).length} drawn, ${seen.figures.filter((f) => f.empty).length} say why not`);
};

launch();
try {
  for (const page of rest)
    for (const [width, scheme] of [[1280, "light"], [360, "dark"], [360, "light"], [1280, "dark"]].slice(0, pictures ? 4 : 2)) {
      try {
        await visit(page, width, scheme);
      } catch (error) {
        // A browser that goes away is no page's fault the first time.
        if (!error.gone) throw error;
        console.log(`${error.message}; once more`);
        listeners.length = 0;
        await close();
        launch();
        await visit(page, width, scheme);
      }
    }
} catch (error) {
  failures.push(error.message);
} finally {
  await close();
}
failures.forEach((failure) => console.error(failure));
process.exit(failures.length ? 1 : 0);
