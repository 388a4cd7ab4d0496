import {
  bodyOf,
  expectSubset,
  fixture,
  Heard,
  payloads,
  play,
  sse,
  targetFor,
  type Json,
} from '../../../../../tests/support/relay-dialects.js';
import type { ChatRequest } from '../../contract.js';
import type { Target } from '../../target.js';
import { deploymentRules } from './chat-body.js';
import { openAICompatible } from './openai-compatible.js';

const { responses } = openAICompatible({ responses: true });
if (!responses) throw new Error('not offered');

const request = (body: Json): ChatRequest => ({
  path: '/v1/responses',
  body,
  rawBody: Buffer.from(JSON.stringify(body)),
  stream: body['stream'] === true,
  wantsUsage: false,
});
const target = (upstreamModel: string, more: Partial<Target> = {}): Target =>
  targetFor({ type: 1, upstreamModel, requestedModel: upstreamModel, ...more });

describe('a Responses call at OpenAI', () => {
  it('sends the expected request', () => {
    const given = fixture('openai', 'F16-responses-stream');
    const asked = request(given.in.body);
    const upstream = responses.toUpstreamRequest(asked, target('gpt-4o'));
    expectSubset({ ...upstream, body: bodyOf(upstream) }, given.up ?? {});
    expect(upstream.body).toBe(asked.rawBody);
    const transform = responses.openStream(asked, target('gpt-4o'), new Heard());
    expectSubset(payloads(play(transform, sse(given.us ?? [], true))), given.os);
    expect(transform.usage()).toMatchObject({ promptTokens: 3, completionTokens: 1 });
  });

  it('takes an effort from the name, unless the name is a deployment that the channel lists', () => {
    const asked = request({ model: 'o3-high', input: 'hi', reasoning: { summary: 'auto' } });
    const listed = target('o3-high', { models: ['o3-high'] });
    const upstream = responses.toUpstreamRequest(asked, listed);
    expect(upstream).toMatchObject({ upstreamModel: 'o3', reasoningEffort: 'high' });
    expect(bodyOf(upstream)).toEqual({ model: 'o3', input: 'hi', reasoning: { summary: 'auto', effort: 'high' } });
    const deployments = openAICompatible({ responses: true, rules: deploymentRules }).responses;
    expect(deployments?.toUpstreamRequest(asked, listed).body).toBe(asked.rawBody);
  });

  it('gets the mapped model and what the channel overrides, and nothing else', () => {
    const asked = request({ model: 'alias', input: 'hi', temperature: 0, store: false, future_field: { a: 1 } });
    expect(
      bodyOf(
        responses.toUpstreamRequest(
          asked,
          target('gpt-4o', { override: { fields: { service_tier: 'flex' }, operations: [] } }),
        ),
      ),
    ).toEqual({
      model: 'gpt-4o',
      input: 'hi',
      temperature: 0,
      store: false,
      future_field: { a: 1 },
      service_tier: 'flex',
    });
  });

  it('keeps the bytes of its answer, whatever became of it', () => {
    const answer = {
      id: 'r',
      status: 'incomplete',
      incomplete_details: { reason: 'max_output_tokens' },
      output: [{ type: 'message', content: [{ type: 'output_text', text: 'Hel' }] }],
      usage: {
        input_tokens: 5,
        output_tokens: 6,
        input_tokens_details: { cached_tokens: 2 },
        output_tokens_details: { reasoning_tokens: 4 },
      },
    };
    const body = Buffer.from(JSON.stringify(answer));
    const given = responses.fromUpstreamResponse(body, target('gpt-4o'));
    expect(given.body).toBe(body);
    expect(given.usage).toMatchObject({ promptTokens: 5, cachedTokens: 2, completionTokens: 6, reasoningTokens: 4 });
    const heard = new Heard();
    given.report(heard);
    expect(heard.said).toBe('Hel');
    const failed = Buffer.from('{"status":"failed","error":{"code":"server_error","message":"broken"},"output":[]}');
    expect(() => responses.fromUpstreamResponse(failed, target('gpt-4o'))).toThrow('broken');
  });
});
