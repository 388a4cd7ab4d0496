import { type DrawingAction, drawingActions } from '../../../console/tasks/index.js';

/** These open a dialog; the action submitted in it is charged as MODAL. */
export const isWindowAction = (action: DrawingAction): boolean => action === 'INPAINT' || action === 'CUSTOM_ZOOM';

/** The model name that routes and prices a drawing. */
export const modelOf = (action: DrawingAction): string =>
  action === 'SWAP_FACE' ? 'swap_face' : `mj_${action.toLowerCase()}`;

export const isDrawingAction = (text: string): text is DrawingAction =>
  (drawingActions as readonly string[]).includes(text);

const changes: ReadonlySet<string> = new Set<DrawingAction>([
  ...(['UPSCALE', 'VARIATION', 'REROLL', 'HIGH_VARIATION', 'LOW_VARIATION', 'PAN', 'ZOOM'] as const),
]);

/** Whether the action makes another drawing of a finished one. All others have paths and prices of their own. */
export const isChange = (text: string): text is DrawingAction => changes.has(text);

/** `MJ::JOB::upsample::2::<uuid>`: the action of a button; null for an unknown one. */
export function actionOfButton(customId: string): DrawingAction | null {
  const parts = customId.split('::');
  const name = (parts[1] === 'JOB' ? parts[2] : parts[1]) ?? '';
  if (name.includes('upsample')) return 'UPSCALE';
  if (name === 'variation') return 'VARIATION';
  if (name === 'low_variation') return 'LOW_VARIATION';
  if (name === 'high_variation') return 'HIGH_VARIATION';
  if (name.includes('pan')) return 'PAN';
  if (name.includes('reroll')) return 'REROLL';
  if (name === 'Outpaint') return 'ZOOM';
  if (name === 'CustomZoom') return 'CUSTOM_ZOOM';
  return name === 'Inpaint' ? 'INPAINT' : null;
}

/** A parsed simple change. */
export interface SimpleChange {
  readonly taskId: string;
  readonly action: DrawingAction;
}

/** `<task> u2`, `<task> v3`, `<task> r`: exactly two words. */
export function parseSimpleChange(content: string): SimpleChange | null {
  const [taskId, command, ...more] = content.trim().split(/\s+/);
  if (!taskId || !command || more.length > 0) return null;
  const found = /^(?:([uv])[1-4]|r)$/i.exec(command);
  if (!found) return null;
  const letter = found[1]?.toLowerCase();
  return { taskId, action: letter === 'u' ? 'UPSCALE' : letter === 'v' ? 'VARIATION' : 'REROLL' };
}
