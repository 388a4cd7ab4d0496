import { skipToken, useQuery } from '@apollo/client/react';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import FormHelperText from '@mui/material/FormHelperText';
import IconButton from '@mui/material/IconButton';
import MuiLink from '@mui/material/Link';
import OutlinedInput from '@mui/material/OutlinedInput';
import Switch from '@mui/material/Switch';
import AddOutlinedIcon from '@mui/icons-material/AddOutlined';
import DeleteOutlinedIcon from '@mui/icons-material/DeleteOutlineOutlined';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { BudgetList } from '../../nouns/budgets/BudgetList.js';
import { ContentDialog } from '../../components/ContentDialog.js';
import { lengthNotes } from '../../components/form/lengthNotes.js';
import { Notice } from '../../components/Notice.js';
import { Segments } from '../../components/Segments.js';
import { integer } from '../../lib/format.js';
import { useMay } from '../../lib/permissions.js';
import { GroupNumber } from './GroupNumber.js';
import { groupRows, groupSettings, withGroup, type GroupRow, type GroupTexts } from './groupTable.js';
import { SettingRow } from '../../nouns/settings/SettingRow.js';
import type { Setting } from '../../nouns/settings/settingKinds.js';
import { useSetting } from '../../nouns/settings/SettingsContext.js';
import { GroupUseDocument } from './settings.generated.js';

const maxName = 64;
const maxDescription = 200;

/** The groups as rows: ratios, who may choose them, limits and use; or the JSON of their settings. */
export function GroupEditor({ settings }: { readonly settings: readonly Setting[] }) {
  const { t } = useTranslation();
  const [asJson, setAsJson] = useState(false);
  const ratio = useSetting('GroupRatio');
  const usable = useSetting('UserUsableGroups');
  const topUp = useSetting('TopupGroupRatio');
  const limit = useSetting('ModelRequestRateLimitGroup');
  const limitsAreOff = useSetting('ModelRequestRateLimitEnabled').value !== 'true';
  const drafts = {
    GroupRatio: ratio,
    UserUsableGroups: usable,
    TopupGroupRatio: topUp,
    ModelRequestRateLimitGroup: limit,
  };
  const texts: GroupTexts = {
    GroupRatio: ratio.value,
    UserUsableGroups: usable.value,
    TopupGroupRatio: topUp.value,
    ModelRequestRateLimitGroup: limit.value,
  };
  const writable: Writable = {
    ratio: ratio.writable,
    usable: usable.writable,
    topUp: topUp.writable,
    limit: limit.writable,
  };
  const rows = groupRows(texts);
  const put = (name: string, row: GroupRow | null) => {
    for (const [key, text] of Object.entries(withGroup(texts, name, row))) {
      drafts[key as keyof GroupTexts].change(text);
    }
  };
  const problems = groupSettings.flatMap((key) => drafts[key].problem ?? []);
  const isJson = asJson || rows === null;
  return (
    <>
      <Box sx={{ px: 2, pb: 1.5 }}>
        <Segments
          label={t('settings.groups.view')}
          value={isJson ? 'json' : 'rows'}
          onChange={(view) => setAsJson(view === 'json')}
          choices={[
            { value: 'rows', label: t('settings.groups.rows'), disabled: rows === null },
            { value: 'json', label: t('settings.viewJson') },
          ]}
        />
      </Box>
      {isJson ? (
        settings.map((setting) => <SettingRow key={setting.key} setting={setting} />)
      ) : (
        <Box data-setting="GroupRatio" sx={{ px: 2, pb: 2 }}>
          {rows.map((row) => (
            <GroupFields key={row.name} row={row} writable={writable} onChange={(next) => put(row.name, next)} />
          ))}
          {limitsAreOff && rows.some((row) => row.limit !== null) && (
            <Notice tone="amber">
              {t('settings.groups.limitsOff', {
                setting: t('settings.rows.rateLimit'),
                tab: t('settings.tabs.ratelimit'),
              })}
            </Notice>
          )}
          {problems.map((problem) => (
            <FormHelperText key={problem} error role="alert">
              {problem}
            </FormHelperText>
          ))}
          <AddGroup
            taken={rows.map(({ name }) => name)}
            disabled={!writable.ratio || !writable.usable}
            onAdd={(name) => put(name, { name, ratio: 1, description: null, topUpRatio: null, limit: null })}
          />
        </Box>
      )}
    </>
  );
}

/** Whether the user may change each of the settings behind a group. */
type Writable = Readonly<Record<'ratio' | 'usable' | 'topUp' | 'limit', boolean>>;

function GroupFields({
  row,
  writable,
  onChange,
}: {
  readonly row: GroupRow;
  readonly writable: Writable;
  readonly onChange: (row: GroupRow | null) => void;
}) {
  const { t } = useTranslation();
  const { name } = row;
  // A text that is not a number is refused when it is saved. Until then it is no limit.
  const siteRequests = Number(useSetting('ModelRequestRateLimitCount').value) || 0;
  const siteSuccesses = Number(useSetting('ModelRequestRateLimitSuccessCount').value) || 0;
  const budgets = useMay('BUDGETS');
  const readsUsers = useMay('USERS_READ');
  const readsChannels = useMay('CHANNELS_READ');
  const { data } = useQuery(GroupUseDocument, readsUsers && readsChannels ? { variables: { group: name } } : skipToken);
  const users = data?.users?.totalCount;
  const channels = data?.channels?.totalCount;
  // A group counts as used if the number of its users is unknown to this role.
  const isUsed = users !== 0 || channels !== 0;
  const removable =
    writable.ratio &&
    writable.usable &&
    (row.topUpRatio === null || writable.topUp) &&
    (row.limit === null || writable.limit);
  const number = (field: keyof Writable, label: string, value: number | null, put: (value: number | null) => void) => (
    <GroupNumber
      label={t('settings.groups.of', { field: label, name })}
      caption={label}
      value={value}
      needed={field === 'ratio'}
      whole={field === 'limit'}
      unset={field === 'limit' ? t('settings.groups.siteLimit') : '1'}
      disabled={!writable[field]}
      onChange={put}
    />
  );
  return (
    <Box
      role="group"
      aria-label={name}
      sx={{ borderTop: '1px solid', borderColor: 'divider', py: 1.5, display: 'grid', gap: 1 }}
    >
      <Box sx={{ display: 'flex', alignItems: 'flex-start', gap: 1.5 }}>
        <Box sx={{ display: 'flex', alignItems: 'center', columnGap: 1.5, flexWrap: 'wrap', flex: 1, minHeight: 32 }}>
          <Box sx={{ fontWeight: 600, overflowWrap: 'anywhere' }}>{name}</Box>
          {users !== undefined && (
            <MuiLink component={Link} to={`/user?group=${encodeURIComponent(name)}`} sx={{ fontSize: 12 }}>
              {t('settings.groups.members', { count: users, amount: integer(users) })}
            </MuiLink>
          )}
          {channels !== undefined && (
            <MuiLink component={Link} to={`/channel?group=${encodeURIComponent(name)}`} sx={{ fontSize: 12 }}>
              {t('settings.groups.channels', { count: channels, amount: integer(channels) })}
            </MuiLink>
          )}
          <MuiLink component={Link} to={`/pricing?group=${encodeURIComponent(name)}`} sx={{ fontSize: 12 }}>
            {t('settings.groups.models')}
          </MuiLink>
          {budgets && <GroupBudgets name={name} />}
        </Box>
        <IconButton
          aria-label={t('settings.groups.remove', { name })}
          title={data && isUsed ? t('settings.groups.used') : undefined}
          disabled={!removable || isUsed}
          onClick={() => onChange(null)}
        >
          <DeleteOutlinedIcon />
        </IconButton>
      </Box>
      <Box sx={{ display: 'grid', gap: 1.5, gridTemplateColumns: { xs: '1fr 1fr', sm: 'repeat(4, 1fr)' } }}>
        {number('ratio', t('settings.groups.ratio'), row.ratio, (ratio) => onChange({ ...row, ratio: ratio ?? 1 }))}
        {number('topUp', t('settings.groups.topUp'), row.topUpRatio, (topUpRatio) => onChange({ ...row, topUpRatio }))}
        {number('limit', t('settings.groups.requests'), row.limit?.[0] ?? null, (requests) =>
          onChange({ ...row, limit: requests === null ? null : [requests, row.limit?.[1] ?? siteSuccesses] }),
        )}
        {number('limit', t('settings.groups.successes'), row.limit?.[1] ?? null, (successes) =>
          onChange({ ...row, limit: successes === null ? null : [row.limit?.[0] ?? siteRequests, successes] }),
        )}
      </Box>
      <Box sx={{ display: 'flex', alignItems: 'center', gap: 1, flexWrap: 'wrap' }}>
        <Switch
          checked={row.description !== null}
          disabled={!writable.usable}
          onChange={(_, on) => onChange({ ...row, description: on ? name : null })}
          slotProps={{ input: { 'aria-label': t('settings.groups.of', { field: t('settings.groups.usable'), name }) } }}
        />
        <Box component="span" aria-hidden>
          {t('settings.groups.usable')}
        </Box>
        {row.description !== null && (
          <Box sx={{ flex: 1, minWidth: 200 }}>
            <OutlinedInput
              fullWidth
              value={row.description}
              disabled={!writable.usable}
              onChange={(event) => onChange({ ...row, description: event.target.value })}
              inputProps={{
                'aria-label': t('settings.groups.of', { field: t('settings.groups.description'), name }),
                maxLength: maxDescription,
              }}
            />
            <LengthHint text={row.description} maxLength={maxDescription} />
          </Box>
        )}
      </Box>
    </Box>
  );
}

/** Shows why a field without a label accepts no more text. */
function LengthHint({ text, maxLength }: { readonly text: string; readonly maxLength: number }) {
  const { t } = useTranslation();
  const { hint } = lengthNotes(text, maxLength, t);
  return hint && <FormHelperText role="status">{hint}</FormHelperText>;
}

/** A link that opens the budgets of a group. */
function GroupBudgets({ name }: { readonly name: string }) {
  const { t } = useTranslation();
  const [open, setOpen] = useState(false);
  const title = t('budgets.ofGroup', { name });
  return (
    <>
      <MuiLink component="button" type="button" aria-label={title} sx={{ fontSize: 12 }} onClick={() => setOpen(true)}>
        {t('budgets.short')}
      </MuiLink>
      {open && (
        <ContentDialog title={title} onClose={() => setOpen(false)}>
          <Box sx={{ fontSize: 12, color: 'text.secondary', mb: 1.5 }}>{t('budgets.texts.GROUP')}</Box>
          <BudgetList subject={{ level: 'GROUP', group: name }} />
        </ContentDialog>
      )}
    </>
  );
}

function AddGroup({
  taken,
  disabled,
  onAdd,
}: {
  readonly taken: readonly string[];
  readonly disabled: boolean;
  readonly onAdd: (name: string) => void;
}) {
  const { t } = useTranslation();
  const [name, setName] = useState('');
  const trimmed = name.trim();
  const isTaken = taken.includes(trimmed);
  return (
    <Box
      component="form"
      sx={{ display: 'flex', gap: 1, mt: 1, alignItems: 'flex-start' }}
      onSubmit={(event) => {
        event.preventDefault();
        if (trimmed === '' || isTaken) return;
        onAdd(trimmed);
        setName('');
      }}
    >
      <Box>
        <OutlinedInput
          value={name}
          error={isTaken}
          disabled={disabled}
          onChange={(event) => setName(event.target.value)}
          placeholder={t('settings.groups.name')}
          inputProps={{ 'aria-label': t('settings.groups.name'), maxLength: maxName }}
        />
        {!isTaken && <LengthHint text={name} maxLength={maxName} />}
        {isTaken && (
          <FormHelperText error role="alert">
            {t('settings.groups.taken')}
          </FormHelperText>
        )}
      </Box>
      <Button type="submit" startIcon={<AddOutlinedIcon />} disabled={disabled || trimmed === '' || isTaken}>
        {t('settings.groups.add')}
      </Button>
    </Box>
  );
}
