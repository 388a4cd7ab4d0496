/**
 * The program of the thread, as text, so that the thread is the same in a build, which bundles sources, and in a test,
 * which runs sources. Texts arrive joined in pieces, with the offsets at which texts end, and a search arrives with the
 * last piece. One search has `milliseconds` and `most` matches for all of its patterns and texts. The result has four
 * numbers for each match (pattern, text, start, end), and the position at which the search stopped if time or matches
 * were used up.
 */
export const matcherThread = `
const { parentPort } = require('node:worker_threads');
const { Script } = require('node:vm');

let texts = [];
let begun = '';
let state;

parentPort.on('message', ({ piece, ends, search }) => {
  let from = 0;
  for (const end of ends) {
    texts.push(begun + piece.slice(from, end));
    begun = '';
    from = end;
  }
  begun += piece.slice(from);
  if (!search) return;
  const result = run(search);
  texts = [];
  begun = '';
  parentPort.postMessage(result, [result.found.buffer]);
});

// A script can be interrupted, even within a regular expression.
const script = new Script('searchTexts()');
globalThis.searchTexts = searchTexts;

function run({ patterns, isFirstEnough, most, milliseconds }) {
  const start = performance.now();
  const expressions = patterns.map(({ source, flags }) => new RegExp(source, flags));
  state = { expressions, isFirstEnough, most, found: [], before: 0, text: 0, pattern: 0, isDone: false };
  try {
    script.runInThisContext({ timeout: Math.max(1, Math.floor(milliseconds)) });
  } catch {
    // The time is used up, or a regular expression is too large.
  }
  if (!state.isDone) state.found.length = state.before;
  const stopped = state.isDone ? null : { text: state.text, pattern: state.pattern };
  return { found: Int32Array.from(state.found), stopped, spent: performance.now() - start };
}

function searchTexts() {
  const { expressions, found } = state;
  for (; state.text < texts.length; state.text++) {
    state.before = found.length;
    const text = texts[state.text];
    for (state.pattern = 0; state.pattern < expressions.length; state.pattern++) {
      const expression = expressions[state.pattern];
      expression.lastIndex = 0;
      if (!expression.test(text)) continue;
      expression.lastIndex = 0;
      for (const match of text.matchAll(expression)) {
        if (match[0] === '') continue;
        if (found.length === 4 * state.most) return;
        found.push(state.pattern, state.text, match.index, match.index + match[0].length);
        if (state.isFirstEnough) {
          state.isDone = true;
          return;
        }
      }
    }
  }
  state.isDone = true;
}
`;
