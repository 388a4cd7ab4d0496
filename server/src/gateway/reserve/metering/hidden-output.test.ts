import { mayHideOutput } from './hidden-output.js';

describe('a call may hide output', () => {
  it.each<[model: string, body: Record<string, unknown>]>([
    ['gpt-5', {}],
    ['some-new-model', {}],
    ['claude-fable-5', {}],
    ['claude-mythos-5-1', {}],
    ['claude-opus-5-5', {}],
    ['claude-sonnet-4-5-thinking', {}],
    ['claude-sonnet-4-5', { thinking: { type: 'enabled', budget_tokens: 2000 } }],
    ['claude-sonnet-4-5', { tools: [{ type: 'web_search_20250305', name: 'web_search' }] }],
    ['gemini-2.0-flash', { tools: [{ googleSearch: {} }] }],
    ['sonar-deep-research', {}],
    ['gpt-4o', { prediction: { type: 'content', content: 'the file as it was' } }],
  ])('%s with %j', (model, body) => {
    expect(mayHideOutput(model, body)).toBe(true);
  });

  it.each(['gpt-4o', 'claude-sonnet-4-5', 'claude-opus-5', 'anthropic/claude-haiku-5-5', 'deepseek-chat'])(
    'not of %s unless it is asked to',
    (model) => {
      expect(mayHideOutput(model, {})).toBe(false);
    },
  );
});
