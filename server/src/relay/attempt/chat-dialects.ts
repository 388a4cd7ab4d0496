import type { Adapter, ChatAnswer, ChatCapability } from '../adapter.js';
import type { Usage } from '../usage.js';
import type { AnswerContext, ClientCodec, ProviderCodec } from '../neutral/codec.js';
import { parseJson } from '../neutral/fields.js';
import { toEvents } from '../neutral/replay.js';
import { messagesClient } from '../protocols/anthropic/messages-client.js';
import { messagesProvider } from '../protocols/anthropic/messages-write.js';
import { defaultClaudeSettings } from '../protocols/anthropic/claude-settings.js';
import { geminiClient } from '../protocols/gemini/gemini-client.js';
import { defaultGeminiSettings } from '../protocols/gemini/gemini-settings.js';
import { geminiProvider } from '../protocols/gemini/gemini-write.js';
import { chatClient } from '../protocols/openai/chat-client.js';
import { answerAsChunk, dataEvent, doneEvent, usageChunk } from '../protocols/openai/chunks.js';
import { responsesClient } from '../protocols/responses/responses-client.js';
import { responsesProvider } from '../protocols/responses/responses-write.js';
import { relayedChat, translated } from './translation.js';

/** What the relay has to know of the dialect a chat client speaks. */
export interface ChatDialect {
  /** What a provider offers that speaks the dialect itself. */
  native(adapter: Adapter): ChatCapability | undefined;
  /** Null: only providers that speak the dialect themselves can serve it. */
  readonly client: ClientCodec | null;
  /**
   * Comment lines between events do no harm. Google's client fails on them
   * (docs/reference/relay/streaming.md#keep-alive).
   */
  readonly takesComments: boolean;
  /**
   * An answer of one piece as the stream the client asked for, but for what it cost.
   * @throws UpstreamError, AppError UPSTREAM_INVALID_RESPONSE when there is nothing to be told of it
   */
  replay(answer: ChatAnswer, context: AnswerContext): (usage: Usage) => string;
}

export const openAIChat: ChatDialect = {
  native: (adapter) => adapter.chat,
  client: chatClient,
  takesComments: true,
  replay(answer, { includeUsage }) {
    const whole = JSON.parse(answer.body.toString('utf8')) as Record<string, unknown>;
    const chunk = answerAsChunk(whole);
    return (usage) => chunk + (includeUsage ? usageOf(whole, usage) : '') + doneEvent;
  },
};

/** The provider's own usage object with everything it says; ours when there is none. */
function usageOf(answer: Record<string, unknown>, counted: Usage): string {
  if (typeof answer['usage'] !== 'object' || answer['usage'] === null) return usageChunk(answer, counted);
  const { id, created, model, usage } = answer;
  return dataEvent({ id, object: 'chat.completion.chunk', created, model, choices: [], usage });
}

/** Completions of a prompt: nobody translates them, they are OpenAI's past. */
export const textCompletions: ChatDialect = {
  native: (adapter) => adapter.completions,
  client: null,
  takesComments: true,
  replay(answer) {
    const stream = dataEvent(JSON.parse(answer.body.toString('utf8')) as Record<string, unknown>) + doneEvent;
    return () => stream;
  },
};

export const messagesDialect: ChatDialect = {
  native: (adapter) => adapter.messages,
  client: messagesClient,
  takesComments: true,
  replay: replayBy(messagesClient, messagesProvider(defaultClaudeSettings)),
};

export const generateDialect: ChatDialect = {
  native: (adapter) => adapter.generate,
  client: geminiClient,
  takesComments: false,
  replay: replayBy(geminiClient, geminiProvider(defaultGeminiSettings)),
};

export const responsesDialect: ChatDialect = {
  native: (adapter) => adapter.responses,
  client: responsesClient,
  takesComments: true,
  replay: replayBy(responsesClient, responsesProvider),
};

function replayBy(client: ClientCodec, reader: ProviderCodec): ChatDialect['replay'] {
  return (answer, context) => {
    const writer = client.openWriter(context);
    const said = reader.read(parseJson(answer.body.toString('utf8')));
    const stream = writer.push(toEvents(said)) + writer.end();
    return (usage) => stream + writer.closing(usage);
  };
}

/**
 * How a provider serves a client of this dialect: in the dialect itself, through the neutral form, or through its chat
 * completions. @returns null when it does not chat at all
 */
export function chatCapability(
  adapter: Adapter | undefined,
  dialect: ChatDialect,
  context: () => AnswerContext,
): ChatCapability | null {
  if (!adapter) return null;
  const native = dialect.native(adapter);
  if (native) return native;
  if (!dialect.client) return null;
  if (adapter.conversation) return translated(adapter.conversation, dialect.client, context());
  return adapter.chat ? relayedChat(adapter.chat, dialect.client, context()) : null;
}
