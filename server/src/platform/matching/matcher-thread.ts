/**
 * The program of the thread, as text: the thread is the same in a build, where sources are bundled, and in a test, which
 * runs the sources. Texts arrive in pieces, a search with the last of them. One search has `milliseconds` and `most` matches
 * for all of its patterns and texts. When they are used up, this text and all that follow count as found as a whole.
 * The result has four numbers for each match: pattern, text, start, end. The pattern of a whole text is -1 - pattern.
 */
export const matcherThread = `
const { parentPort } = require('node:worker_threads');
const { createContext, Script } = require('node:vm');

const script = new Script(\`
  (() => {
    const found = [];
    for (const match of text.matchAll(pattern)) {
      const end = match.index + match[0].length;
      if (end === match.index) continue;
      if (found.length === 2 * most) return null;
      found.push(match.index, end);
      if (isFirstEnough) break;
    }
    return found;
  })()
\`);
let texts = [];
let pieces = [];

parentPort.on('message', ({ parts, search }) => {
  for (const { piece, isLast } of parts) {
    pieces.push(piece);
    if (!isLast) continue;
    texts.push(pieces.join(''));
    pieces = [];
  }
  if (!search) return;
  const result = run(search);
  texts = [];
  parentPort.postMessage(result, [result.buffer]);
});

function run({ patterns, isFirstEnough, most, milliseconds }) {
  const found = [];
  const context = createContext({ isFirstEnough, most, text: '', pattern: null });
  const expressions = patterns.map(({ source, flags }) => new RegExp(source, flags));
  const end = performance.now() + milliseconds;
  for (let at = 0; at < texts.length; at++) {
    const before = found.length;
    context.text = texts[at];
    for (let which = 0; which < expressions.length; which++) {
      context.pattern = expressions[which];
      context.most = most - found.length / 4;
      const places = placesIn(context, end - performance.now());
      if (!places) {
        found.length = before;
        for (let rest = at; rest < texts.length; rest++) found.push(-1 - which, rest, 0, texts[rest].length);
        return Int32Array.from(found);
      }
      for (let place = 0; place < places.length; place += 2) found.push(which, at, places[place], places[place + 1]);
      if (isFirstEnough && places.length > 0) return Int32Array.from(found);
    }
  }
  return Int32Array.from(found);
}

function placesIn(context, left) {
  if (left < 1) return null;
  try {
    return script.runInContext(context, { timeout: Math.ceil(left) });
  } catch {
    return null;
  }
}
`;
