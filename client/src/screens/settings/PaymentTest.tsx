import { useApolloClient, useMutation } from '@apollo/client/react';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ToneChip } from '../../components/Tone.js';
import { useAction } from '../../components/useAction.js';
import { useMay } from '../../lib/permissions.js';
import { PaymentMethodsDocument } from '../../nouns/payments/paymentMethods.generated.js';
import { TestPaymentDocument, type PaymentTestOutcome, type TestPaymentMutation } from './settings.generated.js';

const unsure: readonly PaymentTestOutcome[] = ['UNCLEAR', 'CALLBACK_NOT_PUBLIC', 'CALLBACK_MISSING', 'NOT_CONFIGURED'];

function gradeOf(outcome: PaymentTestOutcome): 'works' | 'unsure' | 'fails' {
  if (outcome === 'WORKS') return 'works';
  return unsure.includes(outcome) ? 'unsure' : 'fails';
}

const tones = { works: 'green', unsure: 'amber', fails: 'red' } as const;

/**
 * Checks the saved settings of each payment gateway that is set up, without a payment, and shows what is right or wrong in
 * one sentence.
 */
export function PaymentTest() {
  const { t } = useTranslation();
  const act = useAction();
  const client = useApolloClient();
  const [run] = useMutation(TestPaymentDocument);
  const [loading, setLoading] = useState(false);
  const [results, setResults] = useState<readonly TestPaymentMutation['testPayment'][]>([]);
  if (!useMay('PAYMENTS_SETTINGS')) return null;
  const test = () => {
    setResults([]);
    setLoading(true);
    void act(async () => {
      const { data } = await client.query({ query: PaymentMethodsDocument, fetchPolicy: 'network-only' });
      const offered = data?.paymentMethods.filter(({ isOffered }) => isOffered) ?? [];
      const providers = [...new Set(offered.map(({ provider }) => provider))];
      // If no provider is set up, the response of the server names what is missing.
      for (const provider of providers.length > 0 ? providers : [null]) {
        const test = (await run({ variables: { provider } })).data?.testPayment;
        if (test) setResults((before) => [...before, test]);
      }
    }).finally(() => setLoading(false));
  };
  return (
    <Box sx={{ mx: 2, padding: '12px 0 16px', borderTop: '1px solid', borderColor: 'divider' }}>
      <Box sx={{ display: 'flex', alignItems: 'center', justifyContent: 'space-between', gap: 2, flexWrap: 'wrap' }}>
        <Box sx={{ flex: '1 1 240px' }}>
          <Box sx={{ fontWeight: 500, fontSize: 13 }}>{t('paymentTest.title')}</Box>
          <Box sx={{ fontSize: 12, color: 'text.secondary' }}>{t('paymentTest.hint')}</Box>
        </Box>
        <Button variant="outlined" loading={loading} onClick={test}>
          {t('paymentTest.run')}
        </Button>
      </Box>
      <Box role="status">
        {results.map((result) => (
          <Result key={result.callbackUrl} {...result} />
        ))}
      </Box>
    </Box>
  );
}

function Result({ outcome, reply, callbackUrl }: TestPaymentMutation['testPayment']) {
  const { t } = useTranslation();
  const grade = gradeOf(outcome);
  return (
    <Box sx={{ mt: 1.5, display: 'flex', gap: 1, alignItems: 'flex-start', fontSize: 13, overflowWrap: 'anywhere' }}>
      <ToneChip dot tone={tones[grade]}>
        {t(`paymentTest.${grade}`)}
      </ToneChip>
      <Box sx={{ minWidth: 0 }}>
        {t(`paymentTest.outcomes.${outcome}`, { address: callbackUrl })}
        {reply && grade !== 'works' && (
          <Box sx={{ fontSize: 12, color: 'text.secondary' }}>{t('paymentTest.reply', { text: reply })}</Box>
        )}
      </Box>
    </Box>
  );
}
