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
import { CheckImportDocument, type ImportPartsFragment } from './import.generated.js';
import { uploadDatabase } from './upload.js';

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
export function ImportSource({
  siteImport,
  onChange,
}: {
  readonly siteImport: ImportPartsFragment;
  readonly onChange: () => void;
}) {
  const { t } = useTranslation();
  const { job, maxFileBytes } = siteImport;
  const [kind, setKind] = useState<'file' | 'connection'>(job && !job.hasFile ? 'connection' : 'file');
  const [days, setDays] = useState<Days>(job?.choices.logDays == null ? 'all' : job.choices.logDays === 0 ? '0' : '30');
  const [plans, setPlans] = useState<'REFUSE' | 'MOVE' | 'BALANCE' | 'DROP'>(job?.choices.plans ?? 'REFUSE');
  const [sent, setSent] = useState<number | null>(null);
  const [check] = useMutation(CheckImportDocument);
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
      toast.error(t('siteImport.tooLarge', { size: Math.floor(maxFileBytes / megabyte) }));
      return;
    }
    setSent(0);
    try {
      await uploadDatabase(file, setSent);
    } catch (error) {
      toast.failure(error, t);
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
    <Card component="section" aria-label={t('siteImport.source')} sx={{ padding: 2, minWidth: 0 }}>
      <Typography variant="h2" sx={{ fontSize: 14, mb: 1.5 }}>
        {t('siteImport.source')}
      </Typography>
      <Box component="form" noValidate onSubmit={(event) => void submit(event)} sx={{ display: 'grid', gap: 2 }}>
        <Segments
          label={t('siteImport.source')}
          value={kind}
          onChange={setKind}
          choices={[
            { value: 'file', label: t('siteImport.file') },
            { value: 'connection', label: t('siteImport.connection') },
          ]}
        />
        {kind === 'file' ? (
          <Box>
            <Box sx={{ display: 'flex', alignItems: 'center', gap: 1.5, flexWrap: 'wrap' }}>
              <Button component="label" variant="outlined" loading={sent !== null}>
                {t('siteImport.choose')}
                <input
                  hidden
                  type="file"
                  aria-label={t('siteImport.choose')}
                  onChange={(event) => {
                    void upload(event.target.files?.[0]);
                    event.target.value = '';
                  }}
                />
              </Button>
              <Box sx={{ fontSize: 13, overflowWrap: 'anywhere' }}>
                {job?.hasFile ? job.sourceName : t('siteImport.noFile')}
              </Box>
            </Box>
            {sent !== null && (
              <LinearProgress
                aria-label={t('siteImport.uploading')}
                variant="determinate"
                value={sent * 100}
                sx={{ mt: 1 }}
              />
            )}
            <FormHelperText>{t('siteImport.fileHint', { size: Math.floor(maxFileBytes / megabyte) })}</FormHelperText>
          </Box>
        ) : (
          <>
            <TextInput
              control={control}
              name="connection"
              label={t('siteImport.address')}
              hint={t('siteImport.addressHint')}
            />
            <TextInput
              control={control}
              name="logConnection"
              label={t('siteImport.logAddress')}
              hint={t('siteImport.logAddressHint')}
            />
          </>
        )}
        {kind === 'file' && isConfig && (
          <>
            <TextInput
              control={control}
              name="keysConnection"
              label={t('siteImport.keysAddress')}
              hint={t('siteImport.keysAddressHint')}
            />
            <TextInput
              control={control}
              name="environment"
              rows={3}
              label={t('siteImport.environment')}
              hint={t('siteImport.environmentHint')}
            />
          </>
        )}
        <Choice label={t('siteImport.logs')}>
          <Segments
            label={t('siteImport.logs')}
            value={days}
            onChange={setDays}
            choices={[
              { value: 'all', label: t('siteImport.allLogs') },
              { value: '30', label: t('siteImport.recentLogs') },
              { value: '0', label: t('siteImport.noLogs') },
            ]}
          />
        </Choice>
        <Choice label={t('siteImport.plans')}>
          <Segments
            label={t('siteImport.plans')}
            value={plans}
            onChange={setPlans}
            choices={[
              { value: 'REFUSE', label: t('siteImport.plansRefuse') },
              { value: 'MOVE', label: t('siteImport.plansMove') },
              { value: 'BALANCE', label: t('siteImport.plansBalance') },
              { value: 'DROP', label: t('siteImport.plansDrop') },
            ]}
          />
        </Choice>
        <SwitchRow
          control={control}
          name="withContent"
          label={t('siteImport.withContent')}
          hint={t('siteImport.withContentHint')}
        />
        <SwitchRow
          control={control}
          name="dropTwoFactor"
          label={t('siteImport.dropFactors')}
          hint={t('siteImport.dropFactorsHint')}
        />
        <SwitchRow
          control={control}
          name="acceptPriceDifferences"
          label={t('siteImport.acceptPrices')}
          hint={t('siteImport.acceptPricesHint')}
        />
        <TextInput
          control={control}
          name="accepted"
          rows={2}
          label={t('siteImport.accepted')}
          hint={t('siteImport.acceptedHint')}
        />
        <Button
          type="submit"
          variant="contained"
          disabled={!ready}
          loading={form.formState.isSubmitting}
          sx={{ justifySelf: 'end' }}
        >
          {t('siteImport.check')}
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
