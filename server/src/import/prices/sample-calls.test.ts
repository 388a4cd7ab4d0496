import { chargeOfUsage, hasLines, PriceBook } from '../../billing/prices/index.js';
import { chargesAudio } from '../../dialects/makers/charging.js';
import { noUsage, type Usage } from '../../shared/usage.js';
import { defaultOptionValues, isOptionKey, parseOption, type OptionValues } from '../../options/option-registry.js';
import type { Fields } from '../../shared/json.js';
import type { ToolPrices } from '../../shared/tool-fees.js';
import { Findings } from '../findings.js';
import { impliedOptions } from '../map/options.js';
import { pricesOf } from '../source/litellm/prices.js';
import { Notes } from '../source/litellm/reading.js';
import { toolPricesThere } from '../source/one-hub/tools.js';
import { familyTables } from './built-in/family-tables.js';
import type { Generation } from './generation.js';
import { OneHubPrices } from './one-hub-price.js';
import { planPrices } from './price-plan.js';
import { SourcePrices, type PricesThere, type SourcePrice } from './source-price.js';
import { toolFeesThere } from './tool-fees.js';

/**
 * Sample calls of every served model: charged as the program would, and at the prices that an import stores. A call that costs
 * something else must be in a list of the report.
 */
const groups: Readonly<Record<string, number>> = { default: 1, vip: 0.8, svip: 1.5 };
const quotaPerUnit = 500_000;
const kinds: Readonly<Record<string, Usage>> = {
  text: { ...noUsage, promptTokens: 10_000, completionTokens: 3_000 },
  cache: { ...noUsage, promptTokens: 10_000, completionTokens: 3_000, cachedTokens: 4_000 },
  audio: { ...noUsage, promptTokens: 10_000, completionTokens: 3_000, audioInputTokens: 2_000, audioOutputTokens: 500 },
  image: { ...noUsage, promptTokens: 10_000, completionTokens: 3_000, details: { imageInputTokens: 2_000 } },
  tools: { ...noUsage, promptTokens: 10_000, completionTokens: 3_000, details: { webSearches: 2 } },
};

const hubRows = [
  { model: 'gpt-4o', type: 'tokens', input: 1.25, output: 5, extra_ratios: '{"cached_tokens":0.5}' },
  { model: 'gpt-5*', type: 'tokens', input: 0.625, output: 5 },
  { model: 'gemini-2.5-flash', type: 'tokens', input: 0.15, output: 1.25, extra_ratios: '{"input_audio_tokens":3.5}' },
  { model: 'gpt-image-1', type: 'tokens', input: 5, output: 20, extra_ratios: '{"input_text_tokens":0.5}' },
  { model: 'song', type: 'times', input: 50, output: 50 },
  {
    model: 'deep',
    type: 'tokens',
    input: 1,
    output: 2,
    long_context: '{"threshold":8000,"input_ratio":2,"output_ratio":1.5}',
  },
  // A long prompt that costs less, which no price card may have.
  { model: 'cheap', type: 'tokens', input: 1, output: 2, long_context: '{"threshold":8000,"input_ratio":0.5}' },
  { model: 'huge', type: 'tokens', input: 1e300, output: 1e300 },
  { model: 'free', type: 'tokens', input: 0, output: 0 },
];
const hubModels = [
  ...[
    'gpt-4o',
    'gpt-5-mini',
    'gemini-2.5-flash',
    'gpt-image-1',
    'song',
    'claude-haiku-4-5',
    'priceless',
    'deep',
    'cheap',
  ],
  ...['huge', 'free', '中文模型'],
];

/** A site whose sample calls are compared. */
interface Sample {
  readonly models: readonly string[];
  readonly there: PricesThere;
  /** The prices that an import stores. */
  readonly here: OptionValues;
  /** Whether calls of a model are in a list of the report. */
  readonly isListed: (model: string, kind: string) => boolean;
  /** USD of a web search. */
  readonly fee: (model: string) => number;
  /** Factors of audio that programs of early 2025 have in their code, as this product has. */
  readonly usual?: (model: string) => AudioFactors | undefined;
}

/** Findings that concern calls of one kind. All others concern every call of their model. */
const kindOf: ReadonlyArray<readonly [detail: RegExp, kind: string]> = [
  [/^fees of tools|^web_search/, 'tools'],
  [/^cached tokens/, 'cache'],
];

function listedIn(found: ReadonlyArray<Readonly<Record<'id' | 'detail', string>>>): Sample['isListed'] {
  const kindsOfModel = new Set(
    found.map(({ id, detail }) => `${kindOf.find(([text]) => text.test(detail))?.[1] ?? 'any'} ${id}`),
  );
  return (model, kind) => kindsOfModel.has(`${kind} ${model}`) || kindsOfModel.has(`any ${model}`);
}

function sampleOf(generation: Generation, models: readonly string[], there: PricesThere): Sample {
  const findings = new Findings();
  const calls = models.map((model, channel) => ({
    requested: model,
    upstream: model,
    type: 1,
    channel,
    isEnabled: true,
    priority: 0,
    weight: 0,
  }));
  const options = new Map([['GroupRatio', JSON.stringify(groups)]]);
  const decisions = { acceptPriceDifferences: false };
  const plan = planPrices({ generation, options, there, calls, findings, decisions });
  const fees = toolFeesThere(generation, new Map());
  return {
    models,
    there,
    here: { ...plan.values, ...toolsOf(generation) },
    isListed: listedIn(findings.list().flatMap(({ list, examples }) => (list ? examples : []))),
    fee: (model) => fees?.of(model).webSearch ?? searchFee(generation === 'one-hub' ? toolPricesThere : {}, model),
    usual: (model) => usualAudio(generation, model),
  };
}

/** The options by which tools cost what they cost in programs without settings for them. */
function toolsOf(generation: Generation): Partial<OptionValues> {
  if (generation === 'one-hub') return { ToolPrices: toolPricesThere, UnpricedTools: 'free' };
  if (generation !== 'one-api') return {};
  const context = { family: generation, findings: new Findings(), options: new Map(), prices: null };
  return parsed(impliedOptions(context as unknown as Parameters<typeof impliedOptions>[0]));
}

function parsed(rows: ReadonlyArray<Readonly<Record<string, unknown>>>): Partial<OptionValues> {
  return Object.fromEntries(
    rows.flatMap(({ key, value }) =>
      typeof key === 'string' && typeof value === 'string' && isOptionKey(key) ? [[key, parseOption(key, value)]] : [],
    ),
  );
}

/** The longest prefix applies. */
function searchFee(table: Readonly<Record<string, ToolPrices>>, model: string): number {
  const [prefix = '*'] = Object.keys(table)
    .filter((name) => model.startsWith(name.replace(/\*$/, '')))
    .sort((left, right) => right.length - left.length);
  return table[prefix]?.webSearch ?? 0;
}

/** Entries of `model_list`, with costs for a million tokens. */
const deployments: Readonly<Record<string, Fields>> = {
  // The rule of this product for the output of gpt-4o is another factor.
  'gpt-4o': { input_cost_per_token: 3, output_cost_per_token: 7, cache_read_input_token_cost: 1 },
  'gpt-5': { input_cost_per_token: 1.25, output_cost_per_token: 10, cache_read_input_token_cost: 0.125 },
  'claude-haiku-4-5': {
    input_cost_per_token: 1,
    output_cost_per_token: 5,
    cache_read_input_token_cost: 0.1,
    cache_creation_input_token_cost: 1.25,
  },
  'gpt-4o-audio-preview': {
    input_cost_per_token: 2.5,
    output_cost_per_token: 10,
    cache_read_input_token_cost: 2.5,
    input_cost_per_audio_token: 40,
    output_cost_per_audio_token: 80,
  },
  'gpt-image-1': {
    input_cost_per_token: 5,
    output_cost_per_token: 40,
    cache_read_input_token_cost: 1.25,
    input_cost_per_image_token: 10,
  },
  deep: {
    input_cost_per_token: 1,
    output_cost_per_token: 2,
    cache_read_input_token_cost: 0.5,
    input_cost_per_token_above_8k_tokens: 3,
  },
  cheap: {
    input_cost_per_token: 1,
    output_cost_per_token: 2,
    cache_read_input_token_cost: 0.5,
    input_cost_per_token_above_8k_tokens: 0.5,
  },
  free: { input_cost_per_token: 0, output_cost_per_token: 0 },
  thinker: { input_cost_per_token: 0, output_cost_per_token: 4, cache_read_input_token_cost: 0 },
  'cached-for-free': { input_cost_per_token: 1, output_cost_per_token: 2 },
  'output-for-free': { input_cost_per_token: 1, cache_read_input_token_cost: 0.5 },
  中文模型: { input_cost_per_token: 1, output_cost_per_token: 2, cache_read_input_token_cost: 0.5 },
};

async function liteLlmSample(): Promise<Sample> {
  const notes = new Notes();
  const list = Object.entries(deployments).map(([name, costs]) => ({
    model_name: name,
    litellm_params: { model: `openai/${name}` },
    model_info: Object.fromEntries(Object.entries(costs).map(([key, usd]) => [key, Number(usd) / 1_000_000])),
  }));
  const here = { ...defaultOptionValues(), ...parsed(await pricesOf(list, notes)), GroupRatio: groups };
  return {
    models: Object.keys(deployments),
    there: { of: ({ requested }) => costsThere(deployments[requested] ?? {}) },
    here: { ...here, ...toolsOf('one-api') },
    isListed: listedIn(notes.list),
    fee: () => 0,
  };
}

/** LiteLLM charges nothing for tokens without a cost, and images like text if they have none. */
function costsThere(costs: Fields): SourcePrice {
  const usd = (name: string, missing = 0): number => (typeof costs[name] === 'number' ? costs[name] : missing);
  const input = usd('input_cost_per_token_above_8k_tokens', usd('input_cost_per_token'));
  return {
    kind: 'card',
    card: {
      prices: {
        input,
        output: usd('output_cost_per_token'),
        cachedInput: usd('cache_read_input_token_cost'),
        audioInput: usd('input_cost_per_audio_token', input),
        audioOutput: usd('output_cost_per_audio_token', usd('output_cost_per_token')),
        imageInput: usd('input_cost_per_image_token', input),
      },
    },
  };
}

/** The number of sample calls that are in a list. */
const inList = { 'one-api': 0, veloera: 9, 'new-api 2025': 9, 'new-api 2026': 9 } as const;

const families: ReadonlyArray<readonly [string, number, () => Sample | Promise<Sample>]> = [
  ...(['one-api', 'veloera', 'new-api 2025', 'new-api 2026'] as const).map((generation) => {
    const { modelRatios, modelPrices } = familyTables[generation];
    const models = [...new Set([...modelRatios.keys(), ...modelPrices.keys()])];
    const sample = (): Sample => sampleOf(generation, models, new SourcePrices(generation, new Map()));
    return [generation, inList[generation], sample] as const;
  }),
  ['one-hub', 33, () => sampleOf('one-hub', hubModels, new OneHubPrices(hubRows, quotaPerUnit))],
  ['litellm', 33, liteLlmSample],
];

type AudioFactors = { readonly audio: number; readonly audioOutput: number };

function usualAudio(generation: Generation, model: string): AudioFactors | undefined {
  if ((generation !== 'veloera' && generation !== 'new-api 2025') || !model.startsWith('gpt-4o-audio'))
    return undefined;
  return { audio: model.endsWith('2024-10-01') ? 40 : 16, audioOutput: 2 };
}

/** The charge of the program, before it is rounded; by the formulas that docs/guide/import.md#prices names. */
function chargeThere(price: SourcePrice, usage: Usage, fee: number, usual?: AudioFactors): number {
  if (price.kind === 'call') return price.usd * quotaPerUnit;
  const { promptTokens, completionTokens, cachedTokens, audioInputTokens, audioOutputTokens, details } = usage;
  const images = details?.imageInputTokens ?? 0;
  const tools = (details?.webSearches ?? 0) * fee * quotaPerUnit;
  if (price.kind === 'card') {
    const tier = price.card.contextTiers?.findLast(({ above }) => promptTokens > above)?.prices;
    const {
      input = 0,
      output = 0,
      cachedInput = 0,
      audioInput = 0,
      audioOutput = 0,
      imageInput = 0,
    } = { ...price.card.prices, ...tier };
    const fresh = promptTokens - cachedTokens - audioInputTokens - images;
    const usd =
      fresh * input +
      cachedTokens * cachedInput +
      audioInputTokens * audioInput +
      images * imageInput +
      (completionTokens - audioOutputTokens) * output +
      audioOutputTokens * audioOutput;
    return (usd / 1_000_000) * quotaPerUnit + tools;
  }
  const { model, completion, cache, image = 1 } = price;
  const { audio = 1, audioOutput = 1 } = price.audio === undefined ? (usual ?? {}) : price;
  const hasAudio = audioInputTokens > 0 && (price.audio !== undefined || usual !== undefined);
  const output = hasAudio
    ? (completionTokens - audioOutputTokens) * completion + audioOutputTokens * audio * audioOutput
    : completionTokens * completion;
  const input =
    promptTokens -
    cachedTokens -
    images +
    cachedTokens * cache +
    images * image +
    (hasAudio ? audioInputTokens * (audio - 1) : 0);
  return model * (input + output) + tools;
}

it.each(families)(
  '%s: every sample call costs the same, or is one of %i in a list of the report',
  async (_name, listed, open) => {
    const { models, there, here, isListed, fee, usual } = await open();
    const book = new PriceBook({ values: here });
    const counts = { same: 0, listed: 0 };
    const neither: string[] = [];
    for (const model of models) {
      const price = there.of({ requested: model, upstream: model, type: 1 });
      if (price === null) continue;
      for (const [kind, usage] of Object.entries(kinds)) {
        for (const [group, ratio] of Object.entries(groups)) {
          const sale = book.find(model, group);
          const formula = kind === 'audio' && chargesAudio(model) ? 'audio' : 'text';
          const usesTools = kind === 'tools' && sale !== null && sale.card.perCall === undefined;
          const card = sale && (usesTools && !hasLines(sale.cards.text) ? sale.card : sale.cards[formula]);
          const charge = card ? chargeOfUsage(card, usage, ratio, quotaPerUnit).quota : null;
          const due = chargeThere(price, usage, fee(model), usual?.(model)) * ratio;
          if (charge !== null && Math.abs(charge - due) <= 1.000_001) counts.same++;
          else if (isListed(model, kind)) counts.listed++;
          else neither.push(`${model} ${kind} ${group}: ${due} there, ${charge} here`);
        }
      }
    }
    expect(neither.slice(0, 20)).toEqual([]);
    expect(counts.listed).toBe(listed);
    expect(counts.same).toBeGreaterThan(models.length);
  },
);
