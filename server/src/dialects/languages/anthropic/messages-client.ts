import type { ClientCodec } from '../../neutral/codec.js';
import { toMessage } from './messages-answer.js';
import { parseMessagesRequest } from './messages-parse.js';
import { MessagesStreamWriter } from './messages-stream-writer.js';

/** The codec of Messages for clients. */
export const messagesClient: ClientCodec = {
  dialect: 'anthropic-messages',
  parse: parseMessagesRequest,
  toAnswer: toMessage,
  openWriter: (context) => new MessagesStreamWriter(context),
};
