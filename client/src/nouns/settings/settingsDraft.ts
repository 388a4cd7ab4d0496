import { createStore } from '../../lib/store.js';

export interface SavedSetting {
  readonly key: string;
  /** Empty for a secret. */
  readonly value: string;
  readonly isSet: boolean;
  readonly isSecret: boolean;
  readonly isWritable: boolean;
}

export interface DraftState {
  readonly saved: ReadonlyMap<string, SavedSetting>;
  /** Unsaved values, by key. */
  readonly edits: ReadonlyMap<string, string>;
  /** The server's message for a rejected value, by key; removed by the next edit of that key. */
  readonly refused: ReadonlyMap<string, string>;
}

/** The saved settings, and the unsaved changes to them. */
export class SettingsDraft {
  private readonly store = createStore<DraftState>({ saved: new Map(), edits: new Map(), refused: new Map() });
  readonly subscribe = this.store.subscribe;
  readonly state = this.store.get;

  /**
   * Replaces the saved settings, and drops edits that equal them. Where an edited table was saved by another admin meanwhile,
   * the edit keeps the entries that only they changed.
   * @returns the edited keys that were changed otherwise meanwhile: saving them replaces what the other admin saved
   */
  load(settings: readonly SavedSetting[]): readonly string[] {
    const before = this.state();
    const saved = new Map(before.saved);
    settings.forEach((setting) => saved.set(setting.key, setting));
    const rebased = new Map(before.edits);
    const conflicts: string[] = [];
    for (const [key, mine] of before.edits) {
      const [base, theirs] = [before.saved.get(key)?.value, saved.get(key)?.value];
      if (base === undefined || theirs === undefined || base === theirs || mine === theirs) continue;
      const merged = mergedTable(base, mine, theirs);
      if (merged === null) conflicts.push(key);
      else rebased.set(key, merged);
    }
    const isRemoval = (key: string, value: string) => value === '' && saved.get(key)?.isSecret && saved.get(key)?.isSet;
    const edits = new Map(
      [...rebased].filter(([key, value]) => saved.get(key)?.value !== value || isRemoval(key, value)),
    );
    this.store.set({ ...this.state(), saved, edits });
    return conflicts;
  }

  /** The edited value, else the saved one. */
  value(key: string): string {
    const { saved, edits } = this.state();
    return edits.get(key) ?? saved.get(key)?.value ?? '';
  }

  edit(key: string, value: string): void {
    const { saved } = this.state();
    const edits = new Map(this.state().edits);
    if (value === (saved.get(key)?.value ?? '')) edits.delete(key);
    else edits.set(key, value);
    this.store.set({ saved, edits, refused: without(this.state().refused, key) });
  }

  /** Removes the stored value of a secret. `edit` cannot do this, because an empty text leaves a secret unchanged. */
  remove(key: string): void {
    const { saved, edits, refused } = this.state();
    this.store.set({ saved, edits: new Map(edits).set(key, ''), refused: without(refused, key) });
  }

  discard(): void {
    this.store.set({ saved: this.state().saved, edits: new Map(), refused: new Map() });
  }

  accept(setting: SavedSetting): void {
    const saved = new Map(this.state().saved).set(setting.key, setting);
    this.store.set({
      saved,
      edits: without(this.state().edits, setting.key),
      refused: without(this.state().refused, setting.key),
    });
  }

  refuse(key: string, message: string): void {
    this.store.set({ ...this.state(), refused: new Map(this.state().refused).set(key, message) });
  }
}

type Entries = Readonly<Record<string, unknown>>;

function tableOf(text: string): Entries | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Entries) : null;
  } catch {
    return null;
  }
}

/**
 * Returns the JSON object of the other admin with the entries that differ between `base` and `mine`.
 * @returns null when both changed the same entry, or a text is not an object
 */
function mergedTable(base: string, mine: string, theirs: string): string | null {
  const tables = [base, mine, theirs].map(tableOf);
  if (tables.includes(null)) return null;
  const [from, own, other] = tables as [Entries, Entries, Entries];
  const textIn = (table: Entries, name: string) =>
    Object.hasOwn(table, name) ? JSON.stringify(table[name]) : undefined;
  const changed = [...new Set([...Object.keys(from), ...Object.keys(own)])].filter(
    (name) => textIn(own, name) !== textIn(from, name),
  );
  const isTheirs = (name: string) =>
    textIn(other, name) !== textIn(from, name) && textIn(other, name) !== textIn(own, name);
  if (changed.some(isTheirs)) return null;
  const kept = Object.entries(other).filter(([name]) => !changed.includes(name) || Object.hasOwn(own, name));
  const put = changed.filter((name) => Object.hasOwn(own, name)).map((name) => [name, own[name]] as const);
  return JSON.stringify(Object.fromEntries([...kept, ...put]), null, 2);
}

function without<V>(map: ReadonlyMap<string, V>, key: string): ReadonlyMap<string, V> {
  if (!map.has(key)) return map;
  const rest = new Map(map);
  rest.delete(key);
  return rest;
}

/** Whether the setting is a switch; switches are saved first. */
export const isEnableFlag = (key: string): boolean => /enabled$/i.test(key);

/**
 * Saves the changes one by one: switches first, then the rest, then again the rejected switches, because some can only be
 * turned on after the settings they require are saved.
 *
 * @returns the keys that could not be saved
 */
export async function saveDraft(
  draft: SettingsDraft,
  save: (key: string, value: string) => Promise<SavedSetting>,
  describe: (error: unknown) => string,
): Promise<readonly string[]> {
  const attempt = async (key: string): Promise<boolean> => {
    const value = draft.state().edits.get(key);
    if (value === undefined) return true;
    try {
      draft.accept(await save(key, value));
      return true;
    } catch (error) {
      draft.refuse(key, describe(error));
      return false;
    }
  };
  const run = async (keys: readonly string[]): Promise<string[]> => {
    const failed: string[] = [];
    for (const key of keys) if (!(await attempt(key))) failed.push(key);
    return failed;
  };
  const keys = [...draft.state().edits.keys()];
  const flags = keys.filter(isEnableFlag);
  const early = await run(flags);
  const late = await run(keys.filter((key) => !isEnableFlag(key)));
  const stillRefused = early.length > 0 && keys.length > flags.length ? await run(early) : early;
  return [...stillRefused, ...late];
}
