import { fromClaudeUsage, toClaudeUsage } from '../dialects/languages/anthropic/usage.js';
import { toOneShotUsage } from '../dialects/languages/openai/one-shot-usage.js';
import { fromGeminiUsage, searchesOf, toGeminiUsage } from '../dialects/languages/gemini/gemini-usage.js';
import { fromUsage, toUsage } from '../dialects/languages/openai/usage.js';
import { toResponsesUsage } from '../dialects/languages/responses/responses-usage.js';
import { builtInCard } from '../billing/prices/built-in-prices.js';
import { usdOf } from '../billing/prices/card-charge.js';
import { componentsOf, pricedUsage } from '../billing/prices/card-lines.js';
import type { Usage } from '../shared/usage.js';

const claude = {
  input_tokens: 10,
  cache_read_input_tokens: 200,
  cache_creation_input_tokens: 1000,
  cache_creation: { ephemeral_5m_input_tokens: 400, ephemeral_1h_input_tokens: 600 },
  output_tokens: 100,
  server_tool_use: { web_search_requests: 3 },
  service_tier: 'priority',
};
const chat = { prompt_tokens: 100, completion_tokens: 50, total_tokens: 150 };
const google = { promptTokenCount: 300, candidatesTokenCount: 1300 };

describe('quantities that providers report', () => {
  it.each<[what: string, usage: Usage | null, details: Usage['details']]>([
    [
      'Claude: cache writes by their time, searches, tier',
      toClaudeUsage(claude),
      { cacheWrite1hTokens: 600, webSearches: 3, when: { tier: 'priority' } },
    ],
    [
      'Claude: fast',
      toClaudeUsage({ ...claude, cache_creation: null, server_tool_use: null, speed: 'fast' }),
      { when: { tier: 'fast' } },
    ],
    [
      'Claude: in the US',
      toClaudeUsage({ input_tokens: 1, output_tokens: 1, service_tier: 'standard', inference_geo: 'us' }),
      { when: { region: 'us' } },
    ],
    [
      'Claude: fast, in the US',
      toClaudeUsage({ input_tokens: 1, output_tokens: 1, speed: 'fast', inference_geo: 'us' }),
      { when: { tier: 'fast', region: 'us' } },
    ],
    [
      'Claude: several rounds',
      toClaudeUsage({
        input_tokens: 1,
        output_tokens: 1,
        cache_creation_input_tokens: 0,
        iterations: [claude, claude],
      }),
      { cacheWrite1hTokens: 1200 },
    ],
    ['OpenAI: flex', toUsage(chat, 'flex'), { when: { tier: 'flex' } }],
    ['OpenAI: priority', toUsage(chat, 'priority'), { when: { tier: 'priority' } }],
    [
      'OpenAI: audio and images, cached',
      toUsage({
        ...chat,
        prompt_tokens_details: {
          cached_tokens: 60,
          audio_tokens: 40,
          image_tokens: 20,
          cached_tokens_details: { audio_tokens: 30, image_tokens: 10 },
        },
        completion_tokens_details: { image_tokens: 45 },
      }),
      { cachedAudioTokens: 30, imageInputTokens: 20, cachedImageTokens: 10, imageOutputTokens: 45 },
    ],
    ['Perplexity: searches', toUsage({ ...chat, num_search_queries: 7 }), { webSearches: 7 }],
    [
      'Perplexity: the size of what is searched',
      toUsage({ ...chat, search_context_size: 'medium' }),
      { when: { searchSize: 'medium' } },
    ],
    [
      'xAI: tools',
      toUsage({
        ...chat,
        server_side_tool_usage_details: {
          web_search_calls: 2,
          x_search_calls: 1,
          code_interpreter_calls: 1,
          document_search_calls: 4,
        },
      }),
      { webSearches: 3, codeExecutions: 1, fileSearches: 4 },
    ],
    [
      'Responses: tools by the items of the output, and the tier',
      toResponsesUsage({
        service_tier: 'flex',
        usage: { input_tokens: 9, output_tokens: 9 },
        output: [
          { type: 'web_search_call', action: { type: 'search' } },
          { type: 'web_search_call', action: { type: 'open_page' } },
          { type: 'web_search_call' },
          { type: 'web_search_call', status: 'failed' },
          { type: 'file_search_call' },
          { type: 'code_interpreter_call', container_id: 'one' },
          { type: 'code_interpreter_call', container_id: 'one' },
          { type: 'code_interpreter_call', container_id: 'two' },
          { type: 'message', content: [] },
        ],
      }),
      { when: { tier: 'flex' }, webSearches: 2, fileSearches: 1, codeExecutions: 2 },
    ],
    [
      'Responses: containers by their memory, those of the shell too, where the provider has them',
      toResponsesUsage({
        usage: { input_tokens: 9, output_tokens: 9 },
        tools: [
          { type: 'code_interpreter', container: { type: 'auto', memory_limit: '64g' } },
          { type: 'shell', environment: { type: 'container_auto', memory_limit: '4g' } },
        ],
        output: [
          { type: 'code_interpreter_call', container_id: 'one' },
          { type: 'code_interpreter_call', container_id: 'one' },
          { type: 'shell_call', environment: { type: 'container_reference', container_id: 'two' } },
          { type: 'shell_call', environment: { type: 'local' } },
          { type: 'shell_call' },
        ],
      }),
      { codeExecutions: 68 },
    ],
    [
      'Responses: containers whose memory is not known',
      toResponsesUsage({
        usage: { input_tokens: 9, output_tokens: 9 },
        tools: [
          { type: 'code_interpreter', container: 'cntr_1' },
          { type: 'shell', environment: 7 },
        ],
        output: [
          { type: 'code_interpreter_call', container_id: 'cntr_1' },
          { type: 'shell_call', environment: { container_id: 'cntr_1' } },
        ],
      }),
      { codeExecutions: 1 },
    ],
    [
      'Responses: searches that are billed, where they are reported',
      toResponsesUsage({
        usage: { input_tokens: 9, output_tokens: 9 },
        tool_usage: { web_search: { num_requests: 1 } },
        output: [
          { type: 'web_search_call', action: { type: 'search' } },
          { type: 'web_search_call', action: { type: 'search' } },
          { type: 'file_search_call' },
        ],
      }),
      { webSearches: 1, fileSearches: 1 },
    ],
    [
      'Responses: images that a tool draws, beside the usage',
      toResponsesUsage({
        usage: { input_tokens: 1820, output_tokens: 210 },
        tool_usage: {
          image_gen: {
            input_tokens: 1550,
            output_tokens: 7024,
            total_tokens: 8574,
            input_tokens_details: { image_tokens: 1521, text_tokens: 29 },
            output_tokens_details: { image_tokens: 7000, text_tokens: 24 },
          },
          web_search: { num_requests: 0 },
        },
      }),
      {
        imageInputTokens: 1521,
        imageOutputTokens: 7000,
        drawn: {
          images: 1,
          promptTokens: 1550,
          imageInputTokens: 1521,
          completionTokens: 7024,
          imageOutputTokens: 7000,
        },
      },
    ],
    [
      'images: text and image tokens',
      toOneShotUsage({
        input_tokens: 423,
        output_tokens: 4160,
        input_tokens_details: { text_tokens: 100, image_tokens: 323 },
      }),
      { imageInputTokens: 323, imageOutputTokens: 4160 },
    ],
    [
      'images: text beside the image',
      toOneShotUsage({
        input_tokens: 50,
        output_tokens: 1200,
        input_tokens_details: { text_tokens: 50, image_tokens: 0 },
        output_tokens_details: { text_tokens: 200, image_tokens: 1000 },
      }),
      { imageOutputTokens: 1000 },
    ],
    [
      'Gemini: modalities and grounding',
      toGeminiUsage(
        {
          ...google,
          cachedContentTokenCount: 200,
          promptTokensDetails: [
            { modality: 'TEXT', tokenCount: 42 },
            { modality: 'IMAGE', tokenCount: 258 },
          ],
          cacheTokensDetails: [{ modality: 'IMAGE', tokenCount: 200 }],
          candidatesTokensDetails: [{ modality: 'IMAGE', tokenCount: 1290 }],
        },
        1,
        searchesOf({ groundingMetadata: { webSearchQueries: ['a', 'b'], groundingChunks: [{ web: {} }] } }),
      ),
      {
        imageInputTokens: 258,
        cachedImageTokens: 200,
        imageOutputTokens: 1290,
        webSearches: 2,
        groundedPrompts: 1,
      },
    ],
    [
      'Gemini: places of Google Maps, which cost as a search from Gemini 3 on and are no search of the web',
      toGeminiUsage(google, 0, searchesOf({ groundingMetadata: { groundingChunks: [{ maps: { uri: 'x' } }] } })),
      { webSearches: 1, mapsPrompts: 1 },
    ],
    ['Gemini: an image that is not counted', toGeminiUsage({ promptTokenCount: 3 }, 1), { imageOutputTokens: 258 }],
    ['Gemini: flex', toGeminiUsage({ ...google, serviceTier: 'flex' }), { when: { tier: 'flex' } }],
    [
      'Vertex: priority',
      toGeminiUsage({ ...google, trafficType: 'ON_DEMAND_PRIORITY' }),
      { when: { tier: 'priority' } },
    ],
  ])('%s', (_what, usage, details) => {
    expect(usage?.details).toEqual(details);
  });

  it.each<[string, Usage | null]>([
    ['OpenAI', toUsage(chat, 'default')],
    ['OpenAI, a tier without prices', toUsage(chat, 'scale')],
    ['Claude', toClaudeUsage({ input_tokens: 1, output_tokens: 1, service_tier: 'standard', cache_creation: null })],
    ['Claude, anywhere', toClaudeUsage({ input_tokens: 1, output_tokens: 1, inference_geo: 'global' })],
    ['Perplexity, in a small context', toUsage({ ...chat, search_context_size: 'low' })],
    ['OpenAI, a name that only rows have', toUsage(chat, 'us')],
    ['Gemini', toGeminiUsage({ ...google, trafficType: 'ON_DEMAND' })],
    ['what is no number', toUsage({ ...chat, num_search_queries: '7', server_tool_use: { web_search_requests: -3 } })],
  ])('%s: none', (_who, usage) => {
    expect(usage).not.toBeNull();
    expect(usage).not.toHaveProperty('details');
  });

  it('Responses: tokens of images that a tool draws are part of the counts, once', () => {
    const drawn = (usage: object, images: object) =>
      toResponsesUsage({
        usage: { input_tokens: 100, output_tokens: 10, ...usage },
        tool_usage: { image_gen: images },
      });
    const images = { input_tokens: 20, output_tokens: 700 };
    expect(drawn({}, images)).toMatchObject({
      promptTokens: 120,
      completionTokens: 710,
      details: { imageOutputTokens: 700 },
    });
    expect(drawn({ output_tokens: 710, output_tokens_details: { image_tokens: 700 } }, images)).toMatchObject({
      promptTokens: 100,
      completionTokens: 710,
      details: { imageOutputTokens: 700, drawn: { promptTokens: 0, completionTokens: 700, imageOutputTokens: 700 } },
    });
    expect(drawn({}, { input_tokens: 0, output_tokens: 0, output_tokens_details: { image_tokens: 0 } })).toEqual(
      toResponsesUsage({ usage: { input_tokens: 100, output_tokens: 10 } }),
    );
    expect(drawn({}, { input_tokens: '9', output_tokens: -3 })).toMatchObject({
      promptTokens: 100,
      completionTokens: 10,
    });
  });

  it('xAI: reasoning beside the completion is part of it', () => {
    const usage = toUsage({
      prompt_tokens: 307,
      completion_tokens: 26,
      total_tokens: 588,
      completion_tokens_details: { reasoning_tokens: 255 },
    });
    expect(usage).toMatchObject({ completionTokens: 281, reasoningTokens: 255 });
    expect(toUsage({ ...chat, completion_tokens_details: { reasoning_tokens: 40 } })).toMatchObject({
      completionTokens: 50,
      reasoningTokens: 40,
    });
  });

  it('Perplexity: what research reads and thinks beside the counts is part of the charge that it reports', () => {
    const usage = toUsage({
      prompt_tokens: 1188,
      completion_tokens: 4240,
      total_tokens: 5428,
      citation_tokens: 8014,
      num_search_queries: 54,
      reasoning_tokens: 92_431,
      cost: { input_tokens_cost: 0.00238, output_tokens_cost: 0.03392, total_cost: 0.59962 },
    });
    expect(usage).toMatchObject({ promptTokens: 9202, completionTokens: 96_671, reasoningTokens: 92_431 });
    const card = builtInCard('sonar-deep-research')?.card;
    if (!usage || !card) throw new Error('no usage or no card');
    expect(usdOf(componentsOf(card, pricedUsage(usage))).toFixed(4)).toBe('0.5996');
    // Other models count their reasoning in the completion, and report no citations.
    expect(toUsage({ ...chat, reasoning_tokens: 40, citation_tokens: null })).toMatchObject({ completionTokens: 50 });
  });

  it('survive the dialect of a client that reads them again', () => {
    const usage = toClaudeUsage(claude);
    if (!usage) throw new Error('no usage');
    expect(toClaudeUsage(fromClaudeUsage(usage))).toEqual(usage);
    expect(toUsage(fromUsage(usage), 'priority')).toEqual(usage);
    const drawn = toGeminiUsage({
      ...google,
      when: { tier: 'flex' },
      candidatesTokensDetails: [{ modality: 'IMAGE', tokenCount: 1290 }],
    });
    if (!drawn) throw new Error('no usage');
    expect(toGeminiUsage(fromGeminiUsage(drawn))).toEqual(drawn);
  });
});
