import type { Output } from './outputs.js';

/** An entry of the conversation: a message, a response, or a divider where the context was cleared. */
export type Turn = Question | Answer | Divider;

export interface Question {
  readonly kind: 'question';
  readonly id: string;
  readonly text: string;
  /** `data:` URLs. */
  readonly images: readonly string[];
  /** A recording to transcribe. Its file is lost when the page is closed. */
  readonly recording?: { readonly name: string; readonly file?: File } | undefined;
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
  /** `loading` until the first text, `incomplete` while streaming. */
  readonly state: 'loading' | 'incomplete' | 'complete' | 'error';
  /** The error message. */
  readonly error: string;
  /** Why the response was cut off. */
  readonly cut: 'stopped' | 'length' | null;
  /** Seconds from sending the request to the end of the response; null while it runs. */
  readonly seconds: number | null;
  /** The bill; null when it is unknown, or not known yet. */
  readonly bill: Bill | null;
  /** Seconds to the first text of a stream; null when there was none. */
  readonly firstSeconds?: number | null;
  /** Images, audio and other results of a model that does not chat. Absent for chat models. */
  readonly outputs?: readonly Output[];
  /** Media are not kept when the page is closed. */
  readonly isMediaLost?: true;
  /** How far a video is, in percent. */
  readonly progress?: number;
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
  const said = turns.slice(since).flatMap((turn, index, all): ChatMessage[] => {
    const answer = all[index + 1];
    // Prompts of images and the like are no part of a chat.
    if (turn.kind === 'question' && answer?.kind === 'answer' && answer.outputs) return [];
    if (turn.kind === 'answer' && turn.outputs) return [];
    if (turn.kind === 'question') return [{ role: 'user', content: contentOf(turn) }];
    if (turn.kind === 'answer' && turn.state === 'complete' && turn.text !== '') {
      return [{ role: 'assistant', content: turn.text }];
    }
    return [];
  });
  return systemPrompt.trim() === '' ? said : [{ role: 'system', content: systemPrompt }, ...said];
}

function contentOf({ text, images }: Question): ChatMessage['content'] {
  if (images.length === 0) return text;
  const shown = images.map((url): ContentPart => ({ type: 'image_url', image_url: { url } }));
  return text === '' ? shown : [{ type: 'text', text }, ...shown];
}

/** All turns before a message. */
export const before = (turns: readonly Turn[], id: string): readonly Turn[] =>
  turns.slice(
    0,
    turns.findIndex((turn) => turn.id === id),
  );

/** The message that a response answers. */
export function questionOf(turns: readonly Turn[], answerId: string): Question | null {
  const at = turns.findIndex(({ id }) => id === answerId);
  const question = turns.slice(0, at).findLast(({ kind }) => kind === 'question');
  return question?.kind === 'question' ? question : null;
}

/** Removes a response together with its message: half a pair would confuse the model. */
export function withoutPair(turns: readonly Turn[], answerId: string): readonly Turn[] {
  const question = questionOf(turns, answerId);
  return turns.filter(({ id }) => id !== answerId && id !== question?.id);
}

/**
 * Some open models write their reasoning at the beginning of the response, between `<think>` tags.
 * @returns reasoning and text; an unclosed tag is all reasoning
 */
export function splitReasoning(text: string): { readonly reasoning: string; readonly text: string } {
  const opened = /^\s*<think>/.exec(text);
  if (!opened) return { reasoning: '', text };
  const inside = text.slice(opened[0].length);
  const end = inside.indexOf('</think>');
  if (end < 0) return { reasoning: inside.trim(), text: '' };
  return { reasoning: inside.slice(0, end).trim(), text: inside.slice(end + '</think>'.length).trimStart() };
}
