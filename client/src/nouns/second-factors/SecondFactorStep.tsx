import { useMutation } from '@apollo/client/react';
import Box from '@mui/material/Box';
import CircularProgress from '@mui/material/CircularProgress';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { LoadFailure } from '../../components/LoadFailure.js';
import { toSessionUser } from '../../lib/session.js';
import type { SessionUser } from '../../lib/sessionUser.js';
import { FactorProofForm } from './FactorProofForm.js';
import { BeginSecondFactorDocument, FinishSecondFactorDocument } from './secondFactor.generated.js';

/** The second step of a sign-in. The server identifies the user by the cookie. */
export function SecondFactorStep({ onDone }: { readonly onDone: (user: SessionUser) => Promise<void> }) {
  const { t } = useTranslation();
  const [begin, { data, error }] = useMutation(BeginSecondFactorDocument);
  const [finish] = useMutation(FinishSecondFactorDocument);
  useEffect(() => {
    begin().catch(() => undefined);
  }, [begin]);
  const challenge = data?.beginSecondFactor;
  if (error && !challenge) {
    return (
      <LoadFailure
        title={t('secondFactor.stepFailed')}
        error={error}
        onRetry={() => void begin().catch(() => undefined)}
      />
    );
  }
  if (!challenge) {
    return (
      <Box sx={{ display: 'grid', placeItems: 'center', minHeight: 120 }}>
        <CircularProgress size={24} aria-label={t('secondFactor.title')} />
      </Box>
    );
  }
  return (
    <FactorProofForm
      kinds={challenge.kinds}
      passkeyOptions={challenge.passkeyOptions}
      submitLabel={t('shell.signIn')}
      onStale={() => void begin().catch(() => undefined)}
      onProof={async (input) => {
        const result = await finish({ variables: { input } });
        if (result.data) await onDone(toSessionUser(result.data.finishSecondFactor.user));
      }}
    />
  );
}
