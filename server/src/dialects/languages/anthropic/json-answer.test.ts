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

  const limited = {
    type: 'object',
    properties: {
      age: { type: 'integer', description: 'In years', minimum: 0, maximum: 150 },
      tags: { type: 'array', items: { type: 'string', maxLength: 20 }, minItems: 1, maxItems: 5 },
      minimum: { type: 'string', format: 'date' },
      code: { oneOf: [{ type: 'string', format: 'isbn' }, { type: 'null' }] },
    },
    required: ['age'],
    additionalProperties: true,
  };
  const described = {
    type: 'object',
    properties: {
      age: { type: 'integer', description: 'In years (minimum: 0, maximum: 150)' },
      tags: {
        type: 'array',
        items: { type: 'string', description: 'maxLength: 20' },
        minItems: 1,
        description: 'maxItems: 5',
      },
      minimum: { type: 'string', format: 'date' },
      code: { anyOf: [{ type: 'string', description: 'format: "isbn"' }, { type: 'null' }] },
    },
    required: ['age'],
    additionalProperties: false,
  };

  it('has limits that Claude refuses in the descriptions', () => {
    const given = { response_format: { type: 'json_schema', json_schema: { name: 'o', schema: limited } } };
    expect(write(given).body['output_config']).toEqual({ format: { type: 'json_schema', schema: described } });
  });

  it('is held to the same rules in a strict tool, and to none in others', () => {
    const tool = (strict: boolean): Json => ({
      tools: [{ type: 'function', function: { name: 'f', parameters: limited, strict } }],
    });
    expect(write(tool(true)).body['tools']).toEqual([{ name: 'f', strict: true, input_schema: described }]);
    expect(write(tool(false)).body['tools']).toEqual([{ name: 'f', input_schema: limited }]);
  });

  it('has a prototype as a field', () => {
    const text =
      '{"type":"object","__proto__":{"description":"x","items":{}},"properties":{"__proto__":{"type":"string"}}';
    const given = {
      response_format: { type: 'json_schema', json_schema: { name: 'o', schema: JSON.parse(`${text}}`) as Json } },
    };
    expect(JSON.stringify(write(given).body['output_config'])).toBe(
      `{"format":{"type":"json_schema","schema":${text},"additionalProperties":false}}}`,
    );
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
