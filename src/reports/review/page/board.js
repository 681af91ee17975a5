// The drawing of the board.

const SVG = "http://www.w3.org/2000/svg";

function draw(name, attributes, parent, text) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text !== undefined) element.textContent = text;
  if (parent) parent.append(element);
  return element;
}

class Board {
  // Draws the empty board. `onCandidate(index | null)` is called with the better move under the pointer, `onChoose`
  // with the one chosen.
  constructor(parent, columns, rows, { onCandidate, onChoose, onSwipe }) {
    Object.assign(this, { columns, rows, onCandidate, onChoose });
    const edge = 1.05;
    this.left = edge;
    this.top = edge;
    const width = columns - 1 + 2 * edge;
    const height = rows - 1 + 2 * edge;
    this.svg = draw("svg", { viewBox: `0 0 ${width} ${height}`, role: "img" });
    this.stones();
    draw("rect", { class: "wood", width, height, rx: 0.15 }, this.svg);
    let path = "";
    for (let row = 0; row < rows; row++) path += `M${this.x(0)} ${this.y(row)}H${this.x(columns - 1)}`;
    for (let column = 0; column < columns; column++) path += `M${this.x(column)} ${this.y(0)}V${this.y(rows - 1)}`;
    draw("path", { class: "grid", d: path, "stroke-width": 0.035, "stroke-linecap": "square" }, this.svg);
    for (const [column, row] of starPoints(columns, rows)) {
      draw("circle", { class: "star", cx: this.x(column), cy: this.y(row), r: 0.09 }, this.svg);
    }
    this.coordinates(width, height);
    this.layer = draw("g", {}, this.svg);
    parent.replaceChildren(this.svg);
    this.listen(onSwipe);
  }

  x(column) { return this.left + column; }
  y(row) { return this.top + row; }
  at(index) { return [this.x(index % this.columns), this.y(Math.floor(index / this.columns))]; }

  // Gradients of the stones, lit from the upper left.
  stones() {
    const defs = draw("defs", {}, this.svg);
    for (const [id, light, dark] of [["black-stone", "#4b4a47", "#0e0e0d"], ["white-stone", "#ffffff", "#d8d3c8"]]) {
      const gradient = draw("radialGradient", { id, cx: 0.36, cy: 0.32, r: 0.75 }, defs);
      draw("stop", { offset: 0, "stop-color": light }, gradient);
      draw("stop", { offset: 0.9, "stop-color": dark }, gradient);
    }
  }

  coordinates(width, height) {
    // The coordinates of small boards need not grow with the points.
    const size = 0.17 + 0.011 * Math.max(this.columns, this.rows);
    const put = (x, y, text) => draw("text", { class: "coordinate", x, y, "font-size": size }, this.svg, text);
    for (let column = 0; column < this.columns; column++) {
      put(this.x(column), 0.34, LETTERS[column]);
      put(this.x(column), height - 0.34, LETTERS[column]);
    }
    for (let row = 0; row < this.rows; row++) {
      put(0.34, this.y(row), this.rows - row);
      put(width - 0.34, this.y(row), this.rows - row);
    }
  }

  listen(onSwipe) {
    const candidateOf = (event) => {
      const group = event.target.closest ? event.target.closest(".candidate") : null;
      return group ? Number(group.dataset.nth) : null;
    };
    this.svg.addEventListener("pointerover", (event) => {
      if (event.pointerType === "mouse") this.onCandidate(candidateOf(event));
    });
    this.svg.addEventListener("pointerleave", (event) => {
      if (event.pointerType === "mouse") this.onCandidate(null);
    });
    let from = null;
    this.svg.addEventListener("pointerdown", (event) => { from = [event.clientX, event.clientY]; });
    this.svg.addEventListener("pointercancel", () => { from = null; });
    this.svg.addEventListener("pointerup", (event) => {
      if (!from) return;
      const [dx, dy] = [event.clientX - from[0], event.clientY - from[1]];
      from = null;
      if (Math.abs(dx) > 40 && Math.abs(dx) > 2 * Math.abs(dy)) {
        onSwipe(dx < 0 ? 1 : -1);
      } else if (Math.abs(dx) < 10 && Math.abs(dy) < 10) {
        this.onChoose(candidateOf(event));
      }
    });
  }

  // Shows a position: `stones`; `ownership` letters or ""; the `last` move, marked differently if it was `bad`;
  // `candidates` with their points; `line`: the points of a variation with their colours.
  show({ stones, ownership, last, bad, candidates, line, dead, label }) {
    this.layer.replaceChildren();
    this.svg.setAttribute("aria-label", label);
    for (let index = 0; index < stones.length; index++) {
      if (stones[index] !== ".") this.stone(index, stones[index], dead.has(index) ? 0.45 : 1);
    }
    if (ownership) this.ownership(ownership, stones);
    if (last >= 0 && !line) this.last(last, stones[last], bad);
    if (line) this.line(line, stones);
    // Under a line they are invisible but still receive the pointer.
    for (const candidate of candidates) this.candidate(candidate, Boolean(line));
  }

  stone(index, colour, opacity) {
    const [cx, cy] = this.at(index);
    const kind = colour === "X" ? "black" : "white";
    draw("circle", { class: kind, cx, cy, r: 0.47, "stroke-width": 0.03, opacity }, this.layer);
  }

  // The ownership, on empty points and on stones that will be lost.
  ownership(letters, stones) {
    for (let index = 0; index < letters.length; index++) {
      const share = (letters.charCodeAt(index) - 107) / 10;
      const size = 0.42 * Math.abs(share);
      const isOwn = stones[index] === (share > 0 ? "X" : "O");
      if (size < 0.1 || isOwn) continue;
      const [x, y] = this.at(index);
      const kind = share > 0 ? "own-black" : "own-white";
      const place = { x: x - size / 2, y: y - size / 2, width: size, height: size };
      draw("rect", { class: kind, "stroke-width": 0.03, ...place }, this.layer);
    }
  }

  // The last move has a ring; a bad one has a triangle, so that it does not depend on colours.
  last(index, colour, bad) {
    const [cx, cy] = this.at(index);
    if (bad) {
      const points = `${cx},${cy - 0.34} ${cx + 0.3},${cy + 0.19} ${cx - 0.3},${cy + 0.19}`;
      draw("polygon", { class: "bad", points, "stroke-width": 0.11 }, this.layer);
    } else if (colour !== ".") {
      const kind = colour === "X" ? "last-black" : "last-white";
      draw("circle", { class: kind, cx, cy, r: 0.26, "stroke-width": 0.07 }, this.layer);
    }
  }

  candidate({ index, nth, isBest }, isUnseen) {
    const [cx, cy] = this.at(index);
    const group = draw("g", { class: isBest ? "candidate" : "candidate other", opacity: isUnseen ? 0 : 1 }, this.layer);
    group.dataset.nth = nth;
    draw("circle", { cx, cy, r: 0.43, "stroke-width": 0.06 }, group);
    draw("text", { x: cx, y: cy, "font-size": 0.52 }, group, nth + 1);
  }

  line(moves, stones) {
    const seen = new Set();
    moves.forEach(({ index, colour }, nth) => {
      if (index < 0 || seen.has(index)) return;
      seen.add(index);
      const [x, y] = this.at(index);
      if (stones[index] === ".") this.stone(index, colour, 0.5);
      const isOnBlack = (stones[index] === "." ? colour : stones[index]) === "X";
      const kind = isOnBlack ? "number on-black" : "number on-white";
      draw("text", { class: kind, x, y, "font-size": nth > 8 ? 0.44 : 0.52 }, this.layer, nth + 1);
    });
  }
}

