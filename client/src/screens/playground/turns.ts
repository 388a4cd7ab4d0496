/** A conversation as it is shown and kept: what was asked, what was answered, and lines where the context was cleared. */
export type Turn = Question | Answer | Divider;

export interface Question {
  readonly kind: 'question';
  readonly id: string;
  readonly text: string;
  /** `data:` addresses. */
  readonly pictures: readonly string[];
}

export interface Bill {
  readonly quota: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
}

export interface Answer {
  readonly kind: 'answer';
  readonly id: string;
  readonly model: string;
  readonly text: string;
  /** The model's reasoning text. */
  readonly reasoning: string;
  /** `loading` until the first word, `incomplete` while words come. */
  readonly state: 'loading' | 'incomplete' | 'complete' | 'error';
  /** Why it is an error. */
  readonly error: string;
  /** Why it is shorter than the model would have made it. */
  readonly cut: 'stopped' | 'length' | null;
  /** From the sending of the question to the last word; null while it runs. */
  readonly seconds: number | null;
  /** Null: not known, or not yet. */
  readonly bill: Bill | null;
}

export interface Divider {
  readonly kind: 'divider';
  readonly id: string;
}

type ContentPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image_url'; readonly image_url: { readonly url: string } };

export interface ChatMessage {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string | readonly ContentPart[];
}

export const newId = (): string => Math.random().toString(36).slice(2, 12);

export const emptyAnswer = (model: string): Answer => ({
  kind: 'answer',
  id: newId(),
  model,
  text: '',
  reasoning: '',
  state: 'loading',
  error: '',
  cut: null,
  seconds: null,
  bill: null,
});

export const isRunning = (turn: Turn | undefined): boolean =>
  turn?.kind === 'answer' && (turn.state === 'loading' || turn.state === 'incomplete');

/** Messages to send: the system prompt and the turns since the context was cleared. Failed responses are left out. */
export function messagesOf(turns: readonly Turn[], systemPrompt: string): ChatMessage[] {
  const since = turns.findLastIndex(({ kind }) => kind === 'divider') + 1;
  const said = turns.slice(since).flatMap((turn): ChatMessage[] => {
    if (turn.kind === 'question') return [{ role: 'user', content: contentOf(turn) }];
    if (turn.kind === 'answer' && turn.state === 'complete' && turn.text !== '') {
      return [{ role: 'assistant', content: turn.text }];
    }
    return [];
  });
  return systemPrompt.trim() === '' ? said : [{ role: 'system', content: systemPrompt }, ...said];
}

function contentOf({ text, pictures }: Question): ChatMessage['content'] {
  if (pictures.length === 0) return text;
  const shown = pictures.map((url): ContentPart => ({ type: 'image_url', image_url: { url } }));
  return text === '' ? shown : [{ type: 'text', text }, ...shown];
}

/** Everything before a question; asking it again begins there. */
export const before = (turns: readonly Turn[], id: string): readonly Turn[] =>
  turns.slice(
    0,
    turns.findIndex((turn) => turn.id === id),
  );

/** The question that an answer belongs to. */
export function questionOf(turns: readonly Turn[], answerId: string): Question | null {
  const at = turns.findIndex(({ id }) => id === answerId);
  const question = turns.slice(0, at).findLast(({ kind }) => kind === 'question');
  return question?.kind === 'question' ? question : null;
}

/** Without an answer and the question it belongs to: half a pair would confuse the model. */
export function withoutPair(turns: readonly Turn[], answerId: string): readonly Turn[] {
  const question = questionOf(turns, answerId);
  return turns.filter(({ id }) => id !== answerId && id !== question?.id);
}

/**
 * Some open models write what they think into the answer, between `<think>` marks at its beginning.
 * @returns both apart; an unfinished thought is all thought
 */
export function splitThought(text: string): { readonly reasoning: string; readonly text: string } {
  const opened = /^\s*<think>/.exec(text);
  if (!opened) return { reasoning: '', text };
  const inside = text.slice(opened[0].length);
  const end = inside.indexOf('</think>');
  if (end < 0) return { reasoning: inside.trim(), text: '' };
  return { reasoning: inside.slice(0, end).trim(), text: inside.slice(end + '</think>'.length).trimStart() };
}
