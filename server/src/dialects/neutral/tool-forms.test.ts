import { chatClient } from '../languages/openai/chat-client.js';
import { flattenTools, withToolForms } from './tool-forms.js';
import { noUsage } from '../../shared/usage.js';

describe('a custom tool whose name the provider would refuse, at a provider that has such tools', () => {
  const name = 'mcp__workspace__'.padEnd(90, 'x');
  const body = {
    model: 'm',
    messages: [{ role: 'user', content: 'hi' }],
    tools: [{ type: 'custom', custom: { name } }],
  };
  const taker = { dialect: 'openai-responses', customTools: true } as const;
  const { request, forms } = flattenTools(chatClient.parse({ body, model: 'm' }), taker);
  const [sent] = request.tools;
  const sentName = sent?.name ?? '';
  const client = withToolForms(chatClient, () => forms);
  const context = { id: 'i', created: 1, model: 'm', promptTokens: 1, includeUsage: false, body };

  it('is sent under a short name', () => {
    expect(sent?.kind).toBe('custom');
    expect(sentName.length).toBeLessThanOrEqual(64);
  });

  it('has its own name again in a response', () => {
    const part = {
      kind: 'toolCall',
      id: 'c',
      name: sentName,
      arguments: '{"input":"as it is"}',
      custom: true,
    } as const;
    const answer = { id: 'i', model: 'm', choices: [{ index: 0, parts: [part], finish: null }], usage: null };
    const shown = JSON.stringify(client.toAnswer(answer, context));
    expect(shown).toContain(JSON.stringify({ name, input: '{"input":"as it is"}' }));
  });

  it('has its own name again in a stream', () => {
    const writer = client.openWriter(context);
    const start = { kind: 'toolStart', choice: 0, index: 0, id: 'c', name: sentName, custom: true } as const;
    const delta = { kind: 'toolDelta', choice: 0, index: 0, text: 'patch' } as const;
    const told = writer.push([start, delta]) + writer.end() + writer.closing(noUsage);
    expect(told).toContain(name);
    expect(told).not.toContain(sentName);
    expect(told).toContain('"input":"patch"');
  });
});
