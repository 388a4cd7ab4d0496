import { fromFinishReason, toFinishReason } from './finish-reason.js';

it.each([
  ['MODEL_ARMOR', 'contentFilter'],
  ['insufficient_system_resource', 'length'],
  ['network_error', 'length'],
  ['a reason of tomorrow', 'stop'],
])('%s of a provider is %s', (name, reason) => {
  expect(toFinishReason(name)).toBe(reason);
});

it('a response that its provider cut off is not complete in any dialect', () => {
  const reason = toFinishReason('insufficient_system_resource');
  expect(fromFinishReason(reason, 'anthropic-messages')).toBe('max_tokens');
  expect(fromFinishReason(reason, 'openai-responses')).toBe('max_output_tokens');
  expect(fromFinishReason(reason, 'gemini-generate')).toBe('MAX_TOKENS');
});
