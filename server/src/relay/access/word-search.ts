/** Up to this many words the engine's own search is faster than one pass of ours. */
const fewWords = 16;

interface State {
  readonly next: Map<number, State>;
  fallback: State | null;
  /** The word that ends here, or in the state one falls back to. */
  word: string | null;
}

const emptyState = (): State => ({ next: new Map(), fallback: null, word: null });

/** Finds any of many words in one pass over a text (Aho and Corasick): time grows with the text, not with the list. */
export class WordSearch {
  private readonly words: readonly string[];
  private readonly root: State | null;

  /** @param words in lower case, as the texts will be */
  constructor(words: readonly string[]) {
    this.words = [...new Set(words)].filter((word) => word !== '');
    this.root = this.words.length > fewWords ? build(this.words) : null;
  }

  /** @returns a word of the list that stands in the text, null when none does */
  find(text: string): string | null {
    if (!this.root) return this.words.find((word) => text.includes(word)) ?? null;
    let state = this.root;
    for (let at = 0; at < text.length; at++) {
      state = step(state, text.charCodeAt(at), this.root);
      if (state.word !== null) return state.word;
    }
    return null;
  }
}

function step(from: State, code: number, root: State): State {
  for (let state: State | null = from; state; state = state.fallback) {
    const next = state.next.get(code);
    if (next) return next;
  }
  return root;
}

function build(words: readonly string[]): State {
  const root = emptyState();
  for (const word of words) {
    let state = root;
    for (let at = 0; at < word.length; at++) {
      const code = word.charCodeAt(at);
      let next = state.next.get(code);
      if (!next) state.next.set(code, (next = emptyState()));
      state = next;
    }
    state.word = word;
  }
  // Level by level, so that what a state falls back to is complete before it.
  let level: State[] = [root];
  while (level.length > 0) {
    const below: State[] = [];
    for (const state of level) {
      for (const [code, next] of state.next) {
        next.fallback = state.fallback ? step(state.fallback, code, root) : root;
        next.word ??= next.fallback.word;
        below.push(next);
      }
    }
    level = below;
  }
  return root;
}
