import { chargeOfUsage, hasLines, PriceBook } from '../../billing/prices/index.js';
import { chargesAudio } from '../../dialects/makers/charging.js';
import { noUsage, type Usage } from '../../shared/usage.js';
import { Findings } from '../findings.js';
import { familyTables } from './built-in/family-tables.js';
import type { Generation } from './generation.js';
import { OneHubPrices } from './one-hub-price.js';
import { planPrices } from './price-plan.js';
import { SourcePrices, type PricesThere, type SourcePrice } from './source-price.js';
import { ToolFeesThere } from './tool-fees.js';

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
];
const hubModels = ['gpt-4o', 'gpt-5-mini', 'gemini-2.5-flash', 'gpt-image-1', 'song', 'claude-haiku-4-5', 'priceless'];

const sites: ReadonlyArray<readonly [Generation, readonly string[], PricesThere]> = [
  ...(['one-api', 'veloera', 'new-api 2025', 'new-api 2026'] as const).map((generation) => {
    const { modelRatios, modelPrices } = familyTables[generation];
    const models = [...new Set([...modelRatios.keys(), ...modelPrices.keys()])];
    return [generation, models, new SourcePrices(generation, new Map())] as const;
  }),
  ['one-hub', hubModels, new OneHubPrices(hubRows, quotaPerUnit)],
];

type AudioFactors = { readonly audio: number; readonly audioOutput: number };

/** Factors of audio that programs of early 2025 have in their code, as this product has. */
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
    const {
      input = 0,
      output = 0,
      cachedInput = 0,
      audioInput = 0,
      audioOutput = 0,
      imageInput = 0,
    } = price.card.prices;
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

it.each(sites)('%s: every sample call costs the same, or is in a list of the report', (generation, models, there) => {
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
  const listed = new Set(findings.list().flatMap(({ list, examples }) => (list ? examples.map(({ id }) => id) : [])));
  const fees = generation === 'new-api 2026' ? new ToolFeesThere(undefined) : null;
  const book = new PriceBook({ values: plan.values });
  const counts = { same: 0, listed: 0 };
  const neither: string[] = [];
  for (const call of calls) {
    const price = there.of(call);
    for (const [kind, usage] of Object.entries(kinds)) {
      // Without a fee of its own, the fee of the tool is one of the options that an import sets for the whole site.
      if (price === null || (kind === 'tools' && !fees)) continue;
      const fee = fees?.of(call.requested).webSearch ?? 0;
      for (const [group, ratio] of Object.entries(groups)) {
        const here = book.find(call.requested, group);
        const formula = kind === 'audio' && chargesAudio(call.requested) ? 'audio' : 'text';
        const usesTools = kind === 'tools' && here !== null && here.card.perCall === undefined;
        const card = here && (usesTools && !hasLines(here.cards.text) ? here.card : here.cards[formula]);
        const charge = card ? chargeOfUsage(card, usage, ratio, quotaPerUnit).quota : null;
        const due = chargeThere(price, usage, fee, usualAudio(generation, call.requested)) * ratio;
        if (charge !== null && Math.abs(charge - due) <= 1.000_001) counts.same++;
        else if (listed.has(call.requested)) counts.listed++;
        else neither.push(`${call.requested} ${kind} ${group}: ${due} there, ${charge} here`);
      }
    }
  }
  process.stdout.write(`${generation}: ${counts.same} same, ${counts.listed} in the list, ${neither.length} neither\n`);
  expect(neither.slice(0, 20)).toEqual([]);
  expect(counts.same).toBeGreaterThan(models.length);
});
