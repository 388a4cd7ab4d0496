import { readJson, writeJson } from '../../lib/storage.js';
import type { Output } from './outputs.js';
import { isRunning, type Answer, type Turn } from './turns.js';

/** Local storage key of the conversation and its parameters. API keys are never stored. */
const storageKey = 'playground';

/** Maximum characters of the stored images of each conversation: browsers allow about five million in total. */
const maxImageCharacters = 2_000_000;

export interface Kept {
  readonly turns: readonly Turn[];
  /** The conversation with the model that is compared. */
  readonly otherTurns: readonly Turn[];
  readonly parameters: Readonly<Record<string, unknown>>;
}

interface Stored extends Kept {
  /** Other users of this browser do not see the conversation. */
  readonly userId: number;
}

export function keep(userId: number, kept: Kept): void {
  const stored: Stored = {
    userId,
    parameters: kept.parameters,
    turns: lighten(kept.turns),
    otherTurns: lighten(kept.otherTurns),
  };
  writeJson(storageKey, stored);
}

export function findKept(userId: number): Kept {
  const stored = readJson(storageKey) as Partial<Stored> | null | undefined;
  if (stored?.userId !== userId) return { turns: [], otherTurns: [], parameters: {} };
  const turnsOf = (turns: unknown): readonly Turn[] => (Array.isArray(turns) ? turns.filter(isTurn).map(settle) : []);
  return {
    turns: turnsOf(stored.turns),
    otherTurns: turnsOf(stored.otherTurns),
    parameters: stored.parameters ?? {},
  };
}

/** Drops files and results that are too large to keep, and the oldest images beyond the limit. */
function lighten(turns: readonly Turn[]): readonly Turn[] {
  let left = maxImageCharacters;
  return turns
    .toReversed()
    .map((turn): Turn => {
      if (turn.kind === 'answer' && turn.outputs) return withoutMedia(turn, turn.outputs);
      if (turn.kind === 'question' && turn.recording) return { ...turn, recording: { name: turn.recording.name } };
      if (turn.kind !== 'question' || turn.images.length === 0) return turn;
      const images = turn.images.filter((image) => (left -= image.length) >= 0);
      return { ...turn, images };
    })
    .toReversed();
}

/** Media are large, or addresses that are valid only while the page is open. */
function withoutMedia(answer: Answer, outputs: readonly Output[]): Answer {
  const kept = outputs.filter(({ type }) => type === 'scores' || type === 'vector');
  return { ...answer, outputs: kept, ...(kept.length < outputs.length && { isMediaLost: true }) };
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
