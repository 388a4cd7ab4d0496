import type { OptionValues } from '../modules/options/option.service.js';
import type { PriceBook } from '../modules/pricing/price-book.service.js';
import type { KeyDirectory } from './access/key-directory.js';
import type { Relay } from './relay.js';
import type { RoutingDirectory } from './routing/routing-directory.js';

/** What the routes of the relay stand on. */
export interface RelayRoutesParts {
  readonly relay: Relay;
  readonly keys: KeyDirectory;
  readonly channels: RoutingDirectory;
  readonly prices: PriceBook;
  readonly options: { readonly values: OptionValues };
  readonly maxBodyBytes: number;
}
