import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import { useState, type SyntheticEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { Notice } from '../../components/Notice.js';
import { Segments } from '../../components/Segments.js';
import { parseAmount, withCardPrices, withFixedPrice, withRatios, type PriceTables } from './priceTables.js';
import { AmountField } from './AmountField.js';
import type { Prices } from './usePrices.js';

type What = 'tokens' | 'price' | 'ratio' | 'completion' | 'both';

/**
 * Sets the same value for every model. Prices of tokens are USD per million, in a card. A completion ratio does not
 * apply to models with a price per call, so they stay unchanged.
 */
export function setAll(
  tables: PriceTables,
  models: readonly string[],
  what: What,
  first: number,
  second: number,
  baseOf: Prices['baseOf'] = () => undefined,
): PriceTables {
  return models.reduce((before, model) => {
    if (what === 'tokens') return withCardPrices(before, model, { input: first, output: second }, baseOf(model, first));
    if (what === 'price') return withFixedPrice(before, model, first);
    if (what === 'completion') {
      const ratio = before.ratio[model];
      return ratio === undefined ? before : withRatios(before, model, ratio, first);
    }
    return withRatios(before, model, first, what === 'both' ? second : (before.completion[model] ?? null));
  }, tables);
}

/** Sets one value for all selected models. */
export function BatchPriceDialog({
  models,
  prices: { tables, baseOf },
  onSet,
  onClose,
}: {
  readonly models: readonly string[];
  readonly prices: Pick<Prices, 'tables' | 'baseOf'>;
  readonly onSet: (tables: PriceTables) => void;
  readonly onClose: () => void;
}) {
  const { t } = useTranslation();
  const [what, setWhat] = useState<What>('tokens');
  const [first, setFirst] = useState('');
  const [second, setSecond] = useState('');
  const [problem, setProblem] = useState<string | null>(null);
  const hasTwo = what === 'both' || what === 'tokens';
  const fixed = models.filter((model) => Object.hasOwn(tables.price, model)).length;
  const submit = () => {
    const texts = hasTwo ? [first, second] : [first];
    const amounts = texts.map(parseAmount);
    if (models.length === 0) setProblem(t('prices.selectFirst'));
    else if (texts.some((text) => text.trim() === '')) setProblem(t('prices.enterFill'));
    else if (amounts.includes(null)) setProblem(t('prices.enterValid'));
    else onSet(setAll(tables, models, what, amounts[0] ?? 0, amounts[1] ?? 0, baseOf));
  };
  const only = models.length === 1 ? models[0] : undefined;
  return (
    <Dialog
      open
      onClose={onClose}
      // The five kinds of prices fit side by side.
      maxWidth="sm"
      fullWidth
      slotProps={{
        paper: {
          component: 'form',
          onSubmit: (event: SyntheticEvent) => {
            event.preventDefault();
            submit();
          },
        },
      }}
    >
      <DialogTitle>
        {only ? t('prices.priceOf', { name: only }) : t('prices.batchTitle', { count: models.length })}
      </DialogTitle>
      <DialogContent sx={{ display: 'flex', flexDirection: 'column', gap: 2 }}>
        <Segments
          label={t('prices.batchWhat')}
          value={what}
          onChange={(next) => {
            setWhat(next);
            setProblem(null);
          }}
          choices={[
            { value: 'tokens', label: t('prices.pricePerMillion') },
            { value: 'price', label: t('prices.pricePerRequest') },
            { value: 'ratio', label: t('prices.ratio') },
            { value: 'completion', label: t('prices.completion') },
            { value: 'both', label: t('prices.both') },
          ]}
        />
        <AmountField
          label={
            what === 'price'
              ? t('prices.pricePerRequest')
              : what === 'tokens'
                ? t('prices.inputPrice')
                : what === 'completion'
                  ? t('prices.completion')
                  : t('prices.ratio')
          }
          prefix={what === 'price' || what === 'tokens' ? '$' : ''}
          value={first}
          onChange={setFirst}
        />
        {hasTwo && (
          <AmountField
            label={what === 'tokens' ? t('prices.outputPrice') : t('prices.completion')}
            prefix={what === 'tokens' ? '$' : ''}
            value={second}
            onChange={setSecond}
          />
        )}
        {fixed > 0 && what !== 'price' && (
          <Notice tone="amber">
            {what === 'completion'
              ? t('prices.batchKeepsFixed', { count: fixed })
              : t('prices.batchReplacesFixed', { count: fixed })}
          </Notice>
        )}
        {problem && <Notice tone="red">{problem}</Notice>}
      </DialogContent>
      <DialogActions>
        <Button variant="outlined" onClick={onClose}>
          {t('actions.cancel')}
        </Button>
        <Button type="submit" variant="contained">
          {only ? t('prices.setPrice') : t('prices.batchSet')}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
