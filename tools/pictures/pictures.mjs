// Makes the pictures of the README: a review, light and dark.
//
// node pictures.mjs PROGRAM GAME.sgf FOLDER

import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const [program, record, folder] = process.argv.slice(2);
const PROGRAMS = ["/usr/bin/chromium", "/usr/bin/chromium-browser"];
const LARGEST = 100_000;

// Captures the page of a review at its costliest move.
async function review(browser) {
  const page = path.resolve("review.html");
  execFileSync(program, ["review", record, "-o", page, "--force", "--table-size", "256MiB", "--simulations", "5000"]);
  for (const scheme of ["light", "dark"]) {
    const context = await browser.newContext({ viewport: { width: 1120, height: 780 }, colorScheme: scheme });
    const opened = await context.newPage();
    await opened.goto(pathToFileURL(page).href);
    await opened.keyboard.press("n");
    await opened.waitForSelector("#mistakes [aria-current=true]");
    // WebP takes a third of the bytes of PNG.
    const session = await context.newCDPSession(opened);
    const { data } = await session.send("Page.captureScreenshot", { format: "webp", quality: 90 });
    write(`review-${scheme}.webp`, Buffer.from(data, "base64"));
    await context.close();
  }
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
} finally {
  await browser.close();
}
