import { sitePath } from '../../lib/basePath.js';
import type { ChatMessage } from './turns.js';

/** The body of `POST /pg/chat/completions`. */
export interface ChatPayload {
  readonly messages: readonly ChatMessage[];
  readonly stream: true;
  readonly model: string;
  readonly group: string;
  readonly temperature: number;
  readonly max_tokens?: number;
  readonly top_p?: number;
  readonly frequency_penalty?: number;
  readonly presence_penalty?: number;
}

/** Receives the events of a streamed response. */
export interface ChatListener {
  /** The call has started. `requestId` identifies its log row; null when the server sent none. */
  started(requestId: string | null): void;
  text(text: string): void;
  reasoning(text: string): void;
  /** The finish reason: `stop`, `length` … */
  finished(reason: string): void;
}

/** The call was refused or interrupted. */
export class ChatFailure extends Error {
  constructor(
    /** The server's message; empty when it sent none. */
    message: string,
    /** HTTP status; null when the stream failed. */
    readonly status: number | null,
    /** The code of the error; empty when it has none. */
    readonly code = '',
  ) {
    super(message);
  }
}

export type OpenChat = (payload: ChatPayload, listener: ChatListener, signal: AbortSignal) => Promise<void>;

/**
 * Calls the model with the user's session. Resolves when the stream ends.
 * @throws ChatFailure for error responses; the error of `fetch` when the server is unreachable or `signal` aborts
 */
export const openChat =
  (userId: number): OpenChat =>
  async (payload, listener, signal) => {
    const response = await fetch(sitePath('/pg/chat/completions'), {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'Veloera-User': String(userId) },
      credentials: 'same-origin',
      body: JSON.stringify(payload),
      signal,
    });
    if (!response.ok || !response.body) throw await refusalOf(response);
    listener.started(response.headers.get('x-oneapi-request-id'));
    const events = new EventReader();
    const reader = response.body.getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) throw new ChatFailure('', null);
      for (const data of events.read(value)) {
        if (data === '[DONE]') return;
        dispatch(listener, data);
      }
    }
  };

/** Milliseconds before a broken stream is requested again. */
const reconnectAfter = 3000;
/** Each request is a call that may be charged, so their number is limited. */
const maxReconnects = 3;

/**
 * Requests a stream again that broke before its end. `started` is called for each request, and its text begins anew. A refusal is
 * final.
 * @param isWanted whether the user has turned this on
 */
export const reconnecting =
  (open: OpenChat, isWanted: () => boolean): OpenChat =>
  async (payload, listener, signal) => {
    for (let attempt = 0; ; attempt++) {
      try {
        return await open(payload, listener, signal);
      } catch (error) {
        const isBroken = !(error instanceof ChatFailure) || (error.status === null && error.message === '');
        if (!isBroken || !isWanted() || attempt === maxReconnects) throw error;
        await pause(reconnectAfter, signal);
        if (signal.aborted) throw error;
      }
    }
  };

/** Ends early when the signal aborts. */
export const pause = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
    if (signal.aborted) resolve();
  });

/** Splits the chunks of an event stream into the `data` of complete events. */
export class EventReader {
  private readonly decoder = new TextDecoder();
  private rest = '';

  read(bytes: Uint8Array): string[] {
    const events = (this.rest + this.decoder.decode(bytes, { stream: true })).split(/\r?\n\r?\n/);
    this.rest = events.pop() ?? '';
    return events
      .map((event) =>
        event
          .split(/\r?\n/)
          .filter((line) => line.startsWith('data:'))
          .map((line) => line.slice(5).trimStart())
          .join('\n'),
      )
      .filter((data) => data !== '');
  }
}

interface Chunk {
  readonly error?: { readonly message?: unknown; readonly code?: unknown };
  readonly choices?: readonly {
    readonly delta?: { readonly content?: unknown; readonly reasoning_content?: unknown; readonly reasoning?: unknown };
    readonly finish_reason?: unknown;
  }[];
}

function dispatch(listener: ChatListener, data: string): void {
  const chunk = parse(data);
  if (!chunk) return;
  if (chunk.error) throw new ChatFailure(textOf(chunk.error.message), null);
  const choice = chunk.choices?.[0];
  const reasoning = textOf(choice?.delta?.reasoning_content) || textOf(choice?.delta?.reasoning);
  const text = textOf(choice?.delta?.content);
  if (reasoning) listener.reasoning(reasoning);
  if (text) listener.text(text);
  if (typeof choice?.finish_reason === 'string') listener.finished(choice.finish_reason);
}

/** Reads the error of a refused call. */
export async function refusalOf(response: Response): Promise<ChatFailure> {
  const body = parse(await response.text().catch(() => ''));
  return new ChatFailure(textOf(body?.error?.message), response.status, textOf(body?.error?.code));
}

function parse(text: string): Chunk | null {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === 'object' ? parsed : null;
  } catch {
    return null; // The line is a comment, or is not JSON.
  }
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
