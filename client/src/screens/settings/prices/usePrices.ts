import { useQuery } from '@apollo/client/react';
import { useMemo, useSyncExternalStore } from 'react';
import { PricedNamesDocument } from '../settings.generated.js';
import { useSettingsDraft } from '../SettingsContext.js';
import { parseTables, priceKeys, priceRows, tableText, type PriceTables } from './priceTables.js';

/** The price tables in the settings draft. Edits of a model change these texts and are saved with the other settings. */
export function usePrices() {
  const draft = useSettingsDraft();
  const state = useSyncExternalStore(draft.subscribe, draft.state);
  const names = useQuery(PricedNamesDocument, { fetchPolicy: 'cache-and-network' });
  const read = (key: string) => state.edits.get(key) ?? state.saved.get(key)?.value ?? '';
  const texts = Object.values(priceKeys).map(read).join('\u0000');
  const tables = useMemo(() => {
    const [price = '', ratio = '', completion = ''] = texts.split('\u0000');
    return parseTables((key) => (key === priceKeys.price ? price : key === priceKeys.ratio ? ratio : completion));
  }, [texts]);
  const saved = useMemo(() => parseTables((key) => state.saved.get(key)?.value ?? ''), [state.saved]);
  const rows = useMemo(() => (tables ? priceRows(tables, saved ?? tables) : []), [tables, saved]);
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
    enabledModels: names.data?.enabledModels,
    groupRatio: useMemo(() => parseGroups(read('GroupRatio')), [state]), // eslint-disable-line react-hooks/exhaustive-deps
    put: (next: PriceTables) =>
      (Object.keys(priceKeys) as (keyof PriceTables)[]).forEach((name) => {
        if (next[name] === tables?.[name]) return;
        const text = tableText(next[name]);
        if (tables && text === tableText(tables[name])) return;
        draft.edit(priceKeys[name], text);
      }),
  };
}

function parseGroups(text: string): readonly (readonly [string, number])[] {
  try {
    return Object.entries(JSON.parse(text) as Record<string, number>).filter(([, ratio]) => typeof ratio === 'number');
  } catch {
    return [];
  }
}
