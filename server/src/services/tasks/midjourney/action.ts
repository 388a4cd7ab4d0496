import { type DrawingAction, drawingActions } from '../../../console/tasks/index.js';

/** Whether the action opens a dialog. The action submitted in it is charged as MODAL. */
export const isWindowAction = (action: DrawingAction): boolean => action === 'INPAINT' || action === 'CUSTOM_ZOOM';

/** Returns the model name that routes and prices a drawing. */
export const modelOf = (action: DrawingAction): string =>
  action === 'SWAP_FACE' ? 'swap_face' : `mj_${action.toLowerCase()}`;

export const isDrawingAction = (text: string): text is DrawingAction =>
  (drawingActions as readonly string[]).includes(text);

const changes: ReadonlySet<string> = new Set<DrawingAction>([
  ...(['UPSCALE', 'VARIATION', 'REROLL', 'HIGH_VARIATION', 'LOW_VARIATION', 'PAN', 'ZOOM'] as const),
]);

/** Whether the action creates another drawing from a finished one. All others have paths and prices of their own. */
export const isChange = (text: string): text is DrawingAction => changes.has(text);

/** Returns the action of a button, `MJ::JOB::upsample::2::<uuid>`; null for an unknown one. */
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

/** Parses `<task> u2`, `<task> v3` or `<task> r`: exactly two words. */
export function parseSimpleChange(content: string): SimpleChange | null {
  const [taskId, command, ...more] = content.trim().split(/\s+/);
  if (!taskId || !command || more.length > 0) return null;
  const found = /^(?:([uv])[1-4]|r)$/i.exec(command);
  if (!found) return null;
  const letter = found[1]?.toLowerCase();
  return { taskId, action: letter === 'u' ? 'UPSCALE' : letter === 'v' ? 'VARIATION' : 'REROLL' };
}
