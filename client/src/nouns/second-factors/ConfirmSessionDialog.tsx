import { useMutation } from '@apollo/client/react';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import CircularProgress from '@mui/material/CircularProgress';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { LoadFailure } from '../../components/LoadFailure.js';
import { settleConfirmation, useConfirmationAsked } from '../../lib/confirmation.js';
import { FactorProofForm } from './FactorProofForm.js';
import { BeginSessionConfirmationDocument, ConfirmSessionDocument } from './ownFactors.generated.js';

/** Asks for the second factor before an operation that needs it, and lets the operation go on. */
export function ConfirmSessionDialog() {
  const { t } = useTranslation();
  const asked = useConfirmationAsked();
  const [begin, { data, error, reset }] = useMutation(BeginSessionConfirmationDocument);
  const [confirm] = useMutation(ConfirmSessionDocument);
  useEffect(() => {
    if (asked) begin().catch(() => undefined);
    else reset();
  }, [asked, begin, reset]);
  const challenge = data?.beginSessionConfirmation;
  const close = () => settleConfirmation(false);
  return (
    <Dialog open={asked} onClose={close} maxWidth="xs" fullWidth>
      <DialogTitle>{t('factors.confirmTitle')}</DialogTitle>
      <DialogContent>
        <Box sx={{ mb: 2, color: 'text.secondary' }}>{t('factors.confirmText')}</Box>
        {error && !challenge && (
          <LoadFailure
            title={t('secondFactor.stepFailed')}
            error={error}
            onRetry={() => void begin().catch(() => undefined)}
          />
        )}
        {!error && !challenge && <CircularProgress size={24} aria-label={t('factors.confirmTitle')} />}
        {challenge && (
          <FactorProofForm
            kinds={challenge.kinds}
            passkeyOptions={challenge.passkeyOptions}
            submitLabel={t('factors.confirm')}
            onStale={() => void begin().catch(() => undefined)}
            onProof={async (input) => {
              await confirm({ variables: { input } });
              settleConfirmation(true);
            }}
          />
        )}
      </DialogContent>
      <DialogActions>
        <Button variant="outlined" onClick={close}>
          {t('actions.cancel')}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
