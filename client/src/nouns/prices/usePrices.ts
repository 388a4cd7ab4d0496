import { skipToken, useQuery } from '@apollo/client/react';
import { useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import type { Loss } from './belowCost.js';
import { proposalOf } from './dry-run/proposal.js';
import { EditedLossesDocument, PricedNamesDocument, type PricedNamesQuery } from './prices.generated.js';
import { tokenQuantities } from './quantities.js';
import { useSettingsDraft } from '../settings/SettingsContext.js';
import {
  isOldDate,
  parseTables,
  priceKeys,
  priceRows,
  tableText,
  type Card,
  type ListPrice,
  type PriceTables,
} from './priceTables.js';

/** Prices whose JSON texts are all valid. */
export type Prices = Omit<ReturnType<typeof usePrices>, 'tables'> & { readonly tables: PriceTables };

/** The price tables in the settings draft. Edits of a model change these texts and are saved with the other settings. */
export function usePrices() {
  const draft = useSettingsDraft();
  const state = useSyncExternalStore(draft.subscribe, draft.state);
  const names = useQuery(PricedNamesDocument, { fetchPolicy: 'cache-and-network' });
  const read = (key: string) => state.edits.get(key) ?? state.saved.get(key)?.value ?? '';
  const groupText = read('GroupRatio');
  const texts = Object.values(priceKeys).map(read).join('\u0000');
  const tables = useMemo(() => {
    const values = texts.split('\u0000');
    const keys: readonly string[] = Object.values(priceKeys);
    return parseTables((key) => values[keys.indexOf(key)] ?? '');
  }, [texts]);
  const saved = useMemo(() => parseTables((key) => state.saved.get(key)?.value ?? ''), [state.saved]);
  /** Prices by card that the server computes. */
  const listed = useMemo(
    () =>
      new Map(
        names.data?.pricing.models.flatMap((priced) =>
          // A model whose saved card was removed by an edit has the list price.
          saved?.cards && Object.hasOwn(saved.cards, priced.modelName) && priced.effective?.source === 'CARD'
            ? ofListCard(priced)
            : listPriceOf(priced),
        ),
      ),
    [names.data, saved],
  );
  const rows = useMemo(() => (tables ? priceRows(tables, saved ?? tables, listed) : []), [tables, saved, listed]);
  const savedRows = useMemo(() => (saved ? priceRows(saved, saved, listed) : []), [saved, listed]);
  /** Completion ratios that apply where none is stored. Models that are priced per call have none. */
  const builtIn = useMemo(
    () =>
      new Map(
        names.data?.pricing.models.flatMap(({ modelName, completionRatio }) =>
          completionRatio === null ? [] : [[modelName, completionRatio] as const],
        ),
      ),
    [names.data],
  );
  return {
    /** Null while one of the JSON texts is invalid. */
    tables,
    rows,
    builtIn,
    listed,
    /** List prices of providers, also of models that another price counts for. */
    listCards: useMemo(
      () =>
        new Map(
          names.data?.pricing.models.flatMap(({ modelName, listCard }) =>
            listCard ? [[modelName, listCard as Card] as const] : [],
          ),
        ),
      [names.data],
    ),
    /**
     * Returns the card that typed prices change: the current one, or a card with the cache prices of the ratios for
     * this input price.
     */
    baseOf: (model: string, input: number): Card | undefined =>
      listed.get(model)?.card ??
      cardOfRatios(
        names.data?.pricing.models.find((one) => one.modelName === model),
        input,
      ),
    /** Prices that are below cost as they would be saved, by model. */
    losses: useEditedLosses(names.data?.salesBelowCost),
    /** The served models and list prices are not known yet. */
    isLoading: names.loading && !names.data,
    /** Models of enabled channels. */
    servedModels: names.data?.enabledModels ?? none,
    /** The row of a model by the saved settings. */
    savedRow: (model: string) => savedRows.find((row) => row.model === model),
    /** Models of enabled channels that the server has no price for. */
    unpricedModels: names.data?.unpricedModels,
    groupRatio: useMemo(() => parseGroups(groupText), [groupText]),
    put: (next: PriceTables) =>
      (Object.keys(priceKeys) as (keyof PriceTables)[]).forEach((name) => {
        const table = next[name] ?? {};
        if (table === tables?.[name]) return;
        const text = tableText(table);
        if (tables && text === tableText(tables[name] ?? {})) return;
        draft.edit(priceKeys[name], text);
      }),
  };
}

const none: readonly string[] = [];
/** Milliseconds after the last key until edited prices are compared with costs. */
const comparedAfter = 400;

/**
 * The losses of the edited prices, else of the saved ones. Until they are compared, those of before stay; prices that cannot be
 * saved have none.
 */
function useEditedLosses(saved: PricedNamesQuery['salesBelowCost'] | undefined): ReadonlyMap<string, Loss> {
  const draft = useSettingsDraft();
  const read = () => JSON.stringify(proposalOf(draft.state()));
  const text = useSyncExternalStore(draft.subscribe, read);
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), comparedAfter);
    return () => clearTimeout(timer);
  }, [text]);
  const settings = JSON.parse(settled) as ReturnType<typeof proposalOf>;
  const isEdited = settings.length > 0;
  const edited = useQuery(
    EditedLossesDocument,
    isEdited ? { variables: { settings }, fetchPolicy: 'no-cache' } : skipToken,
  );
  const last = edited.data ?? edited.previousData;
  const losses = isEdited ? (edited.error ? undefined : (last?.salesBelowCost ?? saved)) : saved;
  return useMemo(() => new Map(losses?.map((loss) => [loss.modelName, loss])), [losses]);
}

type PricedName = PricedNamesQuery['pricing']['models'][number];

/** Prices of cache reads and writes keep their ratio to the input price. */
function cardOfRatios(priced: PricedName | undefined, input: number): Card | undefined {
  const lines = priced?.effective?.lines ?? [];
  const before = lines.find(({ quantity }) => quantity === 'input')?.price ?? 0;
  if (before === 0) return undefined;
  // Work of tools is priced by itself, and not by the price of tokens.
  const kept = lines.filter(
    ({ quantity }) => quantity !== 'input' && quantity !== 'output' && tokenQuantities.some((one) => one === quantity),
  );
  return {
    prices: Object.fromEntries(
      kept.map(({ quantity, price }) => [quantity, Number(((price / before) * input).toPrecision(12))]),
    ),
  };
}

function listPriceOf({ modelName, effective }: PricedName): (readonly [string, ListPrice])[] {
  if (!effective?.card) return [];
  const of = (name: string): number | null => effective.lines.find(({ quantity }) => quantity === name)?.price ?? null;
  const { asOf, isOld, source } = effective;
  const card = effective.card as Card;
  const from = typeof card['source'] === 'string' ? { source: card['source'] } : {};
  const figures = {
    input: of('input'),
    cachedInput: of('cachedInput'),
    output: of('output'),
    isList: source === 'LIST',
    asOf: asOf ?? null,
    isOld,
    ...from,
  };
  return [[modelName, { model: modelName, figures, card }]];
}

function ofListCard({ modelName, listCard }: PricedName): (readonly [string, ListPrice])[] {
  if (!listCard) return [];
  const card = listCard as Card;
  const { input = null, cachedInput = null, output = null } = card.prices ?? {};
  const asOf = typeof card['asOf'] === 'string' ? card['asOf'] : null;
  const from = typeof card['source'] === 'string' ? { source: card['source'] } : {};
  const figures = { input, cachedInput, output, isList: true, asOf, isOld: isOldDate(asOf), ...from };
  return [[modelName, { model: modelName, figures, card }]];
}

function parseGroups(text: string): readonly (readonly [string, number])[] {
  try {
    return Object.entries(JSON.parse(text) as Record<string, number>).filter(([, ratio]) => typeof ratio === 'number');
  } catch {
    return [];
  }
}
