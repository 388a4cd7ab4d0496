import { useMutation } from '@apollo/client/react';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { useForm, useWatch } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { TextInput } from '../../components/form/inputs.js';
import { SelectInput } from '../../components/form/SelectInput.js';
import { toast } from '../../components/toast.js';
import { dollars } from '../../lib/format.js';
import { showFormError } from '../../components/form/showFormError.js';
import { useStatus } from '../../lib/status.js';
import { Panel } from './Panel.js';
import { UpdateMySettingDocument, type PersonalQuery } from './personal.generated.js';

export type MySetting = PersonalQuery['mySetting'];

/** Presets in quota units. */
const thresholds = [100_000, 500_000, 1_000_000, 5_000_000];
/** The value of a user who has chosen none: the setting of the site applies, which may change. */
const ofSite = '';
const scheme = 'https://';

export function NotificationTab({ setting, onSaved }: { readonly setting: MySetting; readonly onSaved: () => void }) {
  const { t } = useTranslation();
  const { quotaPerUnit } = useStatus();
  const [update] = useMutation(UpdateMySettingDocument);
  const form = useForm({
    mode: 'onTouched',
    defaultValues: {
      notifyType: setting.notifyType,
      quotaWarningThreshold: setting.quotaWarningThreshold ?? (ofSite as number | typeof ofSite),
      webhookUrl: setting.webhookUrl ?? '',
      webhookSecret: '',
      notificationEmail: setting.notificationEmail ?? '',
    },
  });
  const { control } = form;
  const webhook = useWatch({ control, name: 'notifyType' }) === 'WEBHOOK';
  const amounts = [...new Set([...thresholds, setting.quotaWarningThreshold ?? 0])]
    .filter((value) => value > 0)
    .sort((left, right) => left - right);
  const submit = form.handleSubmit(async (values) => {
    try {
      await update({
        variables: {
          input: {
            notifyType: webhook ? 'WEBHOOK' : 'EMAIL',
            quotaWarningThreshold: values.quotaWarningThreshold === ofSite ? null : values.quotaWarningThreshold,
            // The fields of the other method are hidden, and an error at one of them would be hidden too.
            ...(webhook
              ? {
                  webhookUrl: values.webhookUrl.trim() || null,
                  ...(values.webhookSecret ? { webhookSecret: values.webhookSecret } : {}),
                }
              : { notificationEmail: values.notificationEmail.trim() || null }),
          },
        },
      });
      // The stored secret is not shown, and sent once.
      form.resetField('webhookSecret');
      toast.success(t('fields.saved'));
      onSaved();
    } catch (error) {
      if (!showFormError(form, error, t)) toast.failure(error, t);
    }
  });
  return (
    <Panel title={t('personal.tabs.notifications')}>
      <Box
        component="form"
        noValidate
        onSubmit={(event) => void submit(event)}
        sx={{ display: 'grid', gap: 2, maxWidth: 480 }}
      >
        <SelectInput
          control={control}
          name="notifyType"
          label={t('personal.notifyBy')}
          choices={[
            { value: 'EMAIL', label: t('fields.email') },
            { value: 'WEBHOOK', label: t('personal.webhook') },
          ]}
        />
        <SelectInput
          control={control}
          name="quotaWarningThreshold"
          label={t('personal.warnBelow')}
          choices={[
            { value: ofSite, label: t('personal.warnAsSite') },
            ...amounts.map((value) => ({ value, label: dollars(value / quotaPerUnit, 2) })),
          ]}
        />
        {webhook ? (
          <>
            <TextInput
              control={control}
              name="webhookUrl"
              label={t('personal.webhookUrl')}
              placeholder={scheme}
              hint={t('personal.webhookHint')}
              rules={{ validate: (value) => /^https:\/\/\S+$/.test(String(value).trim()) || t('personal.httpsOnly') }}
            />
            <TextInput
              control={control}
              name="webhookSecret"
              type="password"
              optional
              label={t('personal.webhookSecret')}
              placeholder={setting.hasWebhookSecret ? t('settings.secretUnchanged') : ''}
              hint={t('personal.webhookSecretHint')}
            />
          </>
        ) : (
          <TextInput
            control={control}
            name="notificationEmail"
            type="email"
            optional
            label={t('personal.notificationEmail')}
            hint={t('personal.notificationEmailHint')}
          />
        )}
        <Button type="submit" variant="contained" loading={form.formState.isSubmitting} sx={{ justifySelf: 'start' }}>
          {t('fields.save')}
        </Button>
      </Box>
    </Panel>
  );
}
