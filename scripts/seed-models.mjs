/**
 * The models of `npm run seed`, the most used first, with the channels that serve them. Prices are list prices in USD per
 * million tokens, which `tests/contract/seed.test.ts` compares with those of the server.
 */
const makers = {
  openai: { type: 1, title: 'OpenAI', tag: 'openai', path: '/v1/chat/completions' },
  anthropic: { type: 14, title: 'Anthropic', tag: 'anthropic', path: '/v1/messages' },
  google: { type: 24, title: 'Gemini', tag: 'google', path: '/v1/chat/completions' },
  deepseek: { type: 43, title: 'DeepSeek', tag: 'open', path: '/v1/chat/completions' },
  mistral: { type: 42, title: 'Mistral', tag: 'open', path: '/v1/chat/completions' },
  xai: { type: 48, title: 'xAI', tag: 'xai', path: '/v1/chat/completions' },
};

const catalogue = [
  ['openai', 'gpt-5.4', 2.5, 0.25, 15],
  ['anthropic', 'claude-sonnet-5-5', 2, 0.1, 10],
  ['google', 'gemini-3.5-flash', 1.5, 0.15, 9],
  ['openai', 'gpt-6-luna', 0.1, 0.01, 0.5],
  ['deepseek', 'deepseek-v4-pro', 1.32, 0.044, 3.96],
  ['anthropic', 'claude-haiku-4-5', 1, 0.1, 5],
  ['openai', 'gpt-6-sol', 2, 0.2, 10],
  ['google', 'gemini-3.5-flash-lite', 0.3, 0.03, 2.5],
  ['xai', 'grok-4.5', 2, 0.3, 6],
  ['anthropic', 'claude-opus-5-5', 4, 0.2, 20],
  ['mistral', 'mistral-large-latest', 0.5, 0.05, 1.5],
  ['openai', 'gpt-5.5', 5, 0.5, 30],
  ['google', 'gemini-3.1-pro-preview', 2, 0.2, 12],
  ['deepseek', 'deepseek-v4-flash', 0.3, 0.006, 1.2],
  ['anthropic', 'claude-sonnet-5', 2, 0.2, 10],
  ['openai', 'gpt-5-mini', 0.25, 0.025, 2],
  ['mistral', 'codestral-latest', 0.3, 0.03, 0.9],
  ['xai', 'grok-4.7', 2, 0.5, 6],
  ['openai', 'gpt-5-nano', 0.05, 0.005, 0.4],
  ['google', 'gemini-2.5-pro', 1.25, 0.125, 10],
  ['mistral', 'mistral-medium-latest', 1.5, 0.15, 7.5],
  ['openai', 'gpt-5.4-mini', 0.75, 0.075, 4.5],
  ['anthropic', 'claude-haiku-5-5', 0.1, 0.01, 0.5],
  ['openai', 'gpt-4.1-mini', 0.4, 0.1, 1.6],
];

/** Second halves of the names of channels of one provider. */
const places = ['primary', 'EU', 'backup', 'team key', 'batch', 'Asia', 'reseller', 'second account'];
/** Costs as a share of the list price: most channels buy at a discount. */
const factors = [0.84, 0.8, 0.92, 0.6];
/** One channel loses money, another one fails often. */
const [losing, failing] = [8, 11];

/**
 * Returns a model and its channel for each number from 0. Models beyond the catalogue have its names with a number, and its
 * prices. A channel serves all models of its maker; calls of the seed go to the one that stands beside the model.
 */
export function seededModels(count) {
  const found = Array.from({ length: count }, (_, index) => {
    const [maker, name, input, cachedInput, output] = catalogue[index % catalogue.length];
    const round = Math.floor(index / catalogue.length);
    return { maker, name: round === 0 ? name : `${name}-${round + 1}`, input, cachedInput, output };
  });
  return found.map(({ maker, ...model }, index) => {
    const { type, title, tag, path } = makers[maker];
    const earlier = found.slice(0, index).filter((other) => other.maker === maker).length;
    const round = Math.floor(earlier / places.length);
    return {
      ...model,
      path,
      factor: index === losing ? 1.2 : factors[index % factors.length],
      failures: index === failing ? 0.16 : 0.012,
      channel: {
        type,
        name: `${title} ${places[earlier % places.length]}${round === 0 ? '' : ` ${round + 1}`}`,
        tag,
        // A name that leads nowhere: the key is invented, and no call of a site with invented channels leaves it.
        baseUrl: `https://${maker}.upstream.invalid`,
        models: found.filter((other) => other.maker === maker).map(({ name }) => name),
      },
    };
  });
}
