import type { ModelSaleQuery } from './models.generated.js';

/** The price that one group pays for a quantity, and its cost, in USD per million tokens or per unit. */
export interface MarginLine {
  readonly quantity: string;
  readonly isPerMillion: boolean;
  /** The price, multiplied by the ratio of the group. Null: the price does not name the quantity. */
  readonly price: number | null;
  /** The lowest and the highest cost of the channels that serve the group. Null: not known. */
  readonly least: number | null;
  readonly most: number | null;
  /** The margin at the channel with the highest cost. */
  readonly margin: number | null;
}

export interface GroupMargins {
  readonly group: string;
  readonly factor: number;
  readonly lines: readonly MarginLine[];
}

const exact = (value: number): number => Number(value.toPrecision(12));

/** Compares what each group pays with the costs of the channels that serve it. A quantity that only one side has has no margin. */
export function marginsOf({ effective, groups, costs }: ModelSaleQuery['modelSale']): readonly GroupMargins[] {
  return groups.map(({ name, ratio }) => {
    const serving = costs.filter((channel) => channel.groups.includes(name));
    const priced = effective?.lines ?? [];
    const known = new Map(
      [...priced, ...serving.flatMap(({ lines }) => lines)].map((line) => [line.quantity, line.isPerMillion]),
    );
    const lines = [...known].map(([quantity, isPerMillion]): MarginLine => {
      const price = priced.find((line) => line.quantity === quantity);
      const paid = serving.flatMap((channel) => channel.lines.filter((line) => line.quantity === quantity));
      const amounts = paid.map((line) => line.price);
      const [least, most] = amounts.length > 0 ? [Math.min(...amounts), Math.max(...amounts)] : [null, null];
      const charged = price ? exact(price.price * ratio) : null;
      const margin = charged === null || most === null ? null : exact(charged - most);
      return { quantity, isPerMillion, price: charged, least, most, margin };
    });
    return { group: name, factor: ratio, lines };
  });
}
