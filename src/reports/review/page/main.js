// The page: the move shown and its description. Names and comments of records are inserted as text.

const byId = (id) => document.getElementById(id);
const NAMES = { B: "Black", W: "White" };
// A percentage, with a space that does not break.
const percent = (share) => `${Math.round(100 * share)}\u00a0%`;
const forPlayer = (player, winrate) => (player === "B" ? winrate : 1 - winrate);
const leadInWords = (lead) => (lead === null ? "–" : lead >= 0 ? `B+${lead.toFixed(1)}` : `W+${(-lead).toFixed(1)}`);
const ordinal = (number) => `${number}${{ 1: "st", 2: "nd", 3: "rd" }[number] || "th"}`;

function make(name, { text, parent, ...attributes } = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text !== undefined) element.textContent = text;
  element.append(...children);
  if (parent) parent.append(element);
  return element;
}

const stoneMark = (player) => make("span", { class: `stone ${player.toLowerCase()}`, "aria-hidden": "true" });

class Page {
  constructor(games) {
    this.games = games;
    this.showsMoves = true;
    this.showsTerritory = false;
    if (games.length > 1) {
      byId("chooser").hidden = false;
      games.forEach((game, nth) => make("option", { value: nth, text: `${nth + 1}. ${game.title}`, parent: byId("game") }));
      byId("game").addEventListener("change", () => this.open(Number(byId("game").value)));
    }
    this.listen();
    this.open(0);
  }

  open(nth) {
    const game = this.games[nth];
    this.game = game;
    this.head();
    this.board = new Board(byId("board"), game.columns, game.rows, {
      onCandidate: (nth) => this.hover(nth),
      onChoose: (nth) => this.choose(nth),
      onSwipe: (by) => this.go(this.turn + by),
    });
    this.graph = new Graph(byId("graph"), game, (turn) => this.go(turn));
    this.mistakes();
    this.players();
    this.about();
    this.turn = -1;
    this.go(game.verdict.turn === null ? (game.worst[0] ?? game.turns.length - 1) : game.verdict.turn);
  }

  head() {
    const { title, names, ranks, verdict, complete } = this.game;
    const heading = byId("title");
    heading.replaceChildren();
    if (names[0] !== null && names[1] !== null) {
      ["B", "W"].forEach((player, nth) => {
        if (nth) heading.append(" – ");
        const rank = ranks[nth] === null ? "" : ` (${ranks[nth]})`;
        heading.append(stoneMark(player), ` ${names[nth]}${rank}`, make("span", { class: "unseen", text: `, ${NAMES[player]}` }));
      });
    } else heading.textContent = title;
    byId("result").textContent = verdict.result;
    byId("headline").textContent = verdict.headline;
    byId("detail").textContent = verdict.detail;
    byId("incomplete").hidden = complete;
    byId("incomplete").textContent = "Incomplete: the search was ended before all positions were searched.";
    const jump = byId("show-turn");
    jump.hidden = verdict.turn === null;
    jump.textContent = `Show move ${verdict.turn}`;
  }

  listen() {
    const on = (id, action) => byId(id).addEventListener("click", action);
    on("first", () => this.go(0));
    on("back", () => this.go(this.turn - 1));
    on("forward", () => this.go(this.turn + 1));
    on("last", () => this.go(this.game.turns.length - 1));
    on("show-turn", () => this.go(this.game.verdict.turn));
    on("show-moves", () => this.toggle("showsMoves"));
    on("show-territory", () => this.toggle("showsTerritory"));
    document.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.altKey || event.metaKey || event.target.tagName === "SELECT") return;
      const steps = { ArrowLeft: -1, ArrowRight: 1, PageUp: -10, PageDown: 10, Home: -Infinity, End: Infinity };
      const actions = {
        n: () => this.toMistake(1), p: () => this.toMistake(-1),
        t: () => this.toggle("showsTerritory"), Escape: () => this.choose(null),
      };
      const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
      if (key in steps) this.go(this.turn + steps[key]);
      else if (key in actions) actions[key]();
      else return;
      event.preventDefault();
    });
  }

  toggle(what) {
    this[what] = !this[what];
    byId("show-moves").setAttribute("aria-pressed", this.showsMoves);
    byId("show-territory").setAttribute("aria-pressed", this.showsTerritory);
    this.drawBoard();
  }

  // Scrolls to the board, since on a phone the list is far below it.
  reveal() {
    const { top, bottom, height } = byId("board").getBoundingClientRect();
    if (top < -height / 4 || bottom > window.innerHeight + height / 4) byId("board-area").scrollIntoView();
  }

  // Goes to the next costly move, or to the previous one.
  toMistake(direction) {
    const turns = [...this.game.worst].sort((one, other) => one - other);
    const next = direction > 0 ? turns.find((it) => it > this.turn) : turns.reverse().find((it) => it < this.turn);
    if (next !== undefined) this.go(next);
  }

  go(turn) {
    const last = this.game.turns.length - 1;
    const next = Math.min(last, Math.max(0, turn));
    if (next === this.turn) return;
    this.turn = next;
    this.chosen = null;
    this.hovered = null;
    const now = this.game.turns[next];
    this.before = next > 0 ? this.game.turns[next - 1] : null;
    const words = next === 0 ? "The start" : `Move ${next}, ${NAMES[now.player]} ${now.vertex}`;
    byId("counter").textContent = `${next} of ${last}`;
    byId("move-heading").textContent = words;
    const rate = now.winrate === null ? "" : `, Black's win rate ${percent(now.winrate)}`;
    this.graph.show(next, words + rate);
    for (const id of ["first", "back"]) byId(id).disabled = next === 0;
    for (const id of ["forward", "last"]) byId(id).disabled = next === last;
    for (const button of byId("mistakes").querySelectorAll("button")) {
      button.setAttribute("aria-current", Number(button.dataset.turn) === next);
    }
    this.sayMove(now, words);
    this.listCandidates(now);
    byId("comment").hidden = !now.comment;
    byId("comment").textContent = now.comment || "";
    this.drawBoard();
  }

  sayMove(now, words) {
    const said = byId("move-words");
    said.replaceChildren();
    const judged = now.judged;
    if (judged && judged.severity > 0) {
      const name = this.game.severities[judged.severity];
      const points = judged.points === null || judged.points < 0.05 ? "" : ` About ${judged.points.toFixed(1)} points.`;
      said.append(
        make("span", { class: "loss", text: `${name[0].toUpperCase()}${name.slice(1)}` }),
        `: ${NAMES[now.player]}'s win rate fell from ${percent(judged.before)} to ${percent(judged.after)}. ` +
          `${judged.best} was better.${points}`,
      );
    } else if (judged) {
      const order = judged.order === null ? "Not among the engine's moves, but not costly."
        : judged.order === 0 ? "The engine's first choice." : `The engine's ${ordinal(judged.order + 1)} choice; it costs little.`;
      said.append(judged.only ? "The only good move. " : "", order, ` ${this.state(now)}`);
    } else said.append(this.state(now));
    byId("live").textContent = `${words}. ${said.textContent}`;
  }

  // Describes the score of a position in words.
  state(now) {
    if (now.end) {
      const dead = now.end.dead.length ? ", with the faded stones dead" : "";
      return `The game is over: ${now.end.result === "0" ? "a draw" : now.end.result}${dead}.`;
    }
    if (now.winrate === null) return "This position was not searched.";
    const ahead = now.winrate >= 0.5 ? "B" : "W";
    const lead = now.lead === null ? "" : `, ${leadInWords(now.lead)} points`;
    return `${NAMES[ahead]}'s win rate is ${percent(forPlayer(ahead, now.winrate))}${lead}.`;
  }

  // Lists the engine's moves as buttons that show their lines.
  listCandidates(now) {
    const parent = byId("candidates");
    parent.replaceChildren();
    const candidates = this.before ? this.before.candidates : now.candidates;
    if (!candidates.length) return;
    const mover = this.before ? now.player : now.next;
    const table = make("table", { parent });
    make("caption", { class: "unseen", text: "The engine's moves; choose one to see its line", parent: table });
    const head = make("tr", { parent: make("thead", { parent: table }) });
    for (const text of ["Move", `${NAMES[mover]}'s win rate`, "Lead", "Visits"]) make("th", { scope: "col", text, parent: head });
    make("th", { scope: "col", class: "line", text: "Line", parent: head });
    const body = make("tbody", { parent: table });
    candidates.forEach((candidate, nth) => {
      const row = make("tr", { parent: body });
      const isPlayed = Boolean(this.before) && candidate.vertex === now.vertex;
      const button = make("button", { type: "button", "aria-pressed": "false", title: "Show its line on the board" });
      button.dataset.nth = nth;
      const badge = make("span", { class: `badge${nth ? " other" : ""}`, text: nth + 1 });
      button.append(badge, candidate.vertex);
      if (isPlayed) button.append(make("span", { text: " (played)" }));
      button.addEventListener("click", () => this.choose(nth));
      button.addEventListener("pointerenter", (event) => event.pointerType === "mouse" && this.hover(nth));
      button.addEventListener("pointerleave", (event) => event.pointerType === "mouse" && this.hover(null));
      make("th", { scope: "row", parent: row }, button);
      const rate = isPlayed && now.winrate !== null ? now.winrate : candidate.winrate;
      make("td", { text: percent(forPlayer(mover, rate)), parent: row });
      const lead = isPlayed && now.lead !== null ? now.lead : candidate.lead;
      make("td", { text: leadInWords(lead), parent: row });
      make("td", { text: candidate.visits, parent: row });
      make("td", { class: "line", text: candidate.line.slice(0, 6).join(" "), parent: row });
    });
  }

  // The index of the move with its line on the board, or null: the move under the pointer, else the one chosen.
  get line() { return this.hovered ?? this.chosen; }

  hover(nth) {
    if (nth === this.hovered) return;
    this.hovered = nth;
    this.drawBoard();
  }

  choose(nth) {
    this.chosen = nth === this.chosen ? null : nth;
    for (const button of byId("candidates").querySelectorAll("button")) {
      button.setAttribute("aria-pressed", Number(button.dataset.nth) === this.chosen);
    }
    this.drawBoard();
  }

  // The moves marked on the board: at most four, and no mistakes.
  goodMoves(candidates, mover) {
    const worth = (it) => forPlayer(mover, candidates[0].winrate) - forPlayer(mover, it.winrate) < this.game.thresholds[1] / 100;
    return candidates.map((_, nth) => nth).filter((nth) => nth < 4 && worth(candidates[nth]));
  }

  drawBoard() {
    const now = this.game.turns[this.turn];
    const { columns, rows } = this.game;
    const from = this.before || now;
    const index = (vertex) => indexOf(vertex, columns, rows);
    const mover = this.before ? now.player : now.next;
    const label = byId("move-heading").textContent;
    const bad = Boolean(now.judged && now.judged.severity > 0);
    const candidates = this.showsMoves ? this.goodMoves(from.candidates, mover)
      .map((nth) => ({ index: index(from.candidates[nth].vertex), nth, isBest: nth === 0 }))
      .filter((it) => it.index >= 0 && now.stones[it.index] === ".") : [];
    const common = { last: this.before ? index(now.vertex) : -1, bad, candidates };
    if (this.line !== null && from.candidates[this.line]) {
      const stones = [...from.stones];
      let colour = mover === "B" ? "X" : "O";
      const line = from.candidates[this.line].line.map((vertex) => {
        const move = { index: index(vertex), colour };
        play(stones, move.index, colour, columns, rows);
        colour = colour === "X" ? "O" : "X";
        return move;
      });
      const words = `${label}; instead the line ${from.candidates[this.line].line.join(" ")}`;
      this.board.show({ ...common, stones, line, dead: new Set(), label: words });
      byId("live").textContent = words;
      return;
    }
    const dead = new Set(now.end ? now.end.dead.map(index) : []);
    const ownership = this.showsTerritory ? now.ownership : "";
    this.board.show({ ...common, stones: [...now.stones], ownership, dead, label: `Board: ${label}. ${this.state(now)}` });
  }

  mistakes() {
    const list = byId("mistakes");
    list.replaceChildren();
    const isCostly = (player) => player.severities.slice(1).some((count) => count > 0);
    byId("no-mistakes").hidden = this.game.players.some(isCostly);
    for (const number of this.game.worst) {
      const { player, vertex, judged } = this.game.turns[number];
      const button = make("button", { type: "button" });
      button.dataset.turn = number;
      const winRates = `${percent(judged.before)} → ${percent(judged.after)}`;
      const what = make("span", { class: "what", text: `${NAMES[player]} ${vertex}` });
      if (number === this.game.verdict.turn) what.append(" · the game turned");
      button.append(
        stoneMark(player),
        make("span", { class: "nth", text: number }),
        what,
        make("span", { class: "better", text: `${judged.best} was better · win rate ${winRates}` }),
        make("span", { class: "cost", text: `−${percent(judged.loss)}` }),
      );
      button.addEventListener("click", () => {
        this.go(number);
        this.reveal();
      });
      make("li", { parent: list }, button);
    }
  }

  players() {
    const table = byId("players");
    table.replaceChildren();
    const head = make("tr", { parent: make("thead", { parent: table }) });
    make("td", { parent: head });
    for (const text of ["Black", "White"]) make("th", { scope: "col", text, parent: head });
    const body = make("tbody", { parent: table });
    const row = (label, of, sub) => {
      const line = make("tr", { parent: body });
      make("th", { scope: "row", class: sub ? "sub" : "", text: label, parent: line });
      for (const player of this.game.players) make("td", { text: of(player), parent: line });
    };
    const loss = (share) => (share === null ? "–" : `${(100 * share).toFixed(1)}\u00a0%`);
    const share = (count, player) => (player.moves ? percent(count / player.moves) : "–");
    row("Win rate lost a move, on average", (player) => loss(player.loss));
    this.game.phases.forEach((phase, nth) => row(phase, (player) => loss(player.byPhase[nth]), true));
    row("Points lost a move", (player) => (player.points === null ? "–" : player.points.toFixed(1)));
    row("The engine's first choice", (player) => share(player.first, player));
    row("Among its first three", (player) => share(player.three, player));
    const [low, middle, high] = this.game.thresholds;
    const names = [`Inaccuracies (${low} % and more)`, `Mistakes (${middle} % and more)`, `Blunders (${high} % and more)`];
    names.forEach((name, nth) => row(name, (player) => player.severities[nth + 1]));
  }

  about() {
    const { facts, notes, warnings, made, file } = this.game;
    byId("facts").replaceChildren();
    for (const [name, text] of [...facts, ["File", file]]) {
      make("dt", { text: name, parent: byId("facts") });
      make("dd", { text, parent: byId("facts") });
    }
    byId("notes").replaceChildren();
    for (const text of [...notes.map((note) => `Assumed: ${note}`), ...warnings]) make("li", { text, parent: byId("notes") });
    byId("made").textContent = `Searched by ${made}.`;
  }
}

function start() {
  window.page = new Page(JSON.parse(byId("data").textContent));
}
