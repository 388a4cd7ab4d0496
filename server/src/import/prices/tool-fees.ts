import { parseFields } from '../../shared/json.js';
import { exact } from '../../shared/price-card.js';
import type { ToolPrices } from '../../shared/tool-fees.js';
import type { Generation } from './generation.js';

/** USD for 1,000 calls that new-api has built in, by tool, or by tool and prefix of the model. */
const builtIn: Readonly<Record<string, number>> = {
  web_search: 10,
  web_search_preview: 10,
  file_search: 2.5,
  google_search: 14,
  image_generation: 150,
  'web_search_preview:gpt-4o*': 25,
  'web_search_preview:gpt-4.1*': 25,
};

/** The option in which new-api saves its prices of tools. */
export const toolPriceOption = 'tool_price_setting.prices';
const everyModel = '*';
const ofGoogle = 'gemini*';

/** Fees of a source program for tools that providers run. It forwards all other tools free of charge. */
interface ToolFees {
  /** The fees as option `ToolPrices`: each prefix that has fees of its own, and all other models. */
  table(): Readonly<Record<string, ToolPrices>>;
  of(model: string): ToolPrices;
  /** Names fees that cannot be moved as they are, for a model. */
  unlike(model: string): string[];
  /** Names of fees that are counted differently here for every model. */
  readonly general: readonly string[];
}

/** Returns null for programs whose fees other code moves. */
export function toolFeesThere(generation: Generation, options: ReadonlyMap<string, string>): ToolFees | null {
  if (generation === 'new-api 2026') return new CurrentToolFees(options.get(toolPriceOption));
  return generation === 'veloera' || generation === 'new-api 2025' ? new EarlyToolFees() : null;
}

/** The fees of new-api of 2026. */
export class CurrentToolFees implements ToolFees {
  private readonly rules: ReadonlyMap<string, number>;

  /** @param saved value of the option; undefined if the site has saved none */
  constructor(saved: string | undefined) {
    const own = Object.entries(parseFields(saved ?? '') ?? {});
    const valid = own.filter((entry): entry is [string, number] => typeof entry[1] === 'number' && entry[1] >= 0);
    this.rules = new Map([...Object.entries(builtIn), ...valid]);
  }

  table(): Readonly<Record<string, ToolPrices>> {
    const prefixes = [...this.rules.keys()].flatMap((rule) => (rule.includes(':') ? [prefixOf(rule)] : []));
    const names = new Set([everyModel, ofGoogle, ...prefixes]);
    return Object.fromEntries([...names].map((name) => [name, this.of(name.replace(/\*$/, ''))]));
  }

  of(model: string): ToolPrices {
    const usd = (tool: string): number => exact(this.priceOf(tool, model) / 1000);
    const others = { mapsPrompt: 0, fileSearch: usd('file_search'), codeExecution: 0 };
    if (model.startsWith('gemini')) return { groundedPrompt: usd('google_search'), ...others };
    // A model with a price of its own for the older tool is one that is called with it.
    const tool = this.hasRule('web_search_preview', model) ? 'web_search_preview' : 'web_search';
    return { webSearch: usd(tool), ...others };
  }

  unlike(model: string): string[] {
    const search = this.of(model).webSearch;
    // Only models of OpenAI have both tools.
    const tools = (/^(claude|gemini)/.test(model) ? [] : ['web_search', 'web_search_preview']).filter(
      (tool) => search !== undefined && this.priceOf(tool, model) / 1000 !== search,
    );
    return tools.map((tool) => `${tool}: ${this.priceOf(tool, model) / 1000} USD there, ${search} USD here`);
  }

  get general(): string[] {
    const usd = this.priceOf('image_generation', '') / 1000;
    return [`image_generation: ${usd} USD a drawing there, the tokens of the drawing here`];
  }

  /** The longest prefix applies, then the price for all models. */
  private priceOf(tool: string, model: string): number {
    const [rule] = this.rulesOf(tool, model);
    return this.rules.get(rule ?? tool) ?? 0;
  }

  private hasRule(tool: string, model: string): boolean {
    return this.rulesOf(tool, model).length > 0;
  }

  private rulesOf(tool: string, model: string): string[] {
    return [...this.rules.keys()]
      .filter((rule) => rule.startsWith(`${tool}:`) && model.startsWith(prefixOf(rule).replace(/\*$/, '')))
      .sort((left, right) => right.length - left.length);
  }
}

const prefixOf = (rule: string): string => {
  const name = rule.slice(rule.indexOf(':') + 1);
  return name.endsWith('*') ? name : `${name}*`;
};

const free: ToolPrices = { webSearch: 0, groundedPrompt: 0, mapsPrompt: 0, fileSearch: 0, codeExecution: 0 };
/** USD for 1,000 searches by the size of their context. */
type BySize = readonly [low: number, medium: number, high: number];
const ofLargeModels: BySize = [30, 35, 50];
const ofOtherModels: BySize = [25, 27.5, 30];

/**
 * The fees of Veloera, and of new-api in May to July 2025, which have no settings for them (setting/operation_setting/tools.go and
 * relay/relay-text.go of both, read in November 2026). They charge for `web_search_preview` and `file_search` of Responses calls.
 */
class EarlyToolFees implements ToolFees {
  readonly general = [
    'web_search: free there, charged like web_search_preview here',
    'calls of tools: those of streamed responses there, and one for each tool that other requests name; every call here',
    'versions before May 2025 charge for no tool',
  ];

  table(): Readonly<Record<string, ToolPrices>> {
    const names = ['*', 'gpt-4o*', 'gpt-4.1*', 'gpt-4o-mini*', 'gpt-4.1-mini*', 'claude*', 'gemini*'];
    return Object.fromEntries(names.map((name) => [name, this.of(name.replace(/\*$/, ''))]));
  }

  of(model: string): ToolPrices {
    if (/^(claude|gemini)/.test(model)) return free;
    const [, medium] = searchesOf(model);
    return { ...free, webSearch: medium / 1000, fileSearch: 0.0025 };
  }

  unlike(model: string): string[] {
    if (!/^(gpt-|o\d)/.test(model)) return [];
    const [low, medium, high] = searchesOf(model).map((usd) => usd / 1000);
    return [
      `web_search_preview: ${low}, ${medium} or ${high} USD there, by the size of the context, ${medium} USD here`,
    ];
  }
}

const searchesOf = (model: string): BySize =>
  /^gpt-4(o|\.1)/.test(model) && !model.includes('mini') ? ofLargeModels : ofOtherModels;
