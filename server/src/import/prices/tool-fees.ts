import { parseFields } from '../../shared/json.js';
import type { ToolPrices } from '../../shared/tool-fees.js';

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

/** The fees of new-api of 2026 for tools that providers run. It forwards all other tools free of charge. */
export class ToolFeesThere {
  private readonly rules: ReadonlyMap<string, number>;

  /** @param saved value of the option; undefined if the site has saved none */
  constructor(saved: string | undefined) {
    const own = Object.entries(parseFields(saved ?? '') ?? {});
    const valid = own.filter((entry): entry is [string, number] => typeof entry[1] === 'number' && entry[1] >= 0);
    this.rules = new Map([...Object.entries(builtIn), ...valid]);
  }

  /** Returns the fees as option `ToolPrices`: each prefix that has a rule, and all other models. */
  table(): Readonly<Record<string, ToolPrices>> {
    const prefixes = [...this.rules.keys()].flatMap((rule) => (rule.includes(':') ? [prefixOf(rule)] : []));
    const names = new Set([everyModel, ofGoogle, ...prefixes]);
    return Object.fromEntries([...names].map((name) => [name, this.of(name.replace(/\*$/, ''))]));
  }

  /** Returns the fees of a model. */
  of(model: string): ToolPrices {
    const usd = (tool: string): number => Number((this.priceOf(tool, model) / 1000).toPrecision(12));
    const others = { mapsPrompt: 0, fileSearch: usd('file_search'), codeExecution: 0 };
    if (model.startsWith('gemini')) return { groundedPrompt: usd('google_search'), ...others };
    // A model with a price of its own for the older tool is one that is called with it.
    const tool = this.hasRule('web_search_preview', model) ? 'web_search_preview' : 'web_search';
    return { webSearch: usd(tool), ...others };
  }

  /** Names fees that cannot be moved as they are, for a model. */
  unlike(model: string): string[] {
    const search = this.of(model).webSearch;
    // Only models of OpenAI have both tools.
    const tools = (/^(claude|gemini)/.test(model) ? [] : ['web_search', 'web_search_preview']).filter(
      (tool) => search !== undefined && this.priceOf(tool, model) / 1000 !== search,
    );
    return tools.map((tool) => `${tool}: ${this.priceOf(tool, model) / 1000} USD there, ${search} USD here`);
  }

  /** USD that a drawing by a tool costs. Here its tokens are charged. */
  get drawing(): number {
    return this.priceOf('image_generation', '') / 1000;
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
