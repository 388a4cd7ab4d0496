import type { ClientCodec } from '../../neutral/codec.js';
import { toGeminiAnswer } from './gemini-answer.js';
import { parseGeminiRequest } from './gemini-parse.js';
import { GeminiStreamWriter } from './gemini-stream-writer.js';

/** The codec of `generateContent` for clients. */
export const geminiClient: ClientCodec = {
  dialect: 'gemini-generate',
  parse: parseGeminiRequest,
  toAnswer: toGeminiAnswer,
  openWriter: (context) => new GeminiStreamWriter(context),
};
