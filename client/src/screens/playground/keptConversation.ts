import { readJson, writeJson } from '../../lib/storage.js';
import { isRunning, type Turn } from './turns.js';

/** Under this key the browser keeps the conversation and how answers are made; never a key of an API. */
const storageKey = 'playground';

/** Characters of pictures that are kept: browsers allow about five million for everything. */
const mostPictures = 2_000_000;

export interface Kept {
  readonly turns: readonly Turn[];
  readonly parameters: Readonly<Record<string, unknown>>;
}

interface Stored extends Kept {
  /** Other users of this browser do not see the conversation. */
  readonly userId: number;
}

export function keep(userId: number, kept: Kept): void {
  const stored: Stored = { userId, parameters: kept.parameters, turns: lighten(kept.turns) };
  writeJson(storageKey, stored);
}

export function findKept(userId: number): Kept {
  const stored = readJson(storageKey) as Partial<Stored> | null | undefined;
  if (stored?.userId !== userId) return { turns: [], parameters: {} };
  const turns = Array.isArray(stored.turns) ? stored.turns.filter(isTurn) : [];
  return { turns: turns.map(settle), parameters: stored.parameters ?? {} };
}

/** The newest pictures; older ones are let go. */
function lighten(turns: readonly Turn[]): readonly Turn[] {
  let left = mostPictures;
  return turns
    .toReversed()
    .map((turn) => {
      if (turn.kind !== 'question' || turn.pictures.length === 0) return turn;
      const pictures = turn.pictures.filter((picture) => (left -= picture.length) >= 0);
      return { ...turn, pictures };
    })
    .toReversed();
}

/** The page was left while an answer came: what was there is all there is. */
const settle = (turn: Turn): Turn =>
  turn.kind === 'answer' && isRunning(turn) ? { ...turn, state: 'complete', cut: 'stopped' } : turn;

function isTurn(value: unknown): value is Turn {
  if (typeof value !== 'object' || value === null) return false;
  const turn = value as Record<string, unknown>;
  if (typeof turn.id !== 'string') return false;
  if (turn.kind === 'divider') return true;
  if (typeof turn.text !== 'string') return false;
  if (turn.kind === 'question') return Array.isArray(turn.pictures);
  return turn.kind === 'answer' && typeof turn.reasoning === 'string' && typeof turn.state === 'string';
}
