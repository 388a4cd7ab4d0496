import type { StreamTransform } from '../../dialects/contract.js';
import { StreamWithModel, withModel } from './shown-model.js';

const id = '1318304912345678901';
const streamed = (text: string): string => {
  const inner = { push: (bytes: Buffer) => bytes, end: () => null } as unknown as StreamTransform;
  return String(new StreamWithModel(inner, 'alias').push(Buffer.from(text)));
};
const whole = (text: string): string => withModel(Buffer.from(text), 'alias').toString();

it.each([
  ['{"model":"m","a":1}', '{"model":"alias","a":1}'],
  ['{"modelVersion":"m"}', '{"modelVersion":"alias"}'],
  [
    '{"type":"message_start","message":{"model":"m","id":"x"}}',
    '{"type":"message_start","message":{"model":"alias","id":"x"}}',
  ],
  ['{"response":{"id":"x","model":"m"}}', '{"response":{"id":"x","model":"alias"}}'],
  ['{"a":{"model":"m"}}', '{"a":{"model":"m"}}'],
  // Ids of 64 bits, which parsing would round.
  [`{"model":"m","input":{"id":${id}}}`, `{"model":"alias","input":{"id":${id}}}`],
  [`{"modelVersion":"m","args":[${id}]}`, `{"modelVersion":"alias","args":[${id}]}`],
  [`{"response":{"id":${id},"model":"m"}}`, `{"response":{"id":${id},"model":"alias"}}`],
])('names the model that was asked for: %s', (given, expected) => {
  expect(whole(given)).toBe(expected);
  expect(streamed(`event: x\ndata: ${given}\n\ndata: [DONE]\n\n`)).toBe(
    `event: x\ndata: ${expected}\n\ndata: [DONE]\n\n`,
  );
});

it.each(['\u2028', '\u2029', '\r', '\\n'])('also where a text has %j', (letter) => {
  const event = (model: string) => `data: {"model":"${model}","content":"a${letter}b"}\n\n`;
  expect(streamed(event('m') + event('m'))).toBe(letter === '\r' ? event('m') + event('m') : event('alias').repeat(2));
});

it('keeps line ends of CRLF', () => {
  expect(streamed('data: {"model":"m"}\r\n\r\ndata: {"model":"m"}')).toBe(
    'data: {"model":"alias"}\r\n\r\ndata: {"model":"alias"}',
  );
});
