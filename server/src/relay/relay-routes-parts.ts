import type { OptionValues } from '../modules/options/option.service.js';
import type { PriceBook } from '../modules/pricing/price-book.service.js';
import type { Relay } from './relay.js';
import type { RoutingDirectory } from './routing/routing-directory.js';

/** What the routes of the relay stand on. */
export interface RelayRoutesParts {
  readonly relay: Relay;
  readonly channels: RoutingDirectory;
  readonly prices: PriceBook;
  readonly options: { readonly values: OptionValues };
  readonly maxBodyBytes: number;
}
