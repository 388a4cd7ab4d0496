import type { ClientCodec } from '../../neutral/codec.js';
import { toResponse } from './responses-answer.js';
import { parseResponsesRequest } from './responses-parse.js';
import { ResponsesStreamWriter } from './responses-stream-writer.js';

/** The codec of Responses for clients. */
export const responsesClient: ClientCodec = {
  dialect: 'openai-responses',
  parse: parseResponsesRequest,
  toAnswer: toResponse,
  openWriter: (context) => new ResponsesStreamWriter(context),
};
