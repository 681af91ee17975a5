// Takes the pictures of the README: a review, light and dark, and the chart of a sweep on dark paper.
//
// node pictures.mjs PROGRAM GAME.sgf CHART.svg FOLDER

import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const [program, record, chart, folder] = process.argv.slice(2);
const PROGRAMS = ["/usr/bin/chromium", "/usr/bin/chromium-browser"];
const LARGEST = 100_000;
// The chart is drawn on white paper; these are the same colours on dark.
const DARK = { "#FFFFFF": "#0D1117", "#000000": "#E6EDF3", "#14286E": "#7AA2FF", "#C83C1E": "#FF8A70" };

// The page of a review at its costliest move.
async function review(browser) {
  const page = path.resolve("review.html");
  execFileSync(program, ["review", record, "-o", page, "--force", "--table-size", "256MiB", "--simulations", "5000"]);
  for (const scheme of ["light", "dark"]) {
    const context = await browser.newContext({ viewport: { width: 1120, height: 780 }, colorScheme: scheme });
    const opened = await context.newPage();
    await opened.goto(pathToFileURL(page).href);
    await opened.keyboard.press("n");
    await opened.waitForSelector("#mistakes [aria-current=true]");
    // WebP: a third of a PNG.
    const session = await context.newCDPSession(opened);
    const { data } = await session.send("Page.captureScreenshot", { format: "webp", quality: 90 });
    write(`review-${scheme}.webp`, Buffer.from(data, "base64"));
    await context.close();
  }
}

function sweep() {
  const light = fs.readFileSync(chart, "utf8");
  write("sweep-dark.svg", light.replace(/#[0-9A-F]{6}/g, (colour) => DARK[colour] ?? colour));
}

function write(name, bytes) {
  if (bytes.length > LARGEST) throw new Error(`${name}: ${bytes.length} bytes, expected at most ${LARGEST}`);
  fs.writeFileSync(path.join(folder, name), bytes);
  console.log(`${name}: ${bytes.length} bytes`);
}

const executablePath = PROGRAMS.find((candidate) => fs.existsSync(candidate));
const browser = await chromium.launch({ executablePath, args: ["--disable-gpu", "--no-sandbox"] });
try {
  await review(browser);
  sweep();
} finally {
  await browser.close();
}
