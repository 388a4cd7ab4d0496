export const live = {
  connecting: '接続中',
  live: 'ライブ',
  newRows_other: '新着{{count}}件',
  pause: '一時停止',
  paused: '一時停止中',
  polling: '{{seconds}}秒ごと',
  resume: '再開',
};
