export const live = {
  connecting: '连接中',
  live: '实时',
  newRows_other: '{{count}} 条新记录',
  pause: '暂停',
  paused: '已暂停',
  polling: '每 {{seconds}} 秒刷新',
  resume: '继续',
};
