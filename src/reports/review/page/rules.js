"use strict";
// The rules of Go that the page needs: names of points, and captures. A board is an array of ".", "X" and "O" from the
// upper left.

const LETTERS = "ABCDEFGHJKLMNOPQRST";

// Returns the index of a point such as "D4"; -1 for a pass.
function indexOf(vertex, columns, rows) {
  if (!vertex || vertex === "pass") return -1;
  return (rows - Number(vertex.slice(1))) * columns + LETTERS.indexOf(vertex[0]);
}

function neighbours(index, columns, rows) {
  const column = index % columns;
  const around = [];
  if (column > 0) around.push(index - 1);
  if (column < columns - 1) around.push(index + 1);
  if (index >= columns) around.push(index - columns);
  if (index < columns * (rows - 1)) around.push(index + columns);
  return around;
}

// Returns the chain of a stone, or null if it has a liberty.
function chainWithoutLiberty(board, start, columns, rows) {
  const chain = [start];
  const seen = new Set(chain);
  for (const index of chain) {
    for (const beside of neighbours(index, columns, rows)) {
      if (board[beside] === ".") return null;
      if (board[beside] === board[start] && !seen.has(beside)) {
        seen.add(beside);
        chain.push(beside);
      }
    }
  }
  return chain;
}

// Plays a legal move on `board`.
function play(board, index, colour, columns, rows) {
  if (index < 0) return;
  const enemy = colour === "X" ? "O" : "X";
  board[index] = colour;
  for (const beside of neighbours(index, columns, rows)) {
    if (board[beside] !== enemy) continue;
    for (const taken of chainWithoutLiberty(board, beside, columns, rows) || []) board[taken] = ".";
  }
  for (const taken of chainWithoutLiberty(board, index, columns, rows) || []) board[taken] = ".";
}

// Returns the star points.
function starPoints(columns, rows) {
  const lines = (length) => {
    if (length < 7) return length % 2 ? [(length - 1) / 2] : [];
    const edge = length < 13 ? 2 : 3;
    const far = length - 1 - edge;
    return length % 2 ? [edge, (length - 1) / 2, far] : [edge, far];
  };
  const points = [];
  for (const row of lines(rows)) for (const column of lines(columns)) points.push([column, row]);
  const isSmall = columns < 15 || rows < 15;
  // Small boards have star points in the corners and the centre only.
  return isSmall && points.length === 9 ? points.filter((_, nth) => nth % 2 === 0) : points;
}

