import { useMutation } from '@apollo/client/react';
import Button from '@mui/material/Button';
import FormControlLabel from '@mui/material/FormControlLabel';
import MenuItem from '@mui/material/MenuItem';
import Switch from '@mui/material/Switch';
import TextField from '@mui/material/TextField';
import { useTranslation } from 'react-i18next';
import { useAction } from '../../components/useAction.js';
import { SetPlanRenewalDocument, type SubscriptionFactsFragment } from './plans.generated.js';

/** Why a plan was not renewed. */
export type RenewalProblem =
  | ('NOT_SOLD' | 'PRICE_RAISED' | 'USER_BANNED' | 'INSUFFICIENT_QUOTA')
  | ('CARD_DECLINED' | 'AUTHENTICATION_REQUIRED' | 'CARD_REMOVED' | 'PAYMENT_FAILED');

const choices = ['NONE', 'BALANCE', 'CARD'] as const;

/** Whether a running plan is renewed, and who pays if its card was saved. */
export function Renewal({ subscription }: { readonly subscription: SubscriptionFactsFragment }) {
  const { t } = useTranslation();
  const act = useAction();
  const [setRenewal] = useMutation(SetPlanRenewalDocument);
  const { id, renews, renewsBy, savesCard } = subscription;
  const choose = (input: { readonly renews: boolean; readonly by?: 'BALANCE' | 'CARD' }) =>
    void act(async () => {
      await setRenewal({ variables: { input: { id, ...input } } });
    });
  if (!savesCard) {
    return (
      <FormControlLabel
        sx={{ m: 0, gap: 1 }}
        control={<Switch checked={renews} onChange={(_, checked) => choose({ renews: checked })} />}
        label={t('plans.renews')}
      />
    );
  }
  return (
    <TextField
      select
      size="small"
      label={t('plans.renewal')}
      value={renews ? renewsBy : 'NONE'}
      onChange={({ target }) => {
        const chosen = target.value as (typeof choices)[number];
        choose(chosen === 'NONE' ? { renews: false } : { renews: true, by: chosen });
      }}
    >
      {choices.map((choice) => (
        <MenuItem key={choice} value={choice}>
          {t(`plans.renewals.${choice}`)}
        </MenuItem>
      ))}
    </TextField>
  );
}

/** Ends the charges of a declined card. */
export function StopCharges({ id }: { readonly id: number }) {
  const { t } = useTranslation();
  const act = useAction();
  const [setRenewal] = useMutation(SetPlanRenewalDocument);
  return (
    <Button
      size="small"
      onClick={() =>
        void act(async () => {
          await setRenewal({ variables: { input: { id, renews: false } } });
        })
      }
    >
      {t('plans.stopCharges')}
    </Button>
  );
}
