import type { en } from '../../i18n/en/en.js';

/** The kind of control for a setting. All values are text, as in the API. */
export type SettingControl =
  | { readonly kind: 'switch' | 'text' | 'secret' | 'lines' | 'content' | 'image' | 'domains' | 'chats' }
  | {
      readonly kind: 'number';
      readonly minimum?: number;
      readonly maximum?: number;
      /** Allows fractions. */
      readonly decimal?: boolean;
      readonly unit?: 'seconds' | 'minutes' | 'quota' | 'yuan' | 'percent' | 'hours' | 'dollars';
      readonly step?: number;
    }
  | { readonly kind: 'json'; readonly example: string }
  | { readonly kind: 'guardrails' | 'captures'; readonly example: string }
  | { readonly kind: 'choice'; readonly choices: readonly (keyof typeof en.settings.choices)[] };

export type Setting = SettingControl & {
  /** The key in the API. */
  readonly key: string;
  /** Key of its label and help text. */
  readonly name: keyof typeof en.settings.rows;
  readonly placeholder?: string;
  /** The flag that must be on for the setting to be editable. */
  readonly enabledBy?: string;
};

export type JsonSetting = Extract<Setting, { kind: 'json' }>;
type ChoiceSetting = Extract<Setting, { kind: 'choice' }>;
type Rest = Omit<Extract<Setting, { kind: 'number' }>, 'key' | 'name' | 'kind'>;
export const flag = (key: string, name: Setting['name']): Setting => ({ kind: 'switch', key, name });
export const text = (key: string, name: Setting['name'], placeholder = ''): Setting => ({
  kind: 'text',
  key,
  name,
  placeholder,
});
export const secret = (key: string, name: Setting['name']): Setting => ({ kind: 'secret', key, name });
export const number = (key: string, name: Setting['name'], rest: Rest = {}): Setting => ({
  kind: 'number',
  minimum: 0,
  key,
  name,
  ...rest,
});
export const lines = (key: string, name: Setting['name']): Setting => ({ kind: 'lines', key, name });
export const json = (key: string, name: Setting['name'], example: string): JsonSetting => ({
  kind: 'json',
  key,
  name,
  example,
});
export const choice = (key: string, name: Setting['name'], choices: ChoiceSetting['choices']): Setting => ({
  kind: 'choice',
  key,
  name,
  choices,
});
/** Returns a setting that is only editable while the flag is on. */
export const enabledBy = (flagKey: string, setting: Setting): Setting => ({ ...setting, enabledBy: flagKey });
export const content = (key: string, name: Setting['name']): Setting => ({ kind: 'content', key, name });
