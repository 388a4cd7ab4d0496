import { useMutation } from '@apollo/client/react';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Card from '@mui/material/Card';
import FormHelperText from '@mui/material/FormHelperText';
import LinearProgress from '@mui/material/LinearProgress';
import Typography from '@mui/material/Typography';
import { useState, type ReactNode } from 'react';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { SwitchRow } from '../../components/form/SwitchRow.js';
import { TextInput } from '../../components/form/inputs.js';
import { Segments } from '../../components/Segments.js';
import { toast } from '../../components/toast.js';
import { showFormError } from '../../components/form/showFormError.js';
import { CheckMoveInDocument, type MoveInPartsFragment } from './moveIn.generated.js';
import { uploadDatabase, UploadRefused } from './upload.js';

interface Values {
  connection: string;
  logConnection: string;
  keysConnection: string;
  environment: string;
  dropTwoFactor: boolean;
  acceptPriceDifferences: boolean;
  withContent: boolean;
  accepted: string;
}

const megabyte = 1024 * 1024;
type Days = 'all' | '30' | '0';

/** A file or a connection, the choices, and the button of the dry run. */
export function MoveInSource({
  moveIn,
  onChange,
}: {
  readonly moveIn: MoveInPartsFragment;
  readonly onChange: () => void;
}) {
  const { t } = useTranslation();
  const { job, maxFileBytes } = moveIn;
  const [kind, setKind] = useState<'file' | 'connection'>(job && !job.hasFile ? 'connection' : 'file');
  const [days, setDays] = useState<Days>(job?.choices.logDays == null ? 'all' : job.choices.logDays === 0 ? '0' : '30');
  const [plans, setPlans] = useState<'REFUSE' | 'BALANCE' | 'DROP'>(job?.choices.plans ?? 'REFUSE');
  const [sent, setSent] = useState<number | null>(null);
  const [check] = useMutation(CheckMoveInDocument);
  const form = useForm<Values>({
    defaultValues: {
      connection: '',
      logConnection: '',
      keysConnection: '',
      environment: '',
      dropTwoFactor: job?.choices.dropTwoFactor ?? false,
      acceptPriceDifferences: job?.choices.acceptPriceDifferences ?? false,
      withContent: job?.choices.withContent ?? false,
      accepted: job?.choices.accepted.join('\n') ?? '',
    },
  });
  const { control } = form;

  const upload = async (file: File | undefined) => {
    if (!file) return;
    if (file.size > maxFileBytes) {
      toast.error(t('moveIn.tooLarge', { size: Math.floor(maxFileBytes / megabyte) }));
      return;
    }
    setSent(0);
    try {
      await uploadDatabase(file, setSent);
    } catch (error) {
      toast.error((error instanceof UploadRefused && error.message) || t('errors.network'));
    }
    setSent(null);
    onChange();
  };

  const submit = form.handleSubmit(async (values) => {
    const { connection, logConnection, keysConnection, environment, accepted, ...decisions } = values;
    const given = (text: string) => (text.trim() === '' ? null : text.trim());
    const logDays = days === 'all' ? null : Number(days);
    try {
      await check({
        variables: {
          input: {
            connection: kind === 'connection' ? given(connection) : null,
            logConnection: given(logConnection),
            keysConnection: given(keysConnection),
            environment: given(environment),
            choices: { ...decisions, logDays, plans, accepted: linesOf(accepted) },
          },
        },
      });
      onChange();
    } catch (error) {
      if (!showFormError(form, error, t)) toast.failure(error, t);
    }
  });

  const isConfig = /\.ya?ml$/i.test(job?.sourceName ?? '');
  const ready = kind === 'file' ? job?.hasFile === true : true;
  return (
    <Card component="section" aria-label={t('moveIn.source')} sx={{ padding: 2, minWidth: 0 }}>
      <Typography variant="h2" sx={{ fontSize: 14, mb: 1.5 }}>
        {t('moveIn.source')}
      </Typography>
      <Box component="form" noValidate onSubmit={(event) => void submit(event)} sx={{ display: 'grid', gap: 2 }}>
        <Segments
          label={t('moveIn.source')}
          value={kind}
          onChange={setKind}
          choices={[
            { value: 'file', label: t('moveIn.file') },
            { value: 'connection', label: t('moveIn.connection') },
          ]}
        />
        {kind === 'file' ? (
          <Box>
            <Box sx={{ display: 'flex', alignItems: 'center', gap: 1.5, flexWrap: 'wrap' }}>
              <Button component="label" variant="outlined" loading={sent !== null}>
                {t('moveIn.choose')}
                <input
                  hidden
                  type="file"
                  aria-label={t('moveIn.choose')}
                  onChange={(event) => {
                    void upload(event.target.files?.[0]);
                    event.target.value = '';
                  }}
                />
              </Button>
              <Box sx={{ fontSize: 13, overflowWrap: 'anywhere' }}>
                {job?.hasFile ? job.sourceName : t('moveIn.noFile')}
              </Box>
            </Box>
            {sent !== null && (
              <LinearProgress
                aria-label={t('moveIn.uploading')}
                variant="determinate"
                value={sent * 100}
                sx={{ mt: 1 }}
              />
            )}
            <FormHelperText>{t('moveIn.fileHint', { size: Math.floor(maxFileBytes / megabyte) })}</FormHelperText>
          </Box>
        ) : (
          <>
            <TextInput control={control} name="connection" label={t('moveIn.address')} hint={t('moveIn.addressHint')} />
            <TextInput
              control={control}
              name="logConnection"
              label={t('moveIn.logAddress')}
              hint={t('moveIn.logAddressHint')}
            />
          </>
        )}
        {kind === 'file' && isConfig && (
          <>
            <TextInput
              control={control}
              name="keysConnection"
              label={t('moveIn.keysAddress')}
              hint={t('moveIn.keysAddressHint')}
            />
            <TextInput
              control={control}
              name="environment"
              rows={3}
              label={t('moveIn.environment')}
              hint={t('moveIn.environmentHint')}
            />
          </>
        )}
        <Choice label={t('moveIn.logs')}>
          <Segments
            label={t('moveIn.logs')}
            value={days}
            onChange={setDays}
            choices={[
              { value: 'all', label: t('moveIn.allLogs') },
              { value: '30', label: t('moveIn.recentLogs') },
              { value: '0', label: t('moveIn.noLogs') },
            ]}
          />
        </Choice>
        <Choice label={t('moveIn.plans')}>
          <Segments
            label={t('moveIn.plans')}
            value={plans}
            onChange={setPlans}
            choices={[
              { value: 'REFUSE', label: t('moveIn.plansRefuse') },
              { value: 'BALANCE', label: t('moveIn.plansBalance') },
              { value: 'DROP', label: t('moveIn.plansDrop') },
            ]}
          />
        </Choice>
        <SwitchRow
          control={control}
          name="withContent"
          label={t('moveIn.withContent')}
          hint={t('moveIn.withContentHint')}
        />
        <SwitchRow
          control={control}
          name="dropTwoFactor"
          label={t('moveIn.dropFactors')}
          hint={t('moveIn.dropFactorsHint')}
        />
        <SwitchRow
          control={control}
          name="acceptPriceDifferences"
          label={t('moveIn.acceptPrices')}
          hint={t('moveIn.acceptPricesHint')}
        />
        <TextInput
          control={control}
          name="accepted"
          rows={2}
          label={t('moveIn.accepted')}
          hint={t('moveIn.acceptedHint')}
        />
        <Button
          type="submit"
          variant="contained"
          disabled={!ready}
          loading={form.formState.isSubmitting}
          sx={{ justifySelf: 'end' }}
        >
          {t('moveIn.check')}
        </Button>
      </Box>
    </Card>
  );
}

const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);

function Choice({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <Box sx={{ display: 'grid', gap: '6px', minWidth: 0 }}>
      <Box sx={{ fontWeight: 500, fontSize: 13 }}>{label}</Box>
      {children}
    </Box>
  );
}
