import Button from '@mui/material/Button';
import KeyOutlinedIcon from '@mui/icons-material/KeyOutlined';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { toast } from '../../components/toast.js';
import { describeFailure } from '../../lib/errors.js';
import { useClient } from '../../lib/graphqlClient.js';
import { toSessionUser } from '../../lib/session.js';
import type { SessionUser } from '../../lib/sessionUser.js';
import { isCancelled, showPasskey } from './passkeys.js';
import { BeginPasskeySignInDocument, SignInWithPasskeyDocument } from './secondFactor.generated.js';

/** Signs in with a passkey alone. */
export function PasskeyButton({ onDone }: { readonly onDone: (user: SessionUser) => Promise<void> }) {
  const { t } = useTranslation();
  const loadClient = useClient();
  const [busy, setBusy] = useState(false);
  const press = async () => {
    setBusy(true);
    try {
      const client = await loadClient();
      const begun = await client.mutate({ mutation: BeginPasskeySignInDocument });
      if (!begun.data) return;
      const { attempt, options } = begun.data.beginPasskeySignIn;
      const response = await showPasskey(options);
      const { data } = await client.mutate({ mutation: SignInWithPasskeyDocument, variables: { attempt, response } });
      if (data) await onDone(toSessionUser(data.signInWithPasskey.user));
    } catch (error) {
      if (!isCancelled(error)) toast.error(describeFailure(error, t));
    } finally {
      setBusy(false);
    }
  };
  return (
    <Button
      variant="outlined"
      size="large"
      fullWidth
      startIcon={<KeyOutlinedIcon />}
      loading={busy}
      onClick={() => void press()}
      sx={{ mt: 2 }}
    >
      {t('secondFactor.signInWithPasskey')}
    </Button>
  );
}
