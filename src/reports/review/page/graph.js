// The graph of a game: Black's win rate as the height of the dark area, and the lead below it.

class Graph {
  constructor(parent, game, onMove) {
    Object.assign(this, { parent, game, onMove });
    this.count = game.turns.length;
    this.build();
    if (Graph.observer) Graph.observer.disconnect();
    Graph.observer = new ResizeObserver(() => {
      if (this.place.width !== this.width()) this.rebuild();
    });
    Graph.observer.observe(parent);
  }

  // The available width: the graph is not scaled, so that its text has the size of other text.
  width() { return Math.max(260, Math.round(this.parent.clientWidth)); }

  rebuild() {
    const hadFocus = document.activeElement === this.svg;
    this.build();
    if (this.shown) this.show(...this.shown);
    if (hadFocus) this.svg.focus();
  }

  build() {
    this.place = { left: 46, right: 14, top: 6, height: 130, gap: 20, leadHeight: 60, width: this.width() };
    const { top, height, gap, leadHeight, width } = this.place;
    const whole = top + height + gap + leadHeight + 22;
    this.svg = draw("svg", {
      viewBox: `0 0 ${width} ${whole}`, role: "slider", tabindex: 0, "aria-label": "Move shown, by the course of the game",
      "aria-orientation": "horizontal", "aria-valuemin": 0, "aria-valuemax": this.count - 1,
    });
    this.rates();
    this.leads();
    this.numbers(whole);
    this.dips();
    this.cursor = draw("line", { class: "cursor", y1: top, y2: top + height + gap + leadHeight }, this.svg);
    this.knob = draw("circle", { class: "knob", r: 5 }, this.svg);
    this.parent.replaceChildren(this.svg, this.legend());
    this.listen();
  }

  x(turn) {
    const { left, right, width } = this.place;
    return left + (width - left - right) * (this.count > 1 ? turn / (this.count - 1) : 0);
  }

  y(winrate) { return this.place.top + this.place.height * (1 - winrate); }

  axis(x, y, text, anchor = "end") {
    draw("text", { class: "axis", x, y, "font-size": 12, "text-anchor": anchor, "dominant-baseline": "central" }, this.svg, text);
  }

  // Runs of searched turns; gaps occur since the search may have been ended early.
  runs(value) {
    const runs = [];
    let run = [];
    this.game.turns.forEach((turn, number) => {
      const known = value(turn);
      if (known === null) {
        if (run.length) runs.push(run);
        run = [];
      } else run.push([number, known]);
    });
    if (run.length) runs.push(run);
    return runs;
  }

  rates() {
    const { left, right, top, height, width } = this.place;
    const box = { x: left, y: top, width: width - left - right, height };
    draw("rect", { class: "missing", ...box }, this.svg);
    for (const run of this.runs((turn) => turn.winrate)) {
      const [start, end] = [this.x(run[0][0]), Math.max(this.x(run[run.length - 1][0]), this.x(run[0][0]) + 2)];
      draw("rect", { class: "above", x: start, y: top, width: end - start, height }, this.svg);
      const points = run.map(([turn, rate]) => `${this.x(turn).toFixed(1)} ${this.y(rate).toFixed(1)}`);
      draw("path", { class: "below", d: `M${start} ${top + height}L${points.join("L")}V${top + height}Z` }, this.svg);
    }
    draw("line", { class: "middle", x1: left, x2: width - right, y1: this.y(0.5), y2: this.y(0.5) }, this.svg);
    draw("rect", { class: "frame", ...box }, this.svg);
    this.axis(left - 6, this.y(1) + 5, "100 %");
    this.axis(left - 6, this.y(0.5), "50 %");
    this.axis(left - 6, this.y(0) - 5, "0 %");
  }

  leads() {
    const { left, right, top, height, gap, leadHeight, width } = this.place;
    const base = top + height + gap;
    const runs = this.runs((turn) => turn.lead);
    const most = Math.max(5, ...runs.flat().map(([, lead]) => Math.abs(lead)));
    const round = Math.ceil(most / 5) * 5;
    const y = (lead) => base + (leadHeight / 2) * (1 - lead / round);
    draw("rect", { class: "frame", x: left, y: base, width: width - left - right, height: leadHeight }, this.svg);
    draw("line", { class: "middle", x1: left, x2: width - right, y1: y(0), y2: y(0) }, this.svg);
    for (const run of runs) {
      const points = run.map(([turn, lead]) => `${this.x(turn).toFixed(1)} ${y(lead).toFixed(1)}`);
      draw("path", { class: "lead", d: `M${points.join("L")}` }, this.svg);
    }
    this.axis(left - 6, base + 6, `B+${round}`);
    this.axis(left - 6, y(0), "0");
    this.axis(left - 6, base + leadHeight - 6, `W+${round}`);
  }

  numbers(whole) {
    const last = this.count - 1;
    const most = this.place.width / 60;
    const step = [10, 20, 50, 100, 200, 500, 1000, 5000, 10000].find((it) => last / it <= most) || 50000;
    for (let turn = 0; turn <= last; turn += step) this.axis(this.x(turn), whole - 8, turn, "middle");
  }

  // The costliest moves: triangles that point down for Black's, which lower the win rate, and up for White's.
  dips() {
    for (const number of this.game.worst) {
      const turn = this.game.turns[number];
      const [x, y] = [this.x(number), this.y(turn.winrate)];
      const sign = turn.player === "B" ? 1 : -1;
      const points = `${x},${y + 2 * sign} ${x - 5},${y - 8 * sign} ${x + 5},${y - 8 * sign}`;
      draw("polygon", { class: "dip", points }, this.svg);
      if (number === this.game.verdict.turn) draw("circle", { class: "turned", cx: x, cy: y - 4 * sign, r: 11 }, this.svg);
    }
  }

  legend() {
    const legend = document.createElement("p");
    legend.className = "legend";
    legend.textContent = "Above: the higher the dark area, the better for Black. Below: the lead in points. "
      + "▼ ▲ costly moves of Black and White" + (this.game.verdict.turn === null ? "." : ", ◯ the one that decided.");
    return legend;
  }

  listen() {
    const turnOf = (event) => {
      const box = this.svg.getBoundingClientRect();
      const { left, right, width } = this.place;
      const x = ((event.clientX - box.left) / box.width) * width;
      const share = (x - left) / (width - left - right);
      return Math.round(Math.min(1, Math.max(0, share)) * (this.count - 1));
    };
    this.svg.addEventListener("pointerdown", (event) => {
      this.svg.setPointerCapture(event.pointerId);
      this.onMove(turnOf(event));
    });
    this.svg.addEventListener("pointermove", (event) => {
      if (this.svg.hasPointerCapture(event.pointerId)) this.onMove(turnOf(event));
    });
  }

  show(turn, words) {
    this.shown = [turn, words];
    const x = this.x(turn);
    this.cursor.setAttribute("x1", x);
    this.cursor.setAttribute("x2", x);
    const rate = this.game.turns[turn].winrate;
    this.knob.setAttribute("cx", x);
    this.knob.setAttribute("cy", this.y(rate === null ? 0.5 : rate));
    this.svg.setAttribute("aria-valuenow", turn);
    this.svg.setAttribute("aria-valuetext", words);
  }
}

