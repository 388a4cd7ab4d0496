import Box from '@mui/material/Box';
import { useTranslation } from 'react-i18next';
import { NumberInput } from '../../components/form/inputs.js';
import { DrawerSection, FieldRow } from '../../components/SideDrawer.js';
import { integer } from '../../lib/format.js';
import {
  isAmount,
  isLimit,
  isTimeout,
  limitFields,
  limitScopes,
  longestTimeout,
  timeoutFields,
  type LimitName,
} from './channelLimits.js';
import { typedText } from './channelTexts.js';
import type { SectionProps } from './channelForm.js';

const unitOf = (name: LimitName): 'perMinute' | 'calls' | 'dollars' =>
  isAmount(name) ? 'dollars' : name === 'concurrentCalls' ? 'calls' : 'perMinute';

/** Limits of the channel and of each of its keys, and timeouts. Empty fields have no limit. */
export function LimitsSection({ form: { control } }: SectionProps) {
  const { t } = useTranslation();
  return (
    <>
      <DrawerSection rare title={t('channels.limits')} explanation={t('channels.limitsText')}>
        {limitScopes.map((scope) => (
          <Box key={scope} role="group" aria-label={t(`channels.limitScopes.${scope}`)} sx={{ mb: 2 }}>
            <Box sx={{ fontSize: 13, fontWeight: 500, mb: 1 }}>{t(`channels.limitScopes.${scope}`)}</Box>
            <FieldRow columns={3}>
              {limitFields.map((name) => (
                <NumberInput
                  key={name}
                  control={control}
                  name={`limits.${scope}.${name}`}
                  label={t(`channels.limitNames.${name}`)}
                  unit={t(`channels.limitUnits.${unitOf(name)}`)}
                  rules={{
                    validate: (value) =>
                      isLimit(name, typedText(value)) ||
                      t(isAmount(name) ? 'channels.limitAmountInvalid' : 'channels.limitInvalid'),
                  }}
                />
              ))}
            </FieldRow>
          </Box>
        ))}
      </DrawerSection>
      <DrawerSection rare title={t('channels.timeouts')} explanation={t('channels.timeoutsText')}>
        <FieldRow columns={3}>
          {timeoutFields.map((name) => (
            <NumberInput
              key={name}
              control={control}
              name={`timeouts.${name}`}
              label={t(`channels.timeoutNames.${name}`)}
              hint={t(`channels.timeoutHints.${name}`)}
              unit={t('settings.units.seconds')}
              rules={{
                validate: (value) =>
                  isTimeout(typedText(value)) || t('channels.timeoutInvalid', { longest: integer(longestTimeout) }),
              }}
            />
          ))}
        </FieldRow>
      </DrawerSection>
    </>
  );
}
