import type { ClientCodec } from '../../neutral/codec.js';
import { toChatAnswer } from './chat-answer.js';
import { parseChatRequest } from './chat-parse.js';
import { ChatStreamWriter } from './chat-stream-writer.js';

/** The codec of chat completions for clients. */
export const chatClient: ClientCodec = {
  dialect: 'openai-chat',
  parse: parseChatRequest,
  toAnswer: toChatAnswer,
  openWriter: (context) => new ChatStreamWriter(context),
};
