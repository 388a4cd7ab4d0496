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
  /** The call has begun; its row in the log has this id. Null: the server named none. */
  begun(requestId: string | null): void;
  words(text: string): void;
  thoughts(text: string): void;
  /** Why the model stopped, in its own word: `stop`, `length` … */
  finished(reason: string): void;
}

/** The call was refused or broke off. */
export class ChatFailure extends Error {
  constructor(
    /** The server's words; empty when it sent none. */
    message: string,
    /** Of the answer; null when the stream itself broke. */
    readonly status: number | null,
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
    const response = await fetch('/pg/chat/completions', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'Veloera-User': String(userId) },
      credentials: 'same-origin',
      body: JSON.stringify(payload),
      signal,
    });
    if (!response.ok || !response.body) throw await refusalOf(response);
    listener.begun(response.headers.get('x-oneapi-request-id'));
    const events = new EventReader();
    const reader = response.body.getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) throw new ChatFailure('', null);
      for (const data of events.read(value)) {
        if (data === '[DONE]') return;
        tell(listener, data);
      }
    }
  };

/** Bytes of an event stream, wherever the network cuts them, as the `data` of whole events. */
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
  readonly error?: { readonly message?: unknown };
  readonly choices?: readonly {
    readonly delta?: { readonly content?: unknown; readonly reasoning_content?: unknown; readonly reasoning?: unknown };
    readonly finish_reason?: unknown;
  }[];
}

function tell(listener: ChatListener, data: string): void {
  const chunk = parse(data);
  if (!chunk) return;
  if (chunk.error) throw new ChatFailure(textOf(chunk.error.message), null);
  const choice = chunk.choices?.[0];
  const thought = textOf(choice?.delta?.reasoning_content) || textOf(choice?.delta?.reasoning);
  const words = textOf(choice?.delta?.content);
  if (thought) listener.thoughts(thought);
  if (words) listener.words(words);
  if (typeof choice?.finish_reason === 'string') listener.finished(choice.finish_reason);
}

async function refusalOf(response: Response): Promise<ChatFailure> {
  const body = parse(await response.text().catch(() => ''));
  return new ChatFailure(textOf(body?.error?.message), response.status);
}

function parse(text: string): Chunk | null {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === 'object' ? parsed : null;
  } catch {
    return null; // a comment or another page's words
  }
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
