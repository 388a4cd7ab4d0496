/** Ratios, each with the names of its models. */
export type PriceList = ReadonlyArray<readonly [ratio: number, models: string]>;

export const tableOf = (list: PriceList): ReadonlyMap<string, number> =>
  new Map(list.flatMap(([ratio, models]) => models.split(' ').map((model) => [model, ratio] as const)));
