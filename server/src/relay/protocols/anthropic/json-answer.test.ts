import { clients, type Json } from '../../../../../tests/support/relay-dialects.js';
import type { WrittenRequest } from '../../neutral/codec.js';
import { defaultClaudeSettings } from './claude-settings.js';
import { messagesProvider } from './messages-write.js';

const provider = messagesProvider(defaultClaudeSettings);
const write = (body: Json, model = 'claude-sonnet-4-5'): WrittenRequest =>
  provider.write(
    clients['openai-chat'].parse({ body: { messages: [{ role: 'user', content: 'hi' }], ...body }, model }),
  );

describe('an answer with a schema', () => {
  const schema = {
    type: 'object',
    properties: { a: { type: 'object', properties: { b: { type: 'string' } } } },
    required: ['a'],
  };
  const format = { type: 'json_schema', json_schema: { name: 'o', schema } };

  it('is asked for by the schema where the model knows schemas, with closed objects', () => {
    expect(write({ response_format: format }).body['output_config']).toEqual({
      format: {
        type: 'json_schema',
        schema: {
          ...schema,
          properties: { a: { type: 'object', properties: { b: { type: 'string' } }, additionalProperties: false } },
          additionalProperties: false,
        },
      },
    });
  });

  it('is asked for by a tool elsewhere, whose input is the answer', () => {
    const { body } = write({ response_format: format }, 'claude-3-5-haiku-20241022');
    const [answerTool] = body['tools'] as { name: string; input_schema: Json }[];
    expect(answerTool?.input_schema).toEqual(schema);
    expect(body['tool_choice']).toEqual({ type: 'tool', name: answerTool?.name });
    const answer = provider.read({
      id: 'm',
      model: 'c',
      content: [{ type: 'tool_use', id: 't', name: answerTool?.name, input: { a: { b: 'c' } } }],
      stop_reason: 'tool_use',
      usage: { input_tokens: 1, output_tokens: 1 },
    });
    expect(answer.choices).toEqual([{ index: 0, parts: [{ kind: 'text', text: '{"a":{"b":"c"}}' }], finish: 'stop' }]);
  });
});
