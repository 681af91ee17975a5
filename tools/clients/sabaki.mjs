// Drives the engine as Sabaki does, with Sabaki's own libraries: a game, an interrupted analysis, the synchronised state of a
// game tree, and the record of the game.

import assert from 'node:assert/strict'
import test from 'node:test'
import gtp from '@sabaki/gtp'
import sgf from '@sabaki/sgf'

const PROGRAM = process.argv.at(-1)
const ARGUMENTS = ['gtp', '-q', '--size', '9', '--simulations', '100', '--table-size', '16MiB']

async function withEngine(use) {
  const engine = new gtp.Controller(PROGRAM, ARGUMENTS)
  engine.start()
  try {
    await use(engine)
  } finally {
    await engine.stop()
  }
}

async function ask(engine, name, ...args) {
  const response = await engine.sendCommand({ name, args: args.map(String) })
  assert.ok(!response.error, `${name}: ${response.content}`)
  return response.content
}

/** Returns the moves in a line of analysis as Sabaki parses them, each with its numbers and its variation. */
function parse(line) {
  return line
    .split(/\s*info\s+/)
    .slice(1)
    .map((part) => part.trim())
    .map((part) => {
      const matched = part.match(/(move|visits|winrate|scoreLead)\s+([^\s]+)/g)
      const values = Object.fromEntries(matched.map((pair) => pair.split(/\s+/)))
      return { ...values, pv: part.match(/pv\s+((?:pass|[A-Za-z]\d+)\s*)+/)?.[0].split(/\s+/).slice(1) }
    })
}

test('it is started as Sabaki starts an engine', () =>
  withEngine(async (engine) => {
    assert.equal(await ask(engine, 'name'), 'Tewari')
    assert.equal(await ask(engine, 'protocol_version'), '2')
    const commands = (await ask(engine, 'list_commands')).split('\n')
    for (const command of ['analyze', 'kata-analyze', 'lz-analyze', 'genmove_analyze', 'undo', 'loadsgf']) {
      assert.ok(commands.includes(command), command)
    }
  }))

test('a game is played to its end and its record is read by @sabaki/sgf', () =>
  withEngine(async (engine) => {
    await ask(engine, 'boardsize', 5)
    await ask(engine, 'komi', 0.5)
    let passes = 0
    let moves = 0
    for (; passes < 2 && moves < 150; moves++) {
      const move = await ask(engine, 'genmove', moves % 2 ? 'W' : 'B')
      passes = move === 'pass' ? passes + 1 : move === 'resign' ? 2 : 0
    }
    assert.ok(moves < 150)
    assert.match(await ask(engine, 'final_score'), /^([BW]\+[0-9.]+|0)$/)
    const [root] = sgf.parse(await ask(engine, 'printsgf'))
    assert.deepEqual([root.data.SZ, root.data.KM], [['5'], ['0.5']])
    let count = 0
    for (let node = root; node; node = node.children[0]) count += node.data.B || node.data.W ? 1 : 0
    assert.ok(count >= moves - 1)
  }))

test('an analysis tells what it finds until another command comes', () =>
  withEngine(async (engine) => {
    await ask(engine, 'play', 'B', 'E5')
    for (const command of ['analyze', 'kata-analyze', 'lz-analyze']) {
      const lines = []
      const analysis = engine.sendCommand({ name: command, args: ['W', '5'] }, ({ line }) => lines.push(line))
      while (lines.filter((line) => line.startsWith('info')).length < 3) {
        await new Promise((resolve) => setTimeout(resolve, 5))
      }
      assert.equal(await ask(engine, 'protocol_version'), '2')
      const response = await analysis
      assert.ok(!response.error)
      for (const line of lines.filter((line) => line.startsWith('info'))) {
        const moves = parse(line)
        assert.ok(moves.length > 0, line)
        for (const { move, visits, winrate, scoreLead, pv } of moves) {
          assert.match(move, /^(pass|[A-HJ][1-9])$/)
          assert.ok(Number(visits) > 0 && pv.length > 0, line)
          // Sabaki 0.60 reads win rates of commands that begin with kata as numbers up to 1, others as ten-thousandths.
          const isFloat = command.startsWith('kata')
          assert.equal(winrate.includes('.'), isFloat, line)
          const share = isFloat ? Number(winrate) : Number(winrate) / 10000
          assert.ok(share >= 0 && share <= 1, line)
          assert.equal(scoreLead !== undefined, command !== 'lz-analyze', line)
        }
      }
    }
  }))

test('a move is made with analysis', () =>
  withEngine(async (engine) => {
    const response = await engine.sendCommand({ name: 'genmove_analyze', args: ['B', '5'] })
    assert.match(response.content, /play [A-HJ][1-9]\s*$/)
    assert.notEqual(await ask(engine, 'list_stones', 'B'), '')
  }))

test('it follows where its user goes in the game tree', () =>
  withEngine(async (engine) => {
    const tracker = new gtp.ControllerStateTracker(engine)
    const play = (...moves) =>
      moves.map(([color, vertex]) => ({ name: 'play', args: [color, vertex] }))
    for (const moves of [[['B', 'C3'], ['W', 'G7']], [['B', 'C3']], [['B', 'C3'], ['W', 'E5'], ['B', 'D4']]]) {
      await tracker.sync({ boardsize: [9, 9], komi: 6.5, history: play(...moves) })
      const black = moves.filter(([color]) => color === 'B').map(([, vertex]) => vertex)
      assert.deepEqual((await ask(engine, 'list_stones', 'B')).split(' ').sort(), black.sort())
    }
  }))
