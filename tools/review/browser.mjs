// Opens reviews in Chromium, without a window, and acts as a reader: moves by keys, clicks, hovers, swipes. A page must
// request nothing from a network, write no error to the console, and have no violation found by axe-core.
//
// node browser.mjs PROGRAM GAME.sgf FOLDER: writes the pages and their pictures to FOLDER.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createRequire } from "node:module";
import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";
import sgf from "@sabaki/sgf";

const [program, record, folder] = process.argv.slice(2);
const axe = fs.readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

const HOSTILE = "</script><img src=x onerror=\"window.broken = true\"><!-- & \u2028 \\u003c";
const PROGRAMS = ["/usr/bin/chromium", "/usr/bin/chromium-browser"];
const FLAGS = ["--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync"];
const LARGEST = 2_000_000;
const LONGEST_MS = 1000;

function review(input, output, ...more) {
  execFileSync(program, ["review", input, "-o", output, "--force", "--table-size", "64MiB", ...more]);
  return output;
}

// Returns an artificial game of 250 moves on 19x19: every point once, in an order with few captures.
function longGame() {
  const moves = [];
  for (let nth = 0; nth < 250; nth++) {
    const index = (nth * 140) % 361;
    const letter = (number) => String.fromCharCode(97 + number);
    moves.push(`;${nth % 2 ? "W" : "B"}[${letter(index % 19)}${letter(Math.floor(index / 19))}]`);
  }
  return `(;GM[1]FF[4]SZ[19]KM[7.5]RU[Chinese]PB[Long]PW[Game]${moves.join("")})`;
}

class Reader {
  constructor(browser) { this.browser = browser; }

  async open(file, { width, height, scheme, touch = false }) {
    this.problems = [];
    this.context = await this.browser.newContext({
      viewport: { width, height }, colorScheme: scheme, hasTouch: touch, deviceScaleFactor: 1,
    });
    const page = await this.context.newPage();
    page.on("console", (message) => ["error", "warning"].includes(message.type()) && this.problems.push(message.text()));
    page.on("pageerror", (error) => this.problems.push(String(error)));
    const address = pathToFileURL(file).href;
    page.on("request", (request) => {
      const url = request.url();
      if (url !== address && !url.startsWith("data:")) this.problems.push(`asked for ${url}`);
    });
    await page.goto(address);
    this.page = page;
    return page;
  }

  async close() {
    assert.deepEqual(this.problems, []);
    await this.context.close();
  }

  async accessible() {
    await this.page.evaluate(axe);
    const { violations } = await this.page.evaluate(() => window.axe.run(document));
    const told = violations.map((it) => `${it.id}: ${it.help}: ${it.nodes.map((node) => node.html).slice(0, 3).join(" ")}`);
    assert.deepEqual(told, []);
  }
}

async function walks(reader, page, moves) {
  const counter = () => page.textContent("#counter");
  const stones = () => page.locator("#board .black, #board .white").count();
  await page.keyboard.press("Home");
  assert.equal(await counter(), `0 of ${moves}`);
  assert.equal(await stones(), 0);
  assert.ok(await page.locator("#back").isDisabled());
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  assert.equal(await counter(), `2 of ${moves}`);
  assert.equal(await stones(), 2);
  await page.keyboard.press("ArrowLeft");
  assert.equal(await counter(), `1 of ${moves}`);
  await page.keyboard.press("PageDown");
  assert.equal(await counter(), `11 of ${moves}`);
  await page.keyboard.press("End");
  assert.equal(await counter(), `${moves} of ${moves}`);
  assert.ok(await page.locator("#forward").isDisabled());
  await page.keyboard.press("Home");
  await page.keyboard.press("n");
  const costly = await page.locator("#mistakes [aria-current=true]").count();
  assert.equal(costly, await page.locator("#mistakes li").count() ? 1 : 0);
}

async function graphIsUsed(page, moves) {
  const graph = page.locator("#graph svg");
  await graph.scrollIntoViewIfNeeded();
  const box = await graph.boundingBox();
  await page.mouse.move(box.x + box.width * 0.3, box.y + box.height * 0.3);
  await page.mouse.down();
  const first = Number(await graph.getAttribute("aria-valuenow"));
  await page.mouse.move(box.x + box.width * 0.8, box.y + box.height * 0.3, { steps: 4 });
  await page.mouse.up();
  const second = Number(await graph.getAttribute("aria-valuenow"));
  assert.ok(0 < first && first < second && second < moves, `${first} ${second}`);
  await graph.focus();
  await page.keyboard.press("ArrowLeft");
  assert.equal(Number(await graph.getAttribute("aria-valuenow")), second - 1);
}

async function linesAreShown(page) {
  await page.keyboard.press("Home");
  await page.keyboard.press("ArrowRight");
  const buttons = page.locator("#candidates button");
  assert.ok(await buttons.count() > 0);
  await buttons.first().focus();
  await page.keyboard.press("Enter");
  assert.equal(await buttons.first().getAttribute("aria-pressed"), "true");
  assert.ok(await page.locator("#board .number").count() > 0);
  await page.keyboard.press("Escape");
  assert.equal(await page.locator("#board .number").count(), 0);
  const candidate = page.locator("#board .candidate").first();
  if (await candidate.count()) {
    await candidate.hover();
    assert.ok(await page.locator("#board .number").count() > 0);
    await page.mouse.move(1, 1);
    assert.equal(await page.locator("#board .number").count(), 0);
  }
  await page.keyboard.press("t");
  assert.ok(await page.locator("#board .own-black, #board .own-white").count() > 0);
  await page.keyboard.press("t");
}

async function swipes(page) {
  await page.keyboard.press("Home");
  await page.locator("#board svg").scrollIntoViewIfNeeded();
  await page.evaluate(() => {
    const svg = document.querySelector("#board svg");
    const at = (type, clientX) => svg.dispatchEvent(new PointerEvent(type,
      { pointerType: "touch", clientX, clientY: 100, bubbles: true, pointerId: 7 }));
    at("pointerdown", 300);
    at("pointerup", 200);
  });
  assert.ok((await page.textContent("#counter")).startsWith("1 of"));
}

// On a phone the list of costly moves is far below the board: choosing one scrolls back to the board.
async function mistakesAreChosen(reader, file) {
  const page = await reader.open(file, { width: 390, height: 844, scheme: "light", touch: true });
  const last = page.locator("#mistakes button").last();
  await last.tap();
  assert.equal(await last.getAttribute("aria-current"), "true");
  const top = await page.evaluate(() => document.querySelector("#board").getBoundingClientRect().top);
  assert.ok(-1 <= top && top < 500, `the board is at ${top}`);
  await reader.close();
}

async function pictures(reader, file, name) {
  for (const [kind, width, height, touch] of [["wide", 1280, 860, false], ["narrow", 390, 844, true]]) {
    for (const scheme of ["light", "dark"]) {
      const page = await reader.open(file, { width, height, scheme, touch });
      const wider = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      assert.ok(wider <= 0, `${kind}: the page is ${wider} pixels too wide`);
      await reader.accessible();
      await page.screenshot({ path: path.join(folder, `${name}-${kind}-${scheme}.png`), fullPage: kind === "narrow" });
      await reader.close();
    }
  }
}

const browser = await chromium.launch({
  executablePath: PROGRAMS.find((it) => fs.existsSync(it)), headless: true, chromiumSandbox: false, args: FLAGS,
});
const reader = new Reader(browser);
try {
  const moves = 63;
  const game = review(record, path.join(folder, "game.html"), "--simulations", "100");
  const page = await reader.open(game, { width: 1280, height: 860, scheme: "light" });
  assert.ok(await page.locator("#board .black, #board .white").count() > 0, "stones are drawn");
  assert.ok((await page.locator("#graph .below").first().getAttribute("d")).length > 100, "the graph is drawn");
  await walks(reader, page, moves);
  await graphIsUsed(page, moves);
  await linesAreShown(page);
  await swipes(page);
  await reader.close();
  await mistakesAreChosen(reader, game);
  await pictures(reader, game, "game");
  console.log("9x9: walked, clicked, dragged, hovered, swiped; no fault found by axe-core");

  // Names and comments with markup that must not take effect; two games in one file.
  const hostile = path.join(folder, "hostile.sgf");
  const text = HOSTILE.replaceAll("\\", "\\\\").replaceAll("]", "\\]");
  fs.writeFileSync(hostile, `(;SZ[9]PB[${text}]PW[${text}]EV[${text}]C[${text}];B[ee]C[${text}];W[cc])(;SZ[5];B[cc])`);
  const bad = await reader.open(review(hostile, path.join(folder, "hostile.html"), "--simulations", "20"),
    { width: 390, height: 844, scheme: "light" });
  await bad.keyboard.press("Home");
  await bad.keyboard.press("ArrowRight");
  assert.equal(await bad.evaluate(() => window.broken), undefined);
  assert.equal(await bad.locator("main img, header img").count(), 0);
  assert.ok((await bad.textContent("#comment")).includes("</script><img src=x"), "a comment is shown as it is");
  await bad.selectOption("#game", "1");
  assert.equal(await bad.textContent("#counter"), "0 of 1".replace("0", "1"));
  await reader.accessible();
  await reader.close();
  console.log("hostile names and comments: shown, not obeyed; two games in one page");

  const long = path.join(folder, "long.sgf");
  fs.writeFileSync(long, longGame());
  const page250 = review(long, path.join(folder, "long.html"), "--simulations", "50");
  const bytes = fs.statSync(page250).size;
  assert.ok(bytes < LARGEST, `${bytes} bytes`);
  const began = performance.now();
  const opened = await reader.open(page250, { width: 1280, height: 860, scheme: "light" });
  await opened.waitForSelector("#board .candidate, #board .black");
  const took = Math.round(performance.now() - began);
  const ready = await opened.evaluate(() => performance.getEntriesByType("navigation")[0].domContentLoadedEventEnd);
  assert.ok(ready < LONGEST_MS, `${ready} ms`);
  await reader.close();
  await pictures(reader, page250, "long");
  console.log(`250 moves: ${bytes} bytes, ready after ${Math.round(ready)} ms, ${took} ms with the browser's start`);

  const reviewed = review(record, path.join(folder, "reviewed.sgf"), "--simulations", "50");
  const [root] = sgf.parseFile(reviewed);
  let [node, length] = [root, 0];
  while (node.children.length) [node, length] = [node.children[0], length + 1];
  assert.equal(length, moves, "Sabaki's library reads the main line");
  assert.ok(Number(root.data.SBKV[0]) > 0, "with its own win rates");
  console.log("the reviewed record: read by Sabaki's library");
} finally {
  await browser.close();
}
