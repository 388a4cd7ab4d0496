import { readJson, writeJson } from '../../lib/storage.js';
import { isRunning, type Turn } from './turns.js';

/** Local storage key of the conversation and its parameters. API keys are never stored. */
const storageKey = 'playground';

/** Maximum characters of stored images: browsers allow about five million in total. */
const maxImageCharacters = 2_000_000;

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

/** Drops the oldest images beyond the limit. */
function lighten(turns: readonly Turn[]): readonly Turn[] {
  let left = maxImageCharacters;
  return turns
    .toReversed()
    .map((turn) => {
      if (turn.kind !== 'question' || turn.images.length === 0) return turn;
      const images = turn.images.filter((image) => (left -= image.length) >= 0);
      return { ...turn, images };
    })
    .toReversed();
}

/** Marks a response as stopped if the page was closed while it streamed. */
const settle = (turn: Turn): Turn =>
  turn.kind === 'answer' && isRunning(turn) ? { ...turn, state: 'complete', cut: 'stopped' } : turn;

function isTurn(value: unknown): value is Turn {
  if (typeof value !== 'object' || value === null) return false;
  const turn = value as Record<string, unknown>;
  if (typeof turn.id !== 'string') return false;
  if (turn.kind === 'divider') return true;
  if (typeof turn.text !== 'string') return false;
  if (turn.kind === 'question') return Array.isArray(turn.images);
  return turn.kind === 'answer' && typeof turn.reasoning === 'string' && typeof turn.state === 'string';
}
