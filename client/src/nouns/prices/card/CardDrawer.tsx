import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import IconButton from '@mui/material/IconButton';
import OutlinedInput from '@mui/material/OutlinedInput';
import DeleteOutlinedIcon from '@mui/icons-material/DeleteOutlineOutlined';
import { useId, useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { UnsavedGuard, useMayDiscard } from '../../../components/form/UnsavedGuard.js';
import { Field } from '../../../components/form/Field.js';
import { Notice } from '../../../components/Notice.js';
import { Segments } from '../../../components/Segments.js';
import { SideDrawer } from '../../../components/SideDrawer.js';
import { AmountField } from '../AmountField.js';
import type { Card } from '../priceTables.js';
import { toCard, toForm, type CardForm, type TypedTier } from './cardForm.js';
import { PriceFields } from './PriceFields.js';
import { conditions, tokenQuantities, unitQuantities } from '../quantities.js';
import { VariantFields } from './VariantFields.js';

const exampleSource = 'https://provider.example/pricing';
/** A video has no prompt tokens. */
const conditionsOfPrompts = conditions.filter(({ resolution }) => !resolution);
const usual = ['input', 'cachedInput', 'cacheWrite', 'cacheWrite1h', 'output', 'reasoning'] as const;

/** Edits every price of a card: tokens, units, long prompts, service tiers, and their source. */
export function CardDrawer({
  model,
  card,
  onSave,
  onClose,
}: {
  readonly model: string;
  /** The card to begin with. */
  readonly card: Card;
  readonly onSave: (card: Card) => void;
  readonly onClose: () => void;
}) {
  const { t } = useTranslation();
  const id = useId();
  const [start] = useState<CardForm>(() => toForm(card));
  const [form, setForm] = useState(start);
  const mayDiscard = useMayDiscard();
  const isChanged = JSON.stringify(form) !== JSON.stringify(start);
  const [isShown, setShown] = useState(false);
  const result = toCard(form);
  const put = (next: Partial<CardForm>) => setForm({ ...form, ...next });
  const putTier = (index: number, next: Partial<TypedTier>) =>
    put({ tiers: form.tiers.map((tier, at) => (at === index ? { ...tier, ...next } : tier)) });
  const close = async () => {
    if (!isChanged || (await mayDiscard())) onClose();
  };
  const save = () => {
    if ('problem' in result) setShown(true);
    else onSave(result.card);
  };

  return (
    <SideDrawer
      open
      width={640}
      title={t('priceCard.title', { model })}
      meta={t('priceCard.text')}
      onClose={() => void close()}
      footer={
        <>
          <Button variant="outlined" onClick={() => void close()}>
            {t('actions.cancel')}
          </Button>
          <Button variant="contained" onClick={save}>
            {t('priceCard.use')}
          </Button>
        </>
      }
    >
      {isChanged && <UnsavedGuard />}
      <Box sx={{ display: 'flex', flexDirection: 'column', gap: 3 }}>
        {isShown && 'problem' in result && <Notice tone="red">{t(`priceCard.problems.${result.problem}`)}</Notice>}
        <Part title={t('priceCard.tokens')} hint={t('priceCard.tokensHint')}>
          <PriceFields
            prices={form.prices}
            always={usual}
            of={tokenQuantities}
            name={t('priceCard.tokens')}
            onChange={(prices) => put({ prices })}
          />
        </Part>
        <Part title={t('priceCard.units')} hint={t('priceCard.unitsHint')}>
          <PriceFields
            prices={form.prices}
            always={[]}
            of={unitQuantities}
            name={t('priceCard.units')}
            onChange={(prices) => put({ prices })}
          />
        </Part>
        <Part title={t('priceCard.long')} hint={t('priceCard.longHint')}>
          {form.tiers.map((tier, index) => {
            const name = t('priceCard.tier', { n: index + 1 });
            return (
              <Box
                key={index}
                role="group"
                aria-label={name}
                sx={{
                  display: 'flex',
                  flexDirection: 'column',
                  gap: 1.5,
                  padding: 1.5,
                  border: '1px solid',
                  borderColor: 'divider',
                  borderRadius: '6px',
                }}
              >
                <Box sx={{ display: 'flex', alignItems: 'flex-end', gap: 1 }}>
                  <Box sx={{ width: 200 }}>
                    <AmountField
                      label={t('priceCard.threshold')}
                      value={tier.above}
                      onChange={(above) => putTier(index, { above })}
                    />
                  </Box>
                  <IconButton
                    aria-label={t('priceCard.remove', { name })}
                    onClick={() => put({ tiers: form.tiers.filter((_, at) => at !== index) })}
                    sx={{ ml: 'auto' }}
                  >
                    <DeleteOutlinedIcon />
                  </IconButton>
                </Box>
                <PriceFields
                  prices={tier.prices}
                  always={['input', 'cachedInput', 'output']}
                  name={name}
                  onChange={(prices) => putTier(index, { prices })}
                />
                <VariantFields
                  variants={tier.variants}
                  of={conditionsOfPrompts}
                  name={name}
                  onChange={(variants) => putTier(index, { variants })}
                />
              </Box>
            );
          })}
          <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 2, alignItems: 'center' }}>
            <Button
              variant="outlined"
              onClick={() => put({ tiers: [...form.tiers, { above: '', prices: {}, variants: [] }] })}
            >
              {t('priceCard.addTier')}
            </Button>
            {form.tiers.length > 0 && (
              <Segments
                label={t('priceCard.scope')}
                value={form.scope}
                onChange={(scope) => put({ scope })}
                choices={[
                  { value: 'call', label: t('priceCard.wholeCall') },
                  { value: 'excess', label: t('priceCard.excess') },
                ]}
              />
            )}
          </Box>
        </Part>
        <Part title={t('priceCard.variants')} hint={t('priceCard.variantsHint')}>
          <VariantFields
            variants={form.variants}
            name={t('priceCard.variants')}
            onChange={(variants) => put({ variants })}
          />
        </Part>
        <Part title={t('priceCard.origin')}>
          <Field id={`${id}-source`} label={t('priceCard.source')} optional>
            <OutlinedInput
              id={`${id}-source`}
              fullWidth
              value={form.source}
              placeholder={exampleSource}
              onChange={(event) => put({ source: event.target.value.slice(0, 512) })}
            />
          </Field>
          <Field id={`${id}-date`} label={t('priceCard.asOf')} optional>
            <OutlinedInput
              id={`${id}-date`}
              value={form.asOf}
              placeholder="2026-11-22"
              onChange={(event) => put({ asOf: event.target.value.trim() })}
              sx={{ width: 160 }}
            />
          </Field>
        </Part>
      </Box>
    </SideDrawer>
  );
}

function Part({
  title,
  hint,
  children,
}: {
  readonly title: string;
  readonly hint?: string;
  readonly children: ReactNode;
}) {
  return (
    <Box component="section" aria-label={title} sx={{ display: 'flex', flexDirection: 'column', gap: 1.5 }}>
      <Box>
        <Box sx={{ fontSize: 13, fontWeight: 600 }}>{title}</Box>
        {hint && <Box sx={{ fontSize: 12, color: 'text.secondary' }}>{hint}</Box>}
      </Box>
      {children}
    </Box>
  );
}
