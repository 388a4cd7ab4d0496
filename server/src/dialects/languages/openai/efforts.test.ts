import { clients } from '../../../../../tests/support/relay-dialects.js';
import { responsesProvider } from '../responses/responses-write.js';
import { chatProvider } from './chat-write.js';

const messages = [{ role: 'user', content: 'hi' }];
const asked = (model: string, effort: string) =>
  clients['anthropic-messages'].parse({ body: { messages, output_config: { effort } }, model });

describe('an effort of another dialect is one that the model takes, because it refuses any other', () => {
  it.each([
    ['gpt-5', 'xhigh', 'high'],
    ['gpt-5', 'none', 'minimal'],
    ['gpt-5-mini-2025-08-07', 'max', 'high'],
    ['gpt-5-pro', 'low', 'high'],
    ['gpt-5-codex', 'minimal', 'low'],
    ['gpt-5.1', 'minimal', 'low'],
    ['gpt-5.1-codex-max', 'max', 'xhigh'],
    ['gpt-5.2', 'xhigh', 'xhigh'],
    ['gpt-5.4-pro', 'low', 'medium'],
    ['gpt-6-sol', 'minimal', 'low'],
    ['openai/o3', 'max', 'high'],
    ['gpt-oss-120b', 'xhigh', 'high'],
    ['mistral-medium-latest', 'medium', 'high'],
    ['kimi-k3', 'xhigh', 'max'],
    ['grok-3-mini', 'medium', 'high'],
    ['grok-4.3', 'max', 'high'],
    ['grok-4.5', 'none', 'low'],
    ['x-ai/grok-4.6', 'max', 'xhigh'],
    ['some-model', 'minimal', 'minimal'],
    ['some-model', 'max', 'xhigh'],
  ])('%s: %s is %s', (model, effort, sent) => {
    expect(chatProvider().write(asked(model, effort)).body['reasoning_effort']).toBe(sent);
    expect(responsesProvider.write(asked(model, effort)).body['reasoning']).toEqual({ effort: sent });
  });

  it.each(['gpt-4.1', 'openai/gpt-4o', 'gpt-5.2-chat-latest', 'chat-latest'])('%s takes none', (model) => {
    for (const provider of [chatProvider(), responsesProvider]) {
      const { body, dropped } = provider.write(asked(model, 'high'));
      expect(body).not.toHaveProperty('reasoning_effort');
      expect(body).not.toHaveProperty('reasoning');
      expect(dropped).toEqual(['thinking']);
    }
  });
});
