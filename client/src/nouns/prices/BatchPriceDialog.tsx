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
 * Sets the same value for every model; prices of tokens as USD per million, in a card. A completion ratio leaves models with a price per call as they are, because it does
 * not apply to them.
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
    if (models.length === 0) setProblem(t('settings.selectFirst'));
    else if (texts.some((text) => text.trim() === '')) setProblem(t('settings.enterFill'));
    else if (amounts.includes(null)) setProblem(t('settings.enterValid'));
    else onSet(setAll(tables, models, what, amounts[0] ?? 0, amounts[1] ?? 0, baseOf));
  };
  const only = models.length === 1 ? models[0] : undefined;
  return (
    <Dialog
      open
      onClose={onClose}
      // Its five kinds of prices fit side by side.
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
        {only ? t('settings.priceOf', { name: only }) : t('settings.batchTitle', { count: models.length })}
      </DialogTitle>
      <DialogContent sx={{ display: 'flex', flexDirection: 'column', gap: 2 }}>
        <Segments
          label={t('settings.batchWhat')}
          value={what}
          onChange={(next) => {
            setWhat(next);
            setProblem(null);
          }}
          choices={[
            { value: 'tokens', label: t('settings.pricePerMillion') },
            { value: 'price', label: t('settings.pricePerRequest') },
            { value: 'ratio', label: t('settings.ratio') },
            { value: 'completion', label: t('settings.completion') },
            { value: 'both', label: t('settings.both') },
          ]}
        />
        <AmountField
          label={
            what === 'price'
              ? t('settings.pricePerRequest')
              : what === 'tokens'
                ? t('settings.inputPrice')
                : what === 'completion'
                  ? t('settings.completion')
                  : t('settings.ratio')
          }
          prefix={what === 'price' || what === 'tokens' ? '$' : ''}
          value={first}
          onChange={setFirst}
        />
        {hasTwo && (
          <AmountField
            label={what === 'tokens' ? t('settings.outputPrice') : t('settings.completion')}
            prefix={what === 'tokens' ? '$' : ''}
            value={second}
            onChange={setSecond}
          />
        )}
        {fixed > 0 && what !== 'price' && (
          <Notice tone="amber">
            {what === 'completion'
              ? t('settings.batchKeepsFixed', { count: fixed })
              : t('settings.batchReplacesFixed', { count: fixed })}
          </Notice>
        )}
        {problem && <Notice tone="red">{problem}</Notice>}
      </DialogContent>
      <DialogActions>
        <Button variant="outlined" onClick={onClose}>
          {t('actions.cancel')}
        </Button>
        <Button type="submit" variant="contained">
          {only ? t('settings.setPrice') : t('settings.batchSet')}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
