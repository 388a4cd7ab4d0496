import type { OptionValues } from '../../modules/options/option.service.js';
import type { FamilySettings } from '../adapter.js';

let known: { readonly values: OptionValues; readonly settings: FamilySettings } | null = null;

/** What the options say of the families of providers; read once per change of the options. */
export function familySettings(values: OptionValues): FamilySettings {
  if (known?.values !== values) known = { values, settings: readFamilies(values) };
  return known.settings;
}

const readFamilies = (values: OptionValues): FamilySettings => ({
  claude: {
    defaultMaxTokens: values['claude.default_max_tokens'],
    thinkingSuffix: values['claude.thinking_adapter_enabled'],
    thinkingShare: values['claude.thinking_adapter_budget_tokens_percentage'],
  },
  claudeHeaders: values['claude.model_headers_settings'],
  gemini: {
    safety: values['gemini.safety_settings'],
    imageModels: values['gemini.supported_imagine_models'],
    thinkingModels: values['gemini.models_supported_thinking_budget'],
    thinkingSuffix: values['gemini.thinking_adapter_enabled'],
    thinkingShare: values['gemini.thinking_adapter_budget_tokens_percentage'],
  },
  geminiVersions: values['gemini.version_settings'],
  site: { address: values.ServerAddress, name: values.SystemName },
});
