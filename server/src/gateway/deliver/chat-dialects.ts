import type { ChatAnswer, ChatCapability } from '../../dialects/contract.js';
import type { AnswerContext, ClientCodec, StreamEnding, StreamReader } from '../../dialects/neutral/codec.js';
import { parseExact } from '../../shared/exact-json.js';
import { asFields, asText, type Fields } from '../../dialects/neutral/fields.js';
import { messagesClient } from '../../dialects/languages/anthropic/messages-client.js';
import { MessagesEnding } from '../../dialects/languages/anthropic/messages-ending.js';
import { replayedMessage } from '../../dialects/languages/anthropic/replayed-message.js';
import { MessagesStreamReader } from '../../dialects/languages/anthropic/messages-stream-reader.js';
import { geminiClient } from '../../dialects/languages/gemini/gemini-client.js';
import { GeminiEnding } from '../../dialects/languages/gemini/gemini-ending.js';
import { defaultGeminiSettings } from '../../dialects/languages/gemini/gemini-settings.js';
import { geminiProvider } from '../../dialects/languages/gemini/gemini-write.js';
import { InteractionEnding, replayedInteraction } from '../../dialects/languages/gemini/interaction-events.js';
import { replayedContents } from '../../dialects/languages/gemini/replayed-contents.js';
import { chatClient } from '../../dialects/languages/openai/chat-client.js';
import { chatEnding, completionsEnding } from '../../dialects/languages/openai/chunk-ending.js';
import { chatProvider } from '../../dialects/languages/openai/chat-write.js';
import { answerAsChunk, dataEvent, doneEvent, usageChunk } from '../../dialects/languages/openai/chunks.js';
import { replayedResponse } from '../../dialects/languages/responses/replayed-response.js';
import { responsesClient } from '../../dialects/languages/responses/responses-client.js';
import { ResponsesEnding } from '../../dialects/languages/responses/responses-ending.js';
import { fromResponsesUsage } from '../../dialects/languages/responses/responses-usage.js';
import { responsesProvider } from '../../dialects/languages/responses/responses-write.js';
import type { Usage } from '../../shared/usage.js';

/** Properties of the dialect that a chat client speaks. */
export interface ChatDialect {
  /** The capability of providers that speak the dialect natively. */
  readonly native:
    'chat' | 'completions' | 'fim' | 'messages' | 'generate' | 'interactions' | 'responses' | 'compaction';
  /** Adapts that capability. Absent when it is used unchanged. */
  readonly adapted?: (native: ChatCapability) => ChatCapability;
  /** Null when only providers that speak the dialect natively can serve it. */
  readonly client: ClientCodec | null;
  /** Opens a reader of a stream in the dialect. Null when there is no `client`. */
  readonly openReader: (() => StreamReader) | null;
  /** Opens a reader that can also end the stream. Absent when no call of the dialect is streamed. */
  readonly openEnding?: (context: AnswerContext) => StreamEnding;
  /** Finds the whole response in an event, for dialects whose streams repeat it in one of their events. */
  readonly wholeOf?: (event: Fields) => Fields | null;
  /**
   * Whether clients ignore comment lines between events. Google's client fails on them
   * (docs/reference/relay/streaming.md#keep-alive).
   */
  readonly takesComments: boolean;
  /** Returns a non-streaming response in the client's dialect as the stream that the client asked for, except for its usage. */
  replay(answer: ChatAnswer, context: AnswerContext): (usage: Usage) => string;
}

/** OpenAI's Chat Completions. */
export const openAIChat: ChatDialect = {
  native: 'chat',
  client: chatClient,
  openReader: () => chatProvider().openReader(),
  openEnding: ({ includeUsage }) => chatEnding(includeUsage),
  takesComments: true,
  replay(answer, { includeUsage }) {
    const whole = JSON.parse(answer.body.toString('utf8')) as Record<string, unknown>;
    const chunk = answerAsChunk(whole);
    return (usage) => chunk + (includeUsage ? usageOf(whole, usage) : '') + doneEvent;
  },
};

/** Returns the provider's complete usage object, or our own count if there is none. */
function usageOf(answer: Record<string, unknown>, counted: Usage): string {
  if (typeof answer['usage'] !== 'object' || answer['usage'] === null) return usageChunk(answer, counted);
  const { id, created, model, usage } = answer;
  return dataEvent({ id, object: 'chat.completion.chunk', created, model, choices: [], usage });
}

/** Legacy completions of a prompt. They have no translation. */
export const textCompletions: ChatDialect = {
  native: 'completions',
  client: null,
  openReader: null,
  openEnding: ({ includeUsage }) => completionsEnding(includeUsage),
  takesComments: true,
  replay(answer) {
    const stream = dataEvent(JSON.parse(answer.body.toString('utf8')) as Record<string, unknown>) + doneEvent;
    return () => stream;
  },
};

/** Completions between a prompt and a suffix, with the answers of chat completions. They have no translation. */
export const fimCompletions: ChatDialect = {
  native: 'fim',
  client: null,
  openReader: null,
  openEnding: ({ includeUsage }) => chatEnding(includeUsage),
  takesComments: true,
  replay: (answer, context) => openAIChat.replay(answer, context),
};

/** Anthropic's Messages. */
export const messagesDialect: ChatDialect = {
  native: 'messages',
  client: messagesClient,
  // A search without its pages would be no search of Anthropic.
  openReader: () => new MessagesStreamReader(false),
  openEnding: () => new MessagesEnding(),
  takesComments: true,
  replay: replayedMessage,
};

/** Gemini's `generateContent`. */
export const generateDialect: ChatDialect = {
  native: 'generate',
  client: geminiClient,
  openReader: () => geminiProvider(defaultGeminiSettings).openReader(),
  openEnding: () => new GeminiEnding(),
  takesComments: false,
  replay: replayedContents,
};

/** Google's Interactions. They have no translation. */
export const interactionsDialect: ChatDialect = {
  native: 'interactions',
  client: null,
  openReader: null,
  openEnding: () => new InteractionEnding(),
  takesComments: false,
  replay: replayedInteraction,
};

/** OpenAI's Responses. */
export const responsesDialect: ChatDialect = {
  native: 'responses',
  client: responsesClient,
  openReader: () => responsesProvider.openReader(),
  openEnding: (context) => new ResponsesEnding(context),
  wholeOf: ({ type, response }) =>
    type === 'response.completed' || type === 'response.incomplete' ? asFields(response) : null,
  takesComments: true,
  replay({ body, usage: reported }, { store }) {
    const response = asFields(parseExact(body.toString('utf8'))) ?? {};
    return (usage) => {
      const whole = reported ? response : { ...response, usage: fromResponsesUsage(usage) };
      store?.keep(asText(response['id']), whole);
      return replayedResponse(whole);
    };
  },
};
