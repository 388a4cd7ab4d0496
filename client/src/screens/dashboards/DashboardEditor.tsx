import { useMutation } from '@apollo/client/react';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import OutlinedInput from '@mui/material/OutlinedInput';
import AddOutlinedIcon from '@mui/icons-material/AddOutlined';
import SpaceDashboardOutlinedIcon from '@mui/icons-material/SpaceDashboardOutlined';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router-dom';
import { EmptyState } from '../../components/EmptyState.js';
import { Field } from '../../components/form/Field.js';
import { UnsavedGuard } from '../../components/form/UnsavedGuard.js';
import { Segments } from '../../components/Segments.js';
import { toast } from '../../components/toast.js';
import { useAction } from '../../components/useAction.js';
import { useIdempotencyKey } from '../../lib/useIdempotencyKey.js';
import {
  CreateDashboardDocument,
  UpdateDashboardDocument,
  type DashboardPartsFragment,
  type PanelPartsFragment,
} from '../../nouns/dashboards/dashboards.generated.js';
import { PanelGrid } from '../../nouns/dashboards/PanelGrid.js';
import { useUsageRange } from '../../nouns/dashboards/useUsageRange.js';
import { useViewer } from '../../nouns/dashboards/useViewer.js';
import { DashboardFrame } from './DashboardFrame.js';
import { PanelEditor } from './PanelEditor.js';

interface Draft {
  readonly name: string;
  readonly visibility: DashboardPartsFragment['visibility'];
  readonly panels: readonly PanelPartsFragment[];
}

const draftOf = (from: DashboardPartsFragment | null, copied: DashboardPartsFragment | undefined): Draft => ({
  name: from?.name ?? copied?.name ?? '',
  visibility: from?.visibility ?? 'PRIVATE',
  panels: (from ?? copied)?.panels ?? [],
});

/** Edits a dashboard, or creates one. Nothing is saved before the button is pressed. */
export function DashboardEditor({
  dashboard,
  copied,
}: {
  /** Null creates one. */
  readonly dashboard: DashboardPartsFragment | null;
  /** The dashboard whose panels a new one begins with. */
  readonly copied?: DashboardPartsFragment;
}) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const act = useAction();
  const keyOf = useIdempotencyKey();
  const [create] = useMutation(CreateDashboardDocument);
  const [update] = useMutation(UpdateDashboardDocument);
  const [draft, setDraft] = useState(() => draftOf(dashboard, copied));
  const [isNameMissing, setNameMissing] = useState(false);
  const [isSaving, setSaving] = useState(false);
  /** The place of the panel in the editor; the number of panels for a new one; null while it is closed. */
  const [edited, setEdited] = useState<number | null>(null);
  const { range, granularity } = useUsageRange();
  const { viewer, version } = useViewer(range, granularity);
  const leaving = useRef(false);
  const { name, visibility, panels } = draft;
  const isChanged = JSON.stringify(draft) !== JSON.stringify(draftOf(dashboard, undefined));
  const setPanels = (next: readonly PanelPartsFragment[]) => setDraft({ ...draft, panels: next });
  const move = (from: number, to: number) => {
    const others = panels.filter((_, index) => index !== from);
    setPanels([...others.slice(0, to), ...panels.slice(from, from + 1), ...others.slice(to)]);
  };
  const back = dashboard ? `/dashboards/${dashboard.id}` : '/dashboards';
  const save = async () => {
    if (name.trim() === '') return setNameMissing(true);
    setSaving(true);
    const input = {
      name: name.trim(),
      visibility,
      // Responses have more than an input may.
      panels: panels.map(({ title, kind, size, query, variables, numbers }) => ({
        title,
        kind,
        size,
        query,
        variables,
        numbers,
      })),
    };
    await act(async () => {
      leaving.current = true;
      try {
        const saved = dashboard
          ? (await update({ variables: { input: { id: dashboard.id, ...input } } })).data?.updateDashboard.dashboard
          : (await create({ variables: { input: { ...input, idempotencyKey: keyOf(input) } } })).data?.createDashboard
              .dashboard;
        toast.success(t('dashboards.saved', { name: input.name }));
        await navigate(saved ? `/dashboards/${saved.id}` : '/dashboards');
      } catch (error) {
        leaving.current = false;
        throw error;
      }
    });
    setSaving(false);
  };
  const add = (
    <Button variant="outlined" startIcon={<AddOutlinedIcon />} onClick={() => setEdited(panels.length)}>
      {t('dashboards.addPanel')}
    </Button>
  );
  return (
    <DashboardFrame
      title={dashboard ? t('dashboards.editTitle', { name: dashboard.name }) : t('dashboards.add')}
      primary={
        <>
          <Button variant="outlined" onClick={() => void navigate(back)}>
            {t('actions.cancel')}
          </Button>
          <Button variant="contained" loading={isSaving} disabled={panels.length === 0} onClick={() => void save()}>
            {t('dashboards.save')}
          </Button>
        </>
      }
    >
      <UnsavedGuard isActive={isChanged} leaving={leaving} />
      <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 2, alignItems: 'flex-end' }}>
        <Box sx={{ flex: '1 1 220px', maxWidth: 420 }}>
          <Field
            id="dashboard-name"
            label={t('fields.name')}
            required
            {...(isNameMissing && name.trim() === '' ? { error: t('fields.nameMissing') } : {})}
          >
            <OutlinedInput
              id="dashboard-name"
              value={name}
              fullWidth
              error={isNameMissing && name.trim() === ''}
              onChange={(event) => setDraft({ ...draft, name: event.target.value })}
              inputProps={{ maxLength: 64, 'aria-required': true, autoComplete: 'off' }}
            />
          </Field>
        </Box>
        <Box>
          <Segments
            label={t('dashboards.visibility')}
            value={visibility}
            onChange={(next) => setDraft({ ...draft, visibility: next })}
            choices={[
              { value: 'PRIVATE', label: t('dashboards.private') },
              { value: 'SHARED', label: t('dashboards.shared') },
            ]}
          />
        </Box>
        <Box sx={{ ml: { sm: 'auto' } }}>{panels.length > 0 && add}</Box>
      </Box>
      {panels.length === 0 ? (
        <EmptyState
          icon={<SpaceDashboardOutlinedIcon />}
          title={t('dashboards.noPanels')}
          text={t('dashboards.noPanelsText')}
          action={add}
        />
      ) : (
        <PanelGrid
          panels={panels}
          viewer={viewer}
          version={version}
          actionsOf={(index) => [
            { label: t('actions.edit'), onSelect: () => setEdited(index) },
            { label: t('dashboards.earlier'), disabled: index === 0, onSelect: () => move(index, index - 1) },
            {
              label: t('dashboards.later'),
              disabled: index === panels.length - 1,
              onSelect: () => move(index, index + 1),
            },
            {
              label: t('actions.delete'),
              destructive: true,
              onSelect: () => setPanels(panels.filter((_, place) => place !== index)),
            },
          ]}
        />
      )}
      {edited !== null && (
        <PanelEditor
          key={edited}
          panel={panels[edited] ?? null}
          viewer={viewer}
          onDone={(panel) => setPanels([...panels.slice(0, edited), panel, ...panels.slice(edited + 1)])}
          onClosed={() => setEdited(null)}
        />
      )}
    </DashboardFrame>
  );
}
