import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import { useState, type SyntheticEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { Notice } from '../../components/Notice.js';
import { Segments } from '../../components/Segments.js';
import { unitPrice } from '../../lib/format.js';
import {
  inputPrice,
  outputPrice,
  parseAmount,
  withCardPrices,
  withFixedPrice,
  withRatios,
  type PriceTables,
} from './priceTables.js';
import { AmountField } from './AmountField.js';
import type { Prices } from './usePrices.js';

type What = 'tokens' | 'price' | 'multiples';

/**
 * Sets the same value for every model. Prices of tokens are USD per million, in a card. Of multiples, null keeps that of each
 * model; a multiple of the input alone does not apply to models with a price per call, so they stay unchanged.
 */
export function setAll(
  tables: PriceTables,
  models: readonly string[],
  what: What,
  first: number | null,
  second: number | null,
  baseOf: Prices['baseOf'] = () => undefined,
): PriceTables {
  return models.reduce((before, model) => {
    if (what === 'price') return withFixedPrice(before, model, first ?? 0);
    if (what === 'tokens') {
      const input = first ?? 0;
      return withCardPrices(before, model, { input, output: second ?? 0 }, baseOf(model, input));
    }
    const ratio = first ?? before.ratio[model];
    return ratio === undefined ? before : withRatios(before, model, ratio, second ?? before.completion[model] ?? null);
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
  const hasTwo = what !== 'price';
  const [left, right] = [parseAmount(first), parseAmount(second)];
  const fixed = models.filter((model) => Object.hasOwn(tables.price, model)).length;
  const submit = () => {
    const texts = hasTwo ? [first, second] : [first];
    const typed = texts.filter((text) => text.trim() !== '');
    // Multiples that are left empty stay as they are.
    const isComplete = what === 'multiples' ? typed.length > 0 : typed.length === texts.length;
    if (models.length === 0) setProblem(t('prices.selectFirst'));
    else if (!isComplete) setProblem(t('prices.enterFill'));
    else if (typed.map(parseAmount).includes(null)) setProblem(t('prices.enterValid'));
    else onSet(setAll(tables, models, what, left, hasTwo ? right : null, baseOf));
  };
  const only = models.length === 1 ? models[0] : undefined;
  return (
    <Dialog
      open
      onClose={onClose}
      maxWidth="xs"
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
            { value: 'multiples', label: t('prices.multiples') },
          ]}
        />
        <AmountField
          label={
            what === 'price'
              ? t('prices.pricePerRequest')
              : what === 'tokens'
                ? t('prices.inputPrice')
                : t('prices.ratioOfInput')
          }
          prefix={what === 'multiples' ? '' : '$'}
          value={first}
          onChange={setFirst}
        />
        {hasTwo && (
          <AmountField
            label={what === 'tokens' ? t('prices.outputPrice') : t('prices.ratioOfOutput')}
            prefix={what === 'tokens' ? '$' : ''}
            value={second}
            onChange={setSecond}
          />
        )}
        {what === 'multiples' && (
          <Box className="num" sx={{ fontSize: 12, color: 'text.secondary' }}>
            {left === null
              ? t('prices.multiplesHint')
              : right === null
                ? t('prices.multipleOf', { input: unitPrice(inputPrice(left)) })
                : t('prices.multiplesOf', {
                    input: unitPrice(inputPrice(left)),
                    output: unitPrice(outputPrice(left, right)),
                  })}
          </Box>
        )}
        {fixed > 0 && what !== 'price' && (
          <Notice tone="amber">
            {what === 'multiples' && left === null
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
