import { useMutation, useQuery } from '@apollo/client/react';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Skeleton from '@mui/material/Skeleton';
import { useState, type ReactNode } from 'react';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { TextInput } from '../../components/form/inputs.js';
import { FormDialog } from '../../components/FormDialog.js';
import { lazyPart } from '../../components/lazyPart.js';
import { LoadFailure } from '../../components/LoadFailure.js';
import { Notice } from '../../components/Notice.js';
import { Ellipsis } from '../../components/Text.js';
import { ToneChip } from '../../components/Tone.js';
import { useAction } from '../../components/useAction.js';
import { dateTime } from '../../lib/format.js';
import { canUsePasskeys, createPasskey, isCancelled } from './passkeys.js';
import { RecoveryCodesDialog } from './RecoveryCodesDialog.js';
import {
  AddPasskeyDocument,
  BeginPasskeyDocument,
  RemoveAuthenticatorAppDocument,
  RemovePasskeyDocument,
  RenamePasskeyDocument,
  RenewRecoveryCodesDocument,
  SecondFactorsDocument,
  type SecondFactorsQuery,
} from './ownFactors.generated.js';

const AuthenticatorDialog = lazyPart(async () => (await import('./AuthenticatorDialog.js')).AuthenticatorDialog);

type Passkey = SecondFactorsQuery['secondFactors']['passkeys'][number];

/** Sets up and removes the user's second factors. */
export function SecondFactorPanel({ onChanged }: { readonly onChanged?: () => void }) {
  const { t } = useTranslation();
  const act = useAction();
  const { data, error, refetch } = useQuery(SecondFactorsDocument, { fetchPolicy: 'cache-and-network' });
  const [removeApp] = useMutation(RemoveAuthenticatorAppDocument);
  const [removePasskey] = useMutation(RemovePasskeyDocument);
  const [renewCodes] = useMutation(RenewRecoveryCodesDocument);
  const [open, setOpen] = useState<'app' | 'passkey' | null>(null);
  const [renaming, setRenaming] = useState<Passkey | null>(null);
  const [codes, setCodes] = useState<readonly string[]>([]);

  const changed = async (made: readonly string[] = []) => {
    await refetch();
    setCodes(made);
    // The user reads the codes before the list is refreshed.
    if (made.length === 0) onChanged?.();
  };
  const factors = data?.secondFactors;
  if (error && !factors) {
    return <LoadFailure title={t('factors.loadFailed')} error={error} onRetry={() => void refetch()} />;
  }
  if (!factors) return <Skeleton variant="rectangular" height={104} />;
  const { authenticatorApp, passkeys, recoveryCodesLeft, isRequired } = factors;
  const hasFactor = authenticatorApp !== null || passkeys.length > 0;
  const remove = (title: string, work: () => Promise<unknown>) =>
    act(
      async () => {
        await work();
        await changed();
        return t('factors.removed');
      },
      { title, body: t('factors.removeBody') },
    );
  const newCodes = () =>
    act(
      async () => {
        const result = await renewCodes();
        await changed(result.data?.renewRecoveryCodes.recoveryCodes);
      },
      { title: t('factors.renewTitle'), body: t('factors.renewBody'), verb: t('factors.renew') },
    );
  return (
    <Box>
      {isRequired && !hasFactor && (
        <Box sx={{ mb: 1.5 }}>
          <Notice tone="amber">{t('factors.required')}</Notice>
        </Box>
      )}
      <Box sx={{ mb: 1, fontSize: 12, color: 'text.secondary' }}>{t('factors.text')}</Box>
      <Row
        name={t('factors.app')}
        detail={authenticatorApp ? lastUse(authenticatorApp.lastUsedAt) : t('factors.appHint')}
        state={authenticatorApp ? <ToneChip tone="green">{t('factors.isSet')}</ToneChip> : null}
      >
        {authenticatorApp ? (
          <Button variant="outlined" onClick={() => void remove(t('factors.removeApp'), () => removeApp())}>
            {t('actions.delete')}
          </Button>
        ) : (
          <Button variant="outlined" onClick={() => setOpen('app')}>
            {t('factors.setUp')}
          </Button>
        )}
      </Row>
      {passkeys.map((passkey) => (
        <Row
          key={passkey.id}
          name={passkey.name}
          detail={`${passkey.domain} · ${lastUse(passkey.lastUsedAt)}`}
          state={null}
        >
          <Button
            variant="outlined"
            aria-label={t('factors.renameOf', { name: passkey.name })}
            onClick={() => setRenaming(passkey)}
          >
            {t('factors.rename')}
          </Button>
          <Button
            variant="outlined"
            aria-label={t('factors.removeOf', { name: passkey.name })}
            onClick={() =>
              void remove(t('factors.removePasskey', { name: passkey.name }), () =>
                removePasskey({ variables: { id: passkey.id } }),
              )
            }
          >
            {t('actions.delete')}
          </Button>
        </Row>
      ))}
      <Row
        name={t('factors.passkey')}
        detail={canUsePasskeys() ? t('factors.passkeyHint') : t('factors.passkeyImpossible')}
        state={null}
      >
        <Button variant="outlined" disabled={!canUsePasskeys()} onClick={() => setOpen('passkey')}>
          {t('factors.addPasskey')}
        </Button>
      </Row>
      {hasFactor && (
        <Row name={t('factors.codes')} detail={t('factors.codesLeft', { count: recoveryCodesLeft })} state={null}>
          <Button variant="outlined" onClick={() => void newCodes()}>
            {t('factors.renew')}
          </Button>
        </Row>
      )}
      {open === 'app' && <AuthenticatorDialog onDone={(made) => void changed(made)} onClose={() => setOpen(null)} />}
      {open === 'passkey' && <NewPasskey onDone={(made) => void changed(made)} onClose={() => setOpen(null)} />}
      {renaming && <Rename passkey={renaming} onClose={() => setRenaming(null)} />}
      <RecoveryCodesDialog
        codes={codes}
        onClose={() => {
          setCodes([]);
          onChanged?.();
        }}
      />
    </Box>
  );

  function lastUse(at: string | null): string {
    return at === null ? t('factors.neverUsed') : t('factors.lastUsed', { time: dateTime(at) });
  }
}

function Row({
  name,
  detail,
  state,
  children,
}: {
  readonly name: string;
  readonly detail: string;
  readonly state: ReactNode;
  readonly children: ReactNode;
}) {
  return (
    <Box
      sx={{
        display: 'flex',
        flexWrap: { xs: 'wrap', sm: 'nowrap' },
        alignItems: 'center',
        gap: 1,
        minHeight: 52,
        py: 0.75,
        '& + &': { borderTop: '1px solid', borderColor: 'divider' },
      }}
    >
      <Box sx={{ flex: '1 1 200px', minWidth: 0, display: 'flex', flexDirection: 'column' }}>
        <Ellipsis>{name}</Ellipsis>
        <Box sx={{ fontSize: 12, color: 'text.secondary' }}>{detail}</Box>
      </Box>
      {state}
      {children}
    </Box>
  );
}

function NewPasskey({
  onDone,
  onClose,
}: {
  readonly onDone: (recoveryCodes: readonly string[]) => void;
  readonly onClose: () => void;
}) {
  const { t } = useTranslation();
  const [begin] = useMutation(BeginPasskeyDocument);
  const [add] = useMutation(AddPasskeyDocument);
  const form = useForm({ defaultValues: { name: '' } });
  return (
    <FormDialog
      form={form}
      title={t('factors.addPasskey')}
      submitLabel={t('factors.goOn')}
      errorField="name"
      onClose={onClose}
      onSubmit={async ({ name }) => {
        const begun = await begin();
        let response: unknown;
        try {
          response = await createPasskey(begun.data?.beginPasskey.options);
        } catch (error) {
          if (isCancelled(error)) return false;
          form.setError('name', { message: t('factors.passkeyFailed') });
          return false;
        }
        const made = await add({ variables: { input: { name, response } } });
        onDone(made.data?.addPasskey.recoveryCodes ?? []);
        return true;
      }}
    >
      <Box sx={{ color: 'text.secondary' }}>{t('factors.passkeyText')}</Box>
      <TextInput
        control={form.control}
        name="name"
        label={t('factors.passkeyName')}
        placeholder={t('factors.passkeyNameExample')}
        rules={{ required: t('factors.passkeyNameMissing') }}
        maxLength={64}
        autoFocus
      />
    </FormDialog>
  );
}

function Rename({ passkey, onClose }: { readonly passkey: Passkey; readonly onClose: () => void }) {
  const { t } = useTranslation();
  const [rename] = useMutation(RenamePasskeyDocument);
  const form = useForm({ defaultValues: { name: passkey.name } });
  return (
    <FormDialog
      form={form}
      title={t('factors.renameOf', { name: passkey.name })}
      submitLabel={t('factors.rename')}
      errorField="name"
      onClose={onClose}
      onSubmit={({ name }) => rename({ variables: { id: passkey.id, name } })}
    >
      <TextInput
        control={form.control}
        name="name"
        label={t('factors.passkeyName')}
        rules={{ required: t('factors.passkeyNameMissing') }}
        maxLength={64}
        autoFocus
      />
    </FormDialog>
  );
}
