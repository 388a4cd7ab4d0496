import { useApolloClient, useMutation } from '@apollo/client/react';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { useTranslation } from 'react-i18next';
import { useBlocker, useNavigate } from 'react-router-dom';
import { refreshStatus } from '../../nouns/status/refreshStatus.js';
import { questionOf } from '../../nouns/prices/lossQuestion.js';
import { useConfirm } from '../../components/ConfirmProvider.js';
import { toast } from '../../components/toast.js';
import { describeFailure } from '../../lib/errors.js';
import { proposalOf } from '../../nouns/prices/dry-run/proposal.js';
import { SaveSettingDocument, SettingsBelowCostDocument, SettingsDocument } from './settings.generated.js';
import { settingsByKey, tabOfSection } from '../../nouns/settings/settingsByKey.js';
import { blockOf } from '../../nouns/settings/settingsCheck.js';
import { useSettingsDraft } from '../../nouns/settings/SettingsContext.js';
import { saveDraft } from '../../nouns/settings/settingsDraft.js';
import { settingId } from '../../nouns/settings/SettingRow.js';
import { listText } from '../../lib/format.js';

/** Number and location of the unsaved changes, their problems, and buttons to save or discard them. */
export function UnsavedBar() {
  const { t } = useTranslation();
  const draft = useSettingsDraft();
  const state = useSyncExternalStore(draft.subscribe, draft.state);
  const navigate = useNavigate();
  const client = useApolloClient();
  const [save] = useMutation(SaveSettingDocument);
  const confirm = useConfirm();
  const [saving, setSaving] = useState(false);
  const keys = [...state.edits.keys()];
  const wrong = keys.filter((key) => blockOf(key, state, t) !== null);
  const sections = [...new Set(keys.map((key) => settingsByKey.get(key)?.section).filter((id) => id !== undefined))];
  useLeaveGuard(keys.length > 0);

  const goTo = async (key: string) => {
    const section = settingsByKey.get(key)?.section;
    if (!section) return;
    const tab = tabOfSection(section);
    await navigate(section === 'prices' ? `/setting?tab=${tab}&section=prices` : `/setting?tab=${tab}`);
    // Wait until the tab is rendered.
    setTimeout(() => {
      document.querySelector(`[data-setting="${CSS.escape(key)}"]`)?.scrollIntoView({ block: 'center' });
      document.getElementById(settingId(key))?.focus();
    }, 50);
  };

  /**
   * Asks for confirmation if the unsaved prices cause or enlarge losses. Invalid prices are
   * refused later.
   */
  const isAccepted = async (): Promise<boolean> => {
    const settings = proposalOf(draft.state());
    if (settings.length === 0) return true;
    const found = await client
      .query({ query: SettingsBelowCostDocument, variables: { settings }, fetchPolicy: 'no-cache' })
      .catch(() => null);
    const losses = found?.data?.salesBelowCost ?? [];
    return losses.length === 0 || confirm(questionOf(losses, t));
  };

  /** Reads the settings again. @returns edited keys that another admin changed since they were shown */
  const findConflicts = async (): Promise<readonly string[]> => {
    const now = await client.query({ query: SettingsDocument, fetchPolicy: 'no-cache' }).catch(() => null);
    return now?.data ? draft.load(now.data.options.items) : [];
  };

  const submit = async () => {
    if (saving) return;
    if (keys.length === 0) {
      toast.error(t('settings.nothingChanged'));
      return;
    }
    if (wrong[0] !== undefined) {
      toast.error(t('settings.checkInput'));
      await goTo(wrong[0]);
      return;
    }
    setSaving(true);
    const conflicts = await findConflicts();
    if (conflicts[0] !== undefined) {
      setSaving(false);
      conflicts.forEach((key) => draft.refuse(key, t('settings.changedMeanwhile')));
      toast.error(t('settings.changedMeanwhile'));
      await goTo(conflicts[0]);
      return;
    }
    if (!(await isAccepted())) {
      setSaving(false);
      return;
    }
    const failed = await saveDraft(
      draft,
      async (key, value) => {
        const { data } = await save({ variables: { key, value } });
        if (!data) throw new Error('no answer');
        return data.setOption.option;
      },
      (error) => describeFailure(error, t),
    );
    setSaving(false);
    if (failed.length > 0) toast.error(keys.length > 1 ? t('settings.someFailed') : t('settings.saveFailed'));
    else toast.success(t('fields.saved'));
    await refreshStatus(client);
  };

  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== 's') return;
      event.preventDefault();
      // A dialog or drawer in front saves its own form.
      if (document.activeElement?.closest('[role="dialog"], [role="alertdialog"]')) return;
      void submit();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  });

  if (keys.length === 0) return null;
  return (
    <Box
      role="region"
      aria-label={t('settings.unsaved')}
      data-floating-bar
      sx={({ vars }) => ({
        position: 'sticky',
        zIndex: 1050,
        bottom: { xs: 8, sm: 20 },
        mt: 'auto',
        mx: 'auto',
        width: '100%',
        maxWidth: { sm: 640 },
        minHeight: 48,
        display: 'flex',
        alignItems: 'center',
        gap: 1,
        padding: '7px 8px 7px 16px',
        borderRadius: '10px',
        border: `1px solid ${vars.palette.surface.lineStrong}`,
        backgroundColor: vars.palette.background.paper,
        boxShadow: '0 8px 28px rgba(8, 16, 18, 0.18)',
        fontSize: 13,
      })}
    >
      <Box
        aria-hidden
        sx={{ width: 8, height: 8, borderRadius: '50%', backgroundColor: 'primary.main', mr: '4px', flexShrink: 0 }}
      />
      <Box
        role="status"
        sx={{
          flex: 1,
          minWidth: 0,
          overflow: 'hidden',
          textOverflow: 'ellipsis',
          whiteSpace: 'nowrap',
          color: 'text.secondary',
        }}
      >
        <Box component="span" className="num" sx={{ fontWeight: 550, color: 'text.primary' }}>
          {t('settings.changes', { count: keys.length })}
        </Box>{' '}
        {t('settings.changesIn', { sections: listText(sections.map((id) => t(`settings.sections.${id}`))) })}
      </Box>
      {wrong[0] !== undefined && (
        <Button color="error" onClick={() => void goTo(wrong[0] ?? '')}>
          {t('settings.toFix', { count: wrong.length })}
        </Button>
      )}
      <Button onClick={() => draft.discard()} sx={{ color: 'text.primary' }}>
        {t('form.discardVerb')}
      </Button>
      <Button variant="contained" loading={saving} onClick={() => void submit()}>
        {t('fields.save')}
      </Button>
    </Box>
  );
}

/** Asks for confirmation before leaving the page or closing the window. Changing the tab of this page is free. */
function useLeaveGuard(dirty: boolean): void {
  const { t } = useTranslation();
  const confirm = useConfirm();
  const blocker = useBlocker(
    ({ currentLocation, nextLocation }) => dirty && currentLocation.pathname !== nextLocation.pathname,
  );
  useEffect(() => {
    if (blocker.state !== 'blocked') return;
    const question = {
      title: t('form.discard'),
      body: t('form.discardBody'),
      verb: t('form.discardVerb'),
      no: t('form.keepEditing'),
      destructive: true,
    };
    void confirm(question).then((yes) => {
      if (yes) blocker.proceed();
      else blocker.reset();
    });
  }, [blocker, confirm, t]);
  useEffect(() => {
    if (!dirty) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', warn);
    return () => removeEventListener('beforeunload', warn);
  }, [dirty]);
}
