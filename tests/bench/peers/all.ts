import { bifrost } from './bifrost.js';
import { doneHub } from './done-hub.js';
import { envoy } from './envoy.js';
import { goModel } from './gomodel.js';
import { liteLLM } from './litellm.js';
import { newApi } from './new-api.js';
import { otari } from './otari.js';
import type { Peer } from './peer.js';
import { portkey } from './portkey.js';

/** Peers of the package registries. */
const installed: readonly Peer[] = [envoy, portkey, liteLLM, otari];

/** Peers that take part when their program is given, by the flag that names its path. */
const given: Readonly<Record<string, (program: string) => Peer>> = {
  'new-api': newApi,
  'done-hub': doneHub,
  gomodel: goModel,
  bifrost,
};

export const programFlags: readonly string[] = Object.keys(given);

/** @param programOf the value of a flag of `programFlags`, or an empty text */
export const peersOf = (programOf: (flag: string) => string): Peer[] => [
  ...installed,
  ...Object.entries(given).flatMap(([flag, peer]) => (programOf(flag) ? [peer(programOf(flag))] : [])),
];
