import type { Prices } from '../../../shared/price-card.js';
import type { Fields } from '../../../dialects/neutral/fields.js';
import { serverTools } from '../../../dialects/server-tools.js';

/** Returns the tools of a request that the provider runs and that have no known price, by the client's names. */
export const unpricedTools = (body: Fields, prices: Prices): readonly string[] =>
  serverTools(body)
    .filter((tool) => !tool.prices.some((quantity) => prices[quantity] !== undefined))
    .map(({ name }) => name);

/** Returns the tools that were not removed from the request to the provider. */
export const toolsSent = (names: readonly string[], dropped: readonly string[] | undefined): readonly string[] =>
  dropped ? names.filter((name) => !dropped.some((each) => each === name || each.endsWith(`.${name}`))) : names;
