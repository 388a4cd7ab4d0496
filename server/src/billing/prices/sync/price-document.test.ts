import { readPriceDocument, type PriceDocument } from './price-document.js';

const read = (document: unknown): Promise<PriceDocument> =>
  readPriceDocument(Buffer.from(typeof document === 'string' ? document : JSON.stringify(document)));
const cardsOf = async (document: unknown): Promise<Record<string, unknown>> =>
  Object.fromEntries((await read(document)).cards);

describe('the table of LiteLLM', () => {
  const sonnet = {
    litellm_provider: 'anthropic',
    mode: 'chat',
    max_input_tokens: 200_000,
    input_cost_per_token: 3e-6,
    output_cost_per_token: 1.5e-5,
    cache_read_input_token_cost: 3e-7,
    cache_creation_input_token_cost: 3.75e-6,
    cache_creation_input_token_cost_above_1hr: 6e-6,
    input_cost_per_token_above_200k_tokens: 6e-6,
    output_cost_per_token_above_200k_tokens: 2.25e-5,
    cache_creation_input_token_cost_above_1hr_above_200k_tokens: 1.2e-5,
    search_context_cost_per_query: { search_context_size_low: 0.01, search_context_size_medium: 0.01 },
    supports_vision: true,
  };

  it('becomes cards with long prompts, cache writes and searches, in USD per million tokens', async () => {
    const document = await read({
      sample_spec: { litellm_provider: 'one of …', mode: 'chat' },
      'claude-sonnet-4-5': sonnet,
    });
    expect(document.format).toBe('LITELLM');
    expect([...document.cards]).toEqual([
      [
        'claude-sonnet-4-5',
        {
          prices: { input: 3, cachedInput: 0.3, cacheWrite: 3.75, cacheWrite1h: 6, output: 15, webSearch: 0.01 },
          contextTiers: [{ above: 200_000, prices: { input: 6, cacheWrite1h: 12, output: 22.5 } }],
        },
      ],
    ]);
  });

  it('reads the writes that OpenAI keeps for 12 hours', async () => {
    const sol = {
      litellm_provider: 'openai',
      mode: 'chat',
      input_cost_per_token: 2e-6,
      output_cost_per_token: 1e-5,
      cache_creation_input_token_cost: 2.5e-6,
      cache_creation_input_token_cost_above_12hr: 5e-6,
      cache_creation_input_token_cost_above_12hr_above_272k_tokens: 1e-5,
    };
    expect(await cardsOf({ 'gpt-6-sol': sol })).toMatchObject({
      'gpt-6-sol': {
        prices: { cacheWrite: 2.5, cacheWrite1h: 5 },
        contextTiers: [{ above: 272_000, prices: { cacheWrite1h: 10 } }],
      },
    });
  });

  it('prices transcripts by the second where it states both, because they are charged by their length', async () => {
    const tokens = { input_cost_per_token: 2.5e-6, input_cost_per_audio_token: 2.5e-6, output_cost_per_token: 1e-5 };
    const model = { litellm_provider: 'openai', mode: 'audio_transcription', ...tokens };
    expect(await cardsOf({ 'gpt-4o-transcribe': { ...model, input_cost_per_second: 0.0001 } })).toEqual({
      'gpt-4o-transcribe': { prices: { second: 0.0001 } },
    });
    await expect(
      read({ 'gpt-4o-transcribe': { ...model, input_cost_per_second: 0.0001, output_cost_per_token: -1 } }),
    ).rejects.toThrow('no price');
    expect(await cardsOf({ m: model })).toEqual({ m: { prices: { input: 2.5, output: 10 } } });
    const voice = { litellm_provider: 'xai', mode: 'realtime', input_cost_per_second: 0.00133 };
    expect(await cardsOf({ 'xai/grok-voice-latest': voice })).toEqual({
      'grok-voice-latest': { prices: { second: 0.00133 } },
    });
  });

  it('prices the request of models that search in each call, and report no searches', async () => {
    const tokens = { mode: 'chat', input_cost_per_token: 1e-6, output_cost_per_token: 1e-6 };
    const costs = (low: number, medium: number, high = medium) => ({
      search_context_cost_per_query: {
        search_context_size_low: low,
        search_context_size_medium: medium,
        search_context_size_high: high,
      },
    });
    const perplexity = { ...tokens, litellm_provider: 'perplexity' };
    const listed = await cardsOf({
      // Perplexity searches in a small context by default.
      'perplexity/sonar': { ...perplexity, ...costs(0.005, 0.008, 0.012) },
      'perplexity/sonar-deep-research': { ...perplexity, ...costs(0.005, 0.005) },
      'gpt-4o-search-preview': { ...tokens, litellm_provider: 'openai', ...costs(0.03, 0.035) },
      'gpt-5': { ...tokens, litellm_provider: 'openai', ...costs(0.01, 0.01) },
    });
    const prices = { input: 1, output: 1 };
    expect(listed).toEqual({
      sonar: {
        prices: { ...prices, request: 0.005 },
        variants: [
          { when: { searchSize: 'medium' }, factor: 1, prices: { request: 0.008 } },
          { when: { searchSize: 'high' }, factor: 1, prices: { request: 0.012 } },
        ],
      },
      'sonar-deep-research': { prices: { ...prices, webSearch: 0.005 } },
      'gpt-4o-search-preview': { prices: { ...prices, request: 0.035 } },
      'gpt-5': { prices: { ...prices, webSearch: 0.01 } },
    });
  });

  it('prices Google Maps by the prompt that it grounds, where it is no search', async () => {
    const google = {
      litellm_provider: 'gemini',
      mode: 'chat',
      input_cost_per_token: 1e-6,
      output_cost_per_token: 1e-6,
    };
    const costs = (search: number, maps: number) => ({
      search_context_cost_per_query: { search_context_size_medium: search },
      google_maps_grounding_cost_per_query: maps,
    });
    const prices = { input: 1, output: 1 };
    expect(
      await cardsOf({
        'gemini/gemini-2.5-pro': { ...google, ...costs(0.035, 0.025) },
        'gemini/gemini-3.8-flash': { ...google, ...costs(0.014, 0.014), web_search_billing_unit: 'per_query' },
      }),
    ).toEqual({
      'gemini-2.5-pro': { prices: { ...prices, groundedPrompt: 0.035, mapsPrompt: 0.025 } },
      'gemini-3.8-flash': { prices: { ...prices, webSearch: 0.014 } },
    });
  });

  it('has service tiers: as a factor, with the prices that differ from it', async () => {
    const model = {
      litellm_provider: 'openai',
      mode: 'chat',
      input_cost_per_token: 1.25e-6,
      cache_read_input_token_cost: 1.25e-7,
      output_cost_per_token: 1e-5,
      input_cost_per_token_flex: 6.25e-7,
      output_cost_per_token_flex: 5e-6,
      input_cost_per_token_priority: 2.5e-6,
      output_cost_per_token_priority: 2.2e-5,
      input_cost_per_token_batches: 6.25e-7,
      output_cost_per_token_batches: 5e-6,
    };
    expect(await cardsOf({ 'gpt-5': model })).toEqual({
      'gpt-5': {
        prices: { input: 1.25, cachedInput: 0.125, output: 10 },
        variants: [
          { when: { tier: 'flex' }, factor: 0.5 },
          { when: { tier: 'priority' }, factor: 2, prices: { output: 22 } },
          { when: { tier: 'batch' }, factor: 0.5 },
        ],
      },
    });
  });

  it('has the factors of Anthropic’s faster mode and of calls that stay in the US', async () => {
    const model = {
      litellm_provider: 'anthropic',
      mode: 'chat',
      provider_specific_entry: { us: 1.1, fast: 2, other: 3 },
      input_cost_per_token: 5e-6,
      output_cost_per_token: 2.5e-5,
    };
    expect(await cardsOf({ 'claude-opus-5': model })).toEqual({
      'claude-opus-5': {
        prices: { input: 5, output: 25 },
        variants: [
          { when: { tier: 'fast' }, factor: 2 },
          { when: { region: 'us' }, factor: 1.1 },
        ],
      },
    });
  });

  it('with a long prompt states every price of a service tier, so that none is lower than published', async () => {
    const tier = { input_cost_per_token_flex: 1.5e-6, output_cost_per_token_flex: 7.5e-6 };
    const cards = await cardsOf({ 'claude-sonnet-4-5': { ...sonnet, ...tier } });
    expect(cards['claude-sonnet-4-5']).toMatchObject({
      variants: [
        {
          when: { tier: 'flex' },
          prices: { input: 1.5, cachedInput: 0.15, cacheWrite: 1.875, cacheWrite1h: 3, output: 7.5 },
        },
      ],
    });
  });

  it('names the models of makers plainly, those of clouds in full, and prefers the maker', async () => {
    const of = (litellm_provider: string, dollars: number): object => ({
      litellm_provider,
      mode: 'chat',
      input_cost_per_token: dollars / 1e6,
      output_cost_per_token: (dollars * 2) / 1e6,
    });
    const cards = await cardsOf({
      'gemini-2.5-pro': of('vertex_ai-language-models', 9),
      'gemini/gemini-2.5-pro': of('gemini', 1.25),
      'xai/grok-4': of('xai', 3),
      'dashscope/deepseek-v3': of('dashscope', 7),
      'deepseek/deepseek-v3': of('deepseek', 0.27),
      'azure/gpt-5': of('azure', 1.25),
      '1024-x-1024/gpt-image-1.5': {
        litellm_provider: 'openai',
        mode: 'image_generation',
        input_cost_per_image: 0.009,
      },
    });
    expect(cards).toEqual({
      'gemini-2.5-pro': { prices: { input: 1.25, output: 2.5 } },
      'grok-4': { prices: { input: 3, output: 6 } },
      'deepseek-v3': { prices: { input: 0.27, output: 0.54 } },
      'azure/gpt-5': { prices: { input: 1.25, output: 2.5 } },
      '1024-x-1024/gpt-image-1.5': { prices: { image: 0.009 } },
    });
  });

  it('prices audio, images, seconds, pages, characters, requests, and ranges of prompts', async () => {
    const cards = await cardsOf({
      audio: {
        litellm_provider: 'openai',
        input_cost_per_token: 2.5e-6,
        output_cost_per_token: 1e-5,
        input_cost_per_audio_token: 4e-5,
        output_cost_per_audio_token: 8e-5,
        cache_read_input_audio_token_cost: 2.5e-6,
      },
      image: {
        litellm_provider: 'openai',
        mode: 'image_generation',
        input_cost_per_token: 5e-6,
        input_cost_per_image_token: 8e-6,
        output_cost_per_image_token: 3.2e-5,
        output_cost_per_image: 0.04,
      },
      drawing: { litellm_provider: 'dashscope', mode: 'image_generation', output_cost_per_image: 0.035 },
      film: { litellm_provider: 'gemini', mode: 'video_generation', output_cost_per_second: 0.4 },
      hearing: { litellm_provider: 'openai', mode: 'audio_transcription', input_cost_per_second: 0.0001 },
      scan: { litellm_provider: 'mistral', mode: 'ocr', ocr_cost_per_page: 0.001 },
      speech: { litellm_provider: 'openai', mode: 'audio_speech', input_cost_per_character: 1.5e-5 },
      online: {
        litellm_provider: 'perplexity',
        input_cost_per_request: 0.005,
        input_cost_per_token: 1e-6,
        output_cost_per_token: 1e-6,
        code_interpreter_cost_per_session: 0.03,
        file_search_cost_per_1k_calls: 2.5,
      },
      flash: {
        litellm_provider: 'dashscope',
        mode: 'chat',
        tiered_pricing: [
          { range: [0, 256_000], input_cost_per_token: 5e-8, output_cost_per_token: 4e-7 },
          { range: [256_000, 1_000_000], input_cost_per_token: 2.5e-7, output_cost_per_token: 2e-6 },
        ],
      },
    });
    expect(cards).toEqual({
      audio: { prices: { input: 2.5, output: 10, audioInput: 40, cachedAudioInput: 2.5, audioOutput: 80 } },
      image: { prices: { input: 5, imageInput: 8, imageOutput: 32 } },
      drawing: { prices: { image: 0.035 } },
      film: { prices: { second: 0.4 } },
      hearing: { prices: { second: 0.0001 } },
      scan: { prices: { page: 0.001 } },
      speech: { prices: { character: 0.000015 } },
      online: { prices: { input: 1, output: 1, request: 0.005, codeExecution: 0.03, fileSearch: 0.0025 } },
      flash: {
        prices: { input: 0.05, output: 0.4 },
        contextTiers: [{ above: 256_000, prices: { input: 0.25, output: 2 } }],
      },
    });
  });

  it('prices a second of a video by its resolution, and no image that it begins with', async () => {
    const video = { mode: 'video_generation', output_cost_per_second: 0.08, input_cost_per_image: 0.04 };
    const cards = await cardsOf({
      'xai/grok-imagine-video-1.5': {
        ...video,
        litellm_provider: 'xai',
        output_cost_per_second_480p: 0.08,
        output_cost_per_second_720p: 0.14,
        output_cost_per_second_1080p: 0.25,
      },
      'minimax/MiniMax-H3': {
        ...video,
        litellm_provider: 'minimax',
        output_cost_per_second_2k: 0.13,
        output_cost_per_second_4k: 0.2,
        output_cost_per_second_768p: 0.09,
      },
      'sora-2': { litellm_provider: 'openai', mode: 'video_generation', output_cost_per_video_per_second: 0.1 },
    });
    expect(cards).toEqual({
      'grok-imagine-video-1.5': {
        prices: { second: 0.08 },
        variants: [
          { when: { resolution: '480p' }, prices: { second: 0.08 } },
          { when: { resolution: '720p' }, prices: { second: 0.14 } },
          { when: { resolution: '1080p' }, prices: { second: 0.25 } },
        ],
      },
      'MiniMax-H3': {
        prices: { second: 0.08 },
        variants: [
          { when: { resolution: '2k' }, prices: { second: 0.13 } },
          { when: { resolution: '4k' }, prices: { second: 0.2 } },
          { when: { resolution: '720p' }, prices: { second: 0.09 } },
        ],
      },
      'sora-2': { prices: { second: 0.1 } },
    });
    const odd = { ...video, litellm_provider: 'xai', output_cost_per_second_720p: -1 };
    await expect(read({ odd })).rejects.toThrow('output_cost_per_second_720p');
  });

  it('skips models that are free or that a card cannot express, with the reason', async () => {
    const { cards, skipped } = await read({
      good: sonnet,
      free: { litellm_provider: 'openai', input_cost_per_token: 0, output_cost_per_token: 0 },
      odd: { ...sonnet, output_cost_per_token_above_200k_tokens: 1e-6 },
      none: { litellm_provider: 'openai', mode: 'chat' },
      'two words': sonnet,
      'all*': sonnet,
    });
    expect([...cards.keys()]).toEqual(['good']);
    expect(skipped).toEqual([
      { model: 'free', reason: 'every price is 0' },
      { model: 'odd', reason: 'contextTiers.0: output is cheaper than below the threshold' },
      { model: 'none', reason: 'the document has no price for it' },
      { model: 'two words', reason: 'the name cannot be used' },
      { model: 'all*', reason: 'the name cannot be used' },
    ]);
  });

  it('states 0 for parts that have no price of their own, and these are not free', async () => {
    const model = { ...sonnet, cache_creation_input_token_cost: 0, output_cost_per_reasoning_token: 0 };
    const cards = await cardsOf({ m: model });
    expect(cards['m']).toMatchObject({ prices: { input: 3, cachedInput: 0.3, cacheWrite1h: 6, output: 15 } });
    expect(Object.keys((cards['m'] as { prices: object }).prices)).not.toContain('cacheWrite');
  });
});

it('models.dev: USD per million, with tiers, plain names for makers and full names for resellers', async () => {
  const cost = { input: 5, output: 30, cache_read: 0.5, reasoning: 30, input_audio: 32 };
  const tier = { input: 10, output: 45, cache_read: 1, tier: { type: 'context', size: 272_000 } };
  const document = await read({
    openai: {
      id: 'openai',
      name: 'OpenAI',
      models: {
        // The list of tiers counts. The older field describes the same premium at another threshold.
        'gpt-5.5': { id: 'gpt-5.5', cost: { ...cost, tiers: [tier], context_over_200k: { input: 9, output: 40 } } },
      },
    },
    google: {
      id: 'google',
      models: {
        'gemini-3-pro': {
          id: 'gemini-3-pro',
          cost: { input: 2, output: 12, cache_write: 4, context_over_200k: { input: 4, output: 18 } },
        },
      },
    },
    groq: { id: 'groq', models: { 'gpt-5.5': { cost: { input: 1, output: 2 } }, whisper: { id: 'whisper' } } },
    deepseek: { id: 'deepseek', models: { 'deepseek-v4-pro': { cost: { input: 0.66, output: 1.98 } } } },
  });
  expect(document.format).toBe('MODELS_DEV');
  expect(Object.fromEntries(document.cards)).toEqual({
    'gpt-5.5': {
      prices: { input: 5, cachedInput: 0.5, output: 30, audioInput: 32 },
      contextTiers: [{ above: 272_000, prices: { input: 10, cachedInput: 1, output: 45 } }],
    },
    'gemini-3-pro': {
      prices: { input: 2, cacheWrite: 4, output: 12 },
      contextTiers: [{ above: 200_000, prices: { input: 4, output: 18 } }],
    },
    'groq/gpt-5.5': { prices: { input: 1, output: 2 } },
  });
  expect(document.skipped).toEqual([
    { model: 'groq/whisper', reason: 'the document has no price for it' },
    { model: 'deepseek-v4-pro', reason: 'the list has its price of off-peak hours only' },
  ]);
});

it('OpenRouter: texts per token, by id and by the name that the maker uses', async () => {
  const document = await read({
    data: [
      {
        id: 'anthropic/claude-sonnet-4.5',
        name: 'Anthropic: Claude Sonnet 4.5',
        pricing: {
          prompt: '0.000003',
          completion: '0.000015',
          request: '0',
          image: '0.0048',
          web_search: '0.01',
          internal_reasoning: '0',
          input_cache_read: '0.0000003',
          input_cache_write: '0.00000375',
          overrides: [{ min_prompt_tokens: 200_000, prompt: '0.000006', completion: '0.0000225' }],
        },
      },
      { id: 'openrouter/auto', pricing: { prompt: '-1', completion: '-1' } },
      { id: 'meta-llama/llama-3:free', pricing: { prompt: '0', completion: '0' } },
    ],
  });
  const card = {
    prices: { input: 3, cachedInput: 0.3, cacheWrite: 3.75, output: 15, webSearch: 0.01 },
    contextTiers: [{ above: 200_000, prices: { input: 6, output: 22.5 } }],
  };
  expect([document.format, Object.fromEntries(document.cards)]).toEqual([
    'OPENROUTER',
    { 'anthropic/claude-sonnet-4.5': card, 'claude-sonnet-4-5': card },
  ]);
  expect(document.skipped.map(({ model }) => model)).toEqual(['openrouter/auto', 'meta-llama/llama-3:free']);
});

it('new-api’s price list: ratio 1 is 2 USD per million, with the ratios of caches, images and audio', async () => {
  const entry = { owner_by: '', enable_groups: ['default'], supported_endpoint_types: ['openai'] };
  const document = await read({
    success: true,
    data: [
      {
        ...entry,
        model_name: 'gpt-4o',
        quota_type: 0,
        model_ratio: 1.25,
        model_price: 0,
        completion_ratio: 4,
        cache_ratio: 0.5,
      },
      { ...entry, model_name: 'claude-x', quota_type: 0, model_ratio: 1.5, completion_ratio: 5, cache_ratio: 0.1 },
      {
        ...entry,
        model_name: 'audio',
        quota_type: 0,
        model_ratio: 1,
        completion_ratio: 2,
        image_ratio: 3,
        audio_ratio: 10,
        audio_completion_ratio: 2,
      },
      { ...entry, model_name: 'draw', quota_type: 1, model_ratio: 0, model_price: 0.05, completion_ratio: 0 },
      { ...entry, model_name: 'unset', quota_type: 0, model_ratio: 37.5, completion_ratio: 1 },
      {
        ...entry,
        model_name: 'expr',
        quota_type: 0,
        model_ratio: 1,
        completion_ratio: 1,
        billing_mode: 'tiered_expr',
        billing_expr: 'x',
      },
    ],
    group_ratio: { default: 1 },
  });
  expect([document.format, Object.fromEntries(document.cards)]).toEqual([
    'PRICE_LIST',
    {
      'gpt-4o': { prices: { input: 2.5, cachedInput: 1.25, output: 10 } },
      // Claude's cache writes without a ratio cost 1.25 for five minutes, and 1.6 times that for an hour.
      'claude-x': { prices: { input: 3, cachedInput: 0.3, cacheWrite: 3.75, cacheWrite1h: 6, output: 15 } },
      audio: { prices: { input: 2, imageInput: 6, audioInput: 20, audioOutput: 40, output: 4 } },
      draw: { prices: { request: 0.05 } },
    },
  ]);
  expect(document.skipped).toEqual([
    { model: 'unset', reason: 'it has no price there' },
    { model: 'expr', reason: 'the price is an expression' },
  ]);
});

it('new-api’s ratio tables: a model without a completion ratio has the built-in one', async () => {
  const document = await read({
    success: true,
    data: {
      model_ratio: { 'gpt-4o': 1.25, mine: 0.5, draw: 1 },
      completion_ratio: { mine: 3 },
      cache_ratio: { 'gpt-4o': 0.5 },
      model_price: { draw: 0.1 },
    },
  });
  expect([document.format, Object.fromEntries(document.cards)]).toEqual([
    'RATIO_CONFIG',
    {
      draw: { prices: { request: 0.1 } },
      'gpt-4o': { prices: { input: 2.5, cachedInput: 1.25, output: 10 } },
      mine: { prices: { input: 1, output: 3 } },
    },
  ]);
});

it('another Tollgate: cards in its price list, or its option', async () => {
  const card = {
    prices: { input: 3, output: 15 },
    variants: [{ when: { tier: 'flex' }, factor: 0.5 }],
    source: 'theirs',
    asOf: '2026-11',
  };
  const expected = { prices: card.prices, variants: card.variants };
  const listed = await read({
    success: true,
    data: [{ model_name: 'm', quota_type: 0, model_ratio: 99, completion_ratio: 99, price_card: card }],
  });
  expect([listed.format, Object.fromEntries(listed.cards)]).toEqual(['PRICE_LIST', { m: expected }]);
  const stored = await read({ m: card, 'mine*': card, 'gpt-4o': 'built-in' });
  expect([stored.format, Object.fromEntries(stored.cards)]).toEqual([
    'PRICE_CARDS',
    { m: expected, 'mine*': expected },
  ]);
});
