import { useMutation } from '@apollo/client/react';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { useState, type ReactNode } from 'react';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { EmptyState } from '../../components/EmptyState.js';
import { TextInput } from '../../components/form/inputs.js';
import { FormDialog } from '../../components/FormDialog.js';
import { RowMenu } from '../../components/RowMenu.js';
import { ToneChip } from '../../components/Tone.js';
import { toast } from '../../components/toast.js';
import { useAction } from '../../components/useAction.js';
import { dateTime } from '../../lib/format.js';
import { useFormat } from '../../lib/useFormat.js';
import { BudgetsDialog } from './BudgetsDialog.js';
import { CreateProjectDocument, UpdateProjectDocument, type ProjectRowFragment } from './organisations.generated.js';
import { Row, RowList } from './RowList.js';

/** Projects with what their keys were charged. */
export function ProjectsTab({
  organisationId,
  projects,
  canChange,
  budgetsOf,
  onChanged,
}: {
  readonly organisationId: number;
  readonly projects: readonly ProjectRowFragment[];
  readonly canChange: boolean;
  /** Shows a part that acts for the organisation. Null: the user sets no budgets there. */
  readonly budgetsOf: ((content: ReactNode) => ReactNode) | null;
  readonly onChanged: () => void;
}) {
  const { t } = useTranslation();
  const act = useAction();
  const { money } = useFormat();
  const [update] = useMutation(UpdateProjectDocument);
  const [edited, setEdited] = useState<ProjectRowFragment | 'new' | null>(null);
  const [limited, setLimited] = useState<ProjectRowFragment | null>(null);
  const archive = ({ id, name, archivedAt }: ProjectRowFragment) =>
    act(async () => {
      await update({ variables: { input: { id, isArchived: !archivedAt } } });
      onChanged();
      return t('organisations.projectSaved', { name });
    });
  const add = canChange && (
    <Button variant="contained" onClick={() => setEdited('new')}>
      {t('organisations.projectNew')}
    </Button>
  );
  return (
    <Box sx={{ display: 'flex', flexDirection: 'column', gap: 2, maxWidth: 960 }}>
      {projects.length === 0 ? (
        <EmptyState title={t('organisations.projectsEmpty')} text={t('organisations.projectsText')} action={add} />
      ) : (
        <>
          {add && <Box>{add}</Box>}
          <RowList label={t('organisations.projectsTab')}>
            {projects.map((project) => (
              <Row
                key={project.id}
                title={
                  <>
                    {project.name}
                    {project.archivedAt && <ToneChip tone="grey">{t('organisations.projectArchived')}</ToneChip>}
                  </>
                }
                detail={
                  project.keyCount == null
                    ? dateTime(project.createdAt)
                    : `${t('organisations.keys')}: ${project.keyCount} · ${dateTime(project.createdAt)}`
                }
                figure={project.usedQuota == null ? undefined : money(project.usedQuota, 'balance')}
                menu={
                  (canChange || budgetsOf) && (
                    <RowMenu
                      label={t('organisations.moreOf', { name: project.name })}
                      actions={[
                        ...(budgetsOf && !project.archivedAt
                          ? [{ label: t('organisations.budgets'), onSelect: () => setLimited(project) }]
                          : []),
                        ...(canChange
                          ? [
                              { label: t('organisations.projectRename'), onSelect: () => setEdited(project) },
                              {
                                label: t(
                                  project.archivedAt ? 'organisations.projectOpen' : 'organisations.projectArchive',
                                ),
                                onSelect: () => void archive(project),
                              },
                            ]
                          : []),
                      ]}
                    />
                  )
                }
              />
            ))}
          </RowList>
        </>
      )}
      {edited !== null && (
        <ProjectDialog
          organisationId={organisationId}
          project={edited === 'new' ? null : edited}
          onSaved={onChanged}
          onClose={() => setEdited(null)}
        />
      )}
      {limited &&
        budgetsOf?.(
          <BudgetsDialog
            title={t('organisations.budgetsOf', { name: limited.name })}
            subject={{ level: 'PROJECT', subjectId: limited.id }}
            onClose={() => setLimited(null)}
          />,
        )}
    </Box>
  );
}

function ProjectDialog({
  organisationId,
  project,
  onSaved,
  onClose,
}: {
  readonly organisationId: number;
  readonly project: ProjectRowFragment | null;
  readonly onSaved: () => void;
  readonly onClose: () => void;
}) {
  const { t } = useTranslation();
  const [create] = useMutation(CreateProjectDocument);
  const [update] = useMutation(UpdateProjectDocument);
  const form = useForm({ defaultValues: { name: project?.name ?? '' } });
  return (
    <FormDialog
      form={form}
      title={t(project ? 'organisations.projectRename' : 'organisations.projectNew')}
      submitLabel={t(project ? 'organisations.projectRename' : 'organisations.projectNew')}
      errorField="name"
      onSubmit={async (values) => {
        const name = values.name.trim();
        if (project) await update({ variables: { input: { id: project.id, name } } });
        else await create({ variables: { input: { organisationId, name } } });
        onSaved();
        toast.success(t('organisations.projectSaved', { name }));
      }}
      onClose={onClose}
    >
      <TextInput
        control={form.control}
        name="name"
        label={t('organisations.projectName')}
        required
        autoFocus
        maxLength={64}
        rules={{ validate: (name) => name.trim() !== '' || t('fields.nameMissing') }}
      />
    </FormDialog>
  );
}
