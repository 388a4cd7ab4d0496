import { curlExample, exampleModel } from './TokenUsageDialog.js';

it('names a model that the user can call', () => {
  expect(exampleModel(['claude-sonnet-4-5', 'gpt-5'])).toBe('claude-sonnet-4-5');
  expect(exampleModel(['claude-sonnet-4-5', 'gpt-4o-mini'])).toBe('gpt-4o-mini');
  expect(exampleModel([])).toBe('gpt-4o-mini');
  expect(curlExample('https://gate.example', 'sk-1', 'gpt-5')).toContain('"model":"gpt-5"');
});
