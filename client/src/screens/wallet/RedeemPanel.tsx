import { useMutation } from '@apollo/client/react';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Card from '@mui/material/Card';
import MuiLink from '@mui/material/Link';
import Typography from '@mui/material/Typography';
import { useRef } from 'react';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { TextInput } from '../../components/form/inputs.js';
import { toast } from '../../components/toast.js';
import { describeFailure } from '../../lib/errors.js';
import { useIdempotencyKey } from '../../lib/useIdempotencyKey.js';
import { useFormat } from '../../lib/useFormat.js';
import { RedeemDocument } from './wallet.generated.js';

export function RedeemPanel({
  link,
  onRedeemed,
}: {
  readonly link: string | undefined;
  readonly onRedeemed: () => void;
}) {
  const { t } = useTranslation();
  const { money } = useFormat();
  const [redeem] = useMutation(RedeemDocument);
  const keyFor = useIdempotencyKey();
  // A code that is entered again after it was redeemed is a new request.
  const redeemed = useRef(0);
  const form = useForm({ defaultValues: { key: '' } });
  const submit = form.handleSubmit(async ({ key }) => {
    try {
      const code = key.trim();
      const idempotencyKey = keyFor({ code, redeemed: redeemed.current });
      const { data } = await redeem({ variables: { key: code, idempotencyKey } });
      const result = data?.redeem;
      if (result && 'code' in result) {
        form.setError('key', { message: t(`wallet.refused.${result.code}`) }, { shouldFocus: true });
        return;
      }
      toast.success(
        result?.plan == null
          ? t('wallet.redeemed', { amount: money(result?.quota ?? 0, 'balance') })
          : t('plans.bought', { name: result.plan }),
      );
      redeemed.current++;
      form.reset();
      onRedeemed();
    } catch (error) {
      form.setError('key', { message: describeFailure(error, t) }, { shouldFocus: true });
    }
  });
  return (
    <Card component="section" aria-label={t('wallet.redeemTitle')} sx={{ padding: 2 }}>
      <Typography variant="h2" sx={{ fontSize: 14, mb: 1.5 }}>
        {t('wallet.redeemTitle')}
      </Typography>
      <Box
        component="form"
        noValidate
        onSubmit={(event) => void submit(event)}
        sx={{ display: 'flex', flexDirection: 'column', gap: 2 }}
      >
        <TextInput
          control={form.control}
          name="key"
          mono
          label={t('wallet.code')}
          placeholder={t('wallet.codePlaceholder')}
          maxLength={100}
          rules={{ validate: (key) => key.trim() !== '' || t('wallet.codeMissing') }}
        />
        <Button type="submit" variant="outlined" fullWidth loading={form.formState.isSubmitting}>
          {t('wallet.redeem')}
        </Button>
      </Box>
      {link !== undefined && (
        <Box sx={{ mt: 1.5, fontSize: 12, color: 'text.secondary' }}>
          {/^https?:\/\//.test(link) ? (
            <>
              {t('wallet.noCode')}{' '}
              <MuiLink href={link} target="_blank" rel="noreferrer" sx={{ fontWeight: 500 }}>
                {t('wallet.shop')}
              </MuiLink>
            </>
          ) : (
            t('wallet.noShop')
          )}
        </Box>
      )}
    </Card>
  );
}
