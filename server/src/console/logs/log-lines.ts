import { usdOfLine, type ChargeLine } from '../../shared/charge-lines.js';
import { isTokenQuantity, type Quantity } from '../../shared/price-card.js';

/** One quantity of a charge or of a cost. */
export interface LogChargeLine {
  readonly quantity: Quantity;
  /** Tokens or units; seconds may have a fraction. */
  readonly count: number;
  /** USD per million tokens or per unit. */
  readonly price: number;
  readonly isPerMillion: boolean;
  /** USD before the group ratio. */
  readonly usd: number;
}

export const linesOf = (lines: readonly ChargeLine[] | null): LogChargeLine[] | null =>
  lines?.map((line): LogChargeLine => {
    const [quantity, count, price] = line;
    return { quantity, count, price, isPerMillion: isTokenQuantity(quantity), usd: usdOfLine(line) };
  }) ?? null;
