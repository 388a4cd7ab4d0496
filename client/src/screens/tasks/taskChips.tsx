import type { ParseKeys } from 'i18next';
import { useTranslation } from 'react-i18next';
import { ToneChip, type Tone } from '../../components/Tone.js';

interface Look {
  readonly tone: Tone;
  readonly label: ParseKeys;
}

const looks: Readonly<Record<'action' | 'submission' | 'status', Readonly<Record<string, Look>>>> = {
  action: {
    IMAGINE: { tone: 'blue', label: 'tasks.actions.IMAGINE' },
    UPSCALE: { tone: 'orange', label: 'tasks.actions.UPSCALE' },
    VARIATION: { tone: 'violet', label: 'tasks.actions.VARIATION' },
    HIGH_VARIATION: { tone: 'violet', label: 'tasks.actions.HIGH_VARIATION' },
    LOW_VARIATION: { tone: 'violet', label: 'tasks.actions.LOW_VARIATION' },
    ZOOM: { tone: 'teal', label: 'tasks.actions.ZOOM' },
    CUSTOM_ZOOM: { tone: 'teal', label: 'tasks.actions.CUSTOM_ZOOM' },
    PAN: { tone: 'teal', label: 'tasks.actions.PAN' },
    DESCRIBE: { tone: 'amber', label: 'tasks.actions.DESCRIBE' },
    BLEND: { tone: 'lime', label: 'tasks.actions.BLEND' },
    REROLL: { tone: 'lime', label: 'tasks.actions.REROLL' },
    INPAINT: { tone: 'lime', label: 'tasks.actions.INPAINT' },
    SHORTEN: { tone: 'grey', label: 'tasks.actions.SHORTEN' },
    UPLOAD: { tone: 'grey', label: 'tasks.actions.UPLOAD' },
    MODAL: { tone: 'grey', label: 'tasks.actions.MODAL' },
    SWAP_FACE: { tone: 'grey', label: 'tasks.actions.SWAP_FACE' },
    MUSIC: { tone: 'violet', label: 'tasks.actions.MUSIC' },
    LYRICS: { tone: 'teal', label: 'tasks.actions.LYRICS' },
    VIDEO: { tone: 'blue', label: 'tasks.actions.VIDEO' },
    BATCH: { tone: 'amber', label: 'tasks.actions.BATCH' },
  },
  submission: {
    ACCEPTED: { tone: 'green', label: 'tasks.codes.submitted' },
    EXISTS: { tone: 'lime', label: 'tasks.codes.waiting' },
    QUEUED: { tone: 'orange', label: 'tasks.codes.duplicate' },
    NOT_SUBMITTED: { tone: 'amber', label: 'tasks.codes.notSubmitted' },
    REFUSED: { tone: 'red', label: 'tasks.codes.refused' },
  },
  status: {
    NOT_STARTED: { tone: 'grey', label: 'tasks.states.notStarted' },
    SUBMITTED: { tone: 'amber', label: 'tasks.states.queued' },
    QUEUED: { tone: 'amber', label: 'tasks.states.queued' },
    IN_PROGRESS: { tone: 'blue', label: 'tasks.states.inProgress' },
    WAITING_FOR_INPUT: { tone: 'amber', label: 'tasks.states.window' },
    SUCCESS: { tone: 'green', label: 'tasks.states.done' },
    FAILURE: { tone: 'red', label: 'tasks.states.failed' },
  },
};

/** Chip for the action, result or status of a task; "Unknown" for values without a text. */
export function TaskChip({
  of,
  value,
  dot = false,
}: {
  readonly of: keyof typeof looks;
  readonly value: string;
  readonly dot?: boolean;
}) {
  const { t } = useTranslation();
  const look = looks[of][value];
  return (
    <ToneChip tone={look ? look.tone : 'outline'} dot={dot}>
      {look ? t(look.label) : t('fields.unknown')}
    </ToneChip>
  );
}
