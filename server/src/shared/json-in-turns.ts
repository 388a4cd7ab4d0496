import { pause } from './slices.js';

/** Characters that are written in one turn of the event loop: a few milliseconds. */
const perTurn = 32 * 1024;
/** Characters of a long text that are written at once. */
const pieceLength = 32 * 1024;

/** Returns the bytes of `writeJson`. They are written in pieces, between which other calls run. */
export async function jsonInTurns(value: unknown): Promise<Buffer> {
  const written: Buffer[] = [];
  let text = '';
  for (const piece of piecesOf(value)) {
    text += piece;
    if (text.length < perTurn) continue;
    written.push(Buffer.from(text));
    text = '';
    await pause();
  }
  written.push(Buffer.from(text));
  return Buffer.concat(written);
}

function* piecesOf(value: unknown): Generator<string, void, undefined> {
  if (typeof value === 'string') yield* textPieces(value);
  else if (typeof value === 'bigint') yield value.toString();
  else if (typeof value !== 'object' || value === null) yield JSON.stringify(value);
  else if (Array.isArray(value)) {
    let before = '[';
    for (const entry of value as unknown[]) {
      yield before;
      yield* piecesOf(entry);
      before = ',';
    }
    yield before === '[' ? '[]' : ']';
  } else yield* fieldPieces(value);
}

function* fieldPieces(fields: object): Generator<string, void, undefined> {
  let before = '{';
  for (const [name, field] of Object.entries(fields)) {
    if (field === undefined) continue;
    yield `${before}${JSON.stringify(name)}:`;
    yield* piecesOf(field);
    before = ',';
  }
  yield before === '{' ? '{}' : '}';
}

/**
 * Returns the pieces of a text. Half of a surrogate pair at the end of a piece is written as an escape, which is read
 * as the same text.
 */
function* textPieces(text: string): Generator<string, void, undefined> {
  if (text.length <= pieceLength) return yield JSON.stringify(text);
  yield '"';
  for (let at = 0; at < text.length; at += pieceLength) {
    yield JSON.stringify(text.slice(at, at + pieceLength)).slice(1, -1);
  }
  yield '"';
}
